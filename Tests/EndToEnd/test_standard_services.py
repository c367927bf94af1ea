"""Health and reflection as their usual clients see them: grpcio's own packages, and buf, which gets no .proto files."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc
import pytest
from google.protobuf import descriptor_pb2, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from .caller import CALIFORNIA, Demo
from .server import Server

SERVING, NOT_SERVING, SERVICE_UNKNOWN = 1, 2, 3
GUIDANCE = "energykit.v1.ElectricityGuidanceService"
SERVICES = [
    "energykit.v1.AdminService",
    GUIDANCE,
    "energykit.v1.EnergyVenueService",
    "energykit.v1.LoadEventService",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
]
REFLECTION = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]
LIMIT = 20


@pytest.fixture
def channel(server: Server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel


def buf_curl(server: Server, method: str, data: object, *flags: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """In an empty directory: what buf knows of the service it has from the server."""
    command = [Path(sys.executable).parent / "buf", "curl", "--protocol", "grpc", "--http2-prior-knowledge", *flags]
    command += ["-d", json.dumps(data), f"http://{server.address}/{method}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=directory)


# Health


@pytest.mark.parametrize("service", ["", GUIDANCE, "energykit.v1.EnergyVenueService"])
def test_health_of_what_is_served(channel: grpc.Channel, service: str) -> None:
    """G-120."""
    answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service), timeout=LIMIT)
    assert answer.status == SERVING


def test_health_of_what_is_not_served(channel: grpc.Channel) -> None:
    """G-123."""
    with pytest.raises(grpc.RpcError) as error:
        health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service="no.Such"), timeout=LIMIT)
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


def test_list_of_healths(channel: grpc.Channel) -> None:
    """G-122."""
    answer = channel.unary_unary("/grpc.health.v1.Health/List")(b"", timeout=LIMIT)
    for name in ["", GUIDANCE]:
        assert name.encode() in answer
    assert answer.count(b"\x12\x02\x08\x01") == 5


def test_watch_of_an_unknown_service_goes_on(channel: grpc.Channel) -> None:
    """G-121."""
    watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service="no.Such"), timeout=LIMIT)
    assert next(watch).status == SERVICE_UNKNOWN
    more = queue.Queue()

    def read() -> None:
        try:
            more.put(next(watch))
        except grpc.RpcError as error:
            more.put(error.code())

    threading.Thread(target=read, daemon=True).start()
    with pytest.raises(queue.Empty):
        more.get(timeout=0.3)
    watch.cancel()
    assert more.get(timeout=LIMIT) == grpc.StatusCode.CANCELLED


@pytest.mark.parametrize("reads", [True, False])
def test_watchers_are_told_of_the_drain_and_then_ended(data: Path, reads: bool) -> None:
    """G-101, G-104: NOT_SERVING, then UNAVAILABLE; one that reads nothing does not hold the drain."""
    with Server(data, "--drain-seconds", "2") as server, grpc.insecure_channel(server.address) as channel:
        watches = [
            health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=name), timeout=LIMIT)
            for name in ["", GUIDANCE] * 10
        ]
        assert all(next(watch).status == SERVING for watch in watches)
        start = time.monotonic()
        server.terminate()
        if reads:
            assert all(next(watch).status == NOT_SERVING for watch in watches)
            for watch in watches:
                with pytest.raises(grpc.RpcError) as error:
                    next(watch)
                assert error.value.code() == grpc.StatusCode.UNAVAILABLE
        assert server.wait() == 0
        elapsed = time.monotonic() - start
    print(f"measured: ended {elapsed:.2f} s after SIGTERM with {len(watches)} watches")
    assert elapsed < 2 + 2


def test_the_drain_waits_for_load_balancers(data: Path) -> None:
    """G-104: calls are served as ever during --drain-delay."""
    with Server(data, "--drain-seconds", "1", "--drain-delay", "2") as server, Demo(server) as demo:
        with grpc.insecure_channel(server.address) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=LIMIT)
            assert next(watch).status == SERVING
            server.terminate()
            assert next(watch).status == NOT_SERVING
            assert stub.Check(health_pb2.HealthCheckRequest(), timeout=LIMIT).status == NOT_SERVING
            assert len(demo.caller().list_venues()) == 3
            assert server.wait() == 0


# Reflection


def test_reflection_lists_services(channel: grpc.Channel) -> None:
    """G-124, G-126."""
    assert ProtoReflectionDescriptorDatabase(channel).get_services() == SERVICES


def test_a_client_without_proto_files_makes_a_call(server: Server, demo: Demo, channel: grpc.Channel) -> None:
    """G-125, G-126: the whole closure is reachable, google's own types included."""
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    method = pool.FindServiceByName(GUIDANCE).FindMethodByName("GetGuidance")
    request = message_factory.GetMessageClass(method.input_type)()
    request.venue_id = demo.venues[CALIFORNIA]
    request.suggested_action = 1
    call = channel.unary_unary(
        f"/{GUIDANCE}/GetGuidance",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
    )
    answer = call(request, metadata=demo.caller().metadata, timeout=LIMIT)
    assert answer.guidance.venue_id == demo.venues[CALIFORNIA]
    assert answer.guidance.issue_time.seconds > 0
    for name in ["google.rpc.ErrorInfo", "google.protobuf.FileDescriptorSet", "grpc.health.v1.HealthCheckResponse"]:
        assert pool.FindMessageTypeByName(name).full_name == name


@pytest.mark.parametrize("service", REFLECTION)
def test_reflection_of_every_kind_of_question(channel: grpc.Channel, service: str) -> None:
    """G-124, G-125, G-126, G-127: v1 and v1alpha have the same messages; an error is an answer, and the stream goes on."""
    ask = channel.stream_stream(
        f"/{service}/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    request = reflection_pb2.ServerReflectionRequest
    extension = reflection_pb2.ExtensionRequest(containing_type="energykit.v1.EnergyVenue", extension_number=7)
    questions = [
        request(file_by_filename="energykit/v1/guidance.proto", host="here"),
        request(file_containing_symbol=f"{GUIDANCE}.GetGuidance"),
        request(file_containing_symbol="no.Such"),
        request(file_containing_extension=extension),
        request(all_extension_numbers_of_type="energykit.v1.EnergyVenue"),
        request(all_extension_numbers_of_type="no.Such"),
        request(),
        request(list_services=""),
    ]
    answers = list(ask(iter(questions), timeout=LIMIT))
    assert [answer.original_request for answer in answers] == questions
    assert [answer.valid_host for answer in answers] == ["here"] + [""] * 7
    assert [answer.WhichOneof("message_response") for answer in answers] == [
        "file_descriptor_response",
        "file_descriptor_response",
        "error_response",
        "error_response",
        "all_extension_numbers_response",
        "error_response",
        "error_response",
        "list_services_response",
    ]
    files = [
        descriptor_pb2.FileDescriptorProto.FromString(each)
        for each in answers[0].file_descriptor_response.file_descriptor_proto
    ]
    assert files[0].name == "energykit/v1/guidance.proto"
    names = {file.name for file in files}
    assert all(name in names for file in files for name in file.dependency)
    # Of what this stream has had already, the file that was asked for only.
    again = answers[1].file_descriptor_response.file_descriptor_proto
    assert [descriptor_pb2.FileDescriptorProto.FromString(each).name for each in again] == [files[0].name]
    codes = [answer.error_response.error_code for answer in answers if answer.HasField("error_response")]
    assert codes == [5, 5, 5, 3]
    assert [service.name for service in answers[7].list_services_response.service] == SERVICES


def test_a_question_too_long_ends_the_stream(channel: grpc.Channel) -> None:
    """G-056."""
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    question = reflection_pb2.ServerReflectionRequest(file_by_filename="x" * 5000)
    with pytest.raises(grpc.RpcError) as error:
        list(stub.ServerReflectionInfo(iter([question]), timeout=LIMIT))
    assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.memory
def test_a_reader_of_nothing_is_not_answered_without_end(server: Server) -> None:
    """G-091: questions are taken as answers leave."""
    options = [("grpc.http2.lookahead_bytes", 1 << 10), ("grpc.use_local_subchannel_pool", 1)]
    question = reflection_pb2.ServerReflectionRequest(file_by_filename="energykit/v1/admin.proto")
    with grpc.insecure_channel(server.address, options=options) as channel:
        before = server.rss_kib()
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        stream = stub.ServerReflectionInfo((question for _ in range(20_000)), timeout=LIMIT)
        next(stream)
        time.sleep(1)
        growth = server.rss_kib() - before
        assert next(stream).file_descriptor_response.file_descriptor_proto
        stream.cancel()
    print(f"measured: 20,000 questions, answers unread: +{growth} KiB")
    assert growth < 16 << 10


def test_buf_calls_with_nothing_but_the_address(server: Server, demo: Demo, tmp_path: Path) -> None:
    """G-124, G-126: errors come with their details readable, too."""
    done = buf_curl(server, "grpc.health.v1.Health/Check", {"service": GUIDANCE}, directory=tmp_path)
    assert json.loads(done.stdout) == {"status": "SERVING"}, done.stderr
    key = ("-H", f"authorization: Bearer {demo.caller().key}")
    question = {"venue_id": demo.venues[CALIFORNIA], "suggested_action": "SUGGESTED_ACTION_SHIFT"}
    done = buf_curl(server, f"{GUIDANCE}/GetGuidance", question, *key, directory=tmp_path)
    assert json.loads(done.stdout)["guidance"]["venueId"] == demo.venues[CALIFORNIA], done.stderr
    done = buf_curl(server, f"{GUIDANCE}/GetGuidance", {"venue_id": "none"}, *key, directory=tmp_path)
    assert done.returncode != 0 and "google.rpc.BadRequest" in done.stderr
    print(f"measured: what buf shows of an error: {len(done.stderr)} bytes")


@pytest.mark.parametrize("version", ["grpc-v1", "grpc-v1alpha"])
def test_buf_lists_methods(server: Server, tmp_path: Path, version: str) -> None:
    """G-124, G-125."""
    command = [Path(sys.executable).parent / "buf", "curl", "--protocol", "grpc", "--http2-prior-knowledge"]
    command += ["--reflect-protocol", version, "--list-methods", f"http://{server.address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert f"{GUIDANCE}/GetGuidance" in done.stdout.split(), done.stderr


def test_reflection_can_be_turned_off(data: Path) -> None:
    with Server(data, "--reflection", "off") as server, grpc.insecure_channel(server.address) as channel:
        for service in REFLECTION:
            with pytest.raises(grpc.RpcError) as error:
                list(channel.stream_stream(f"/{service}/ServerReflectionInfo")(iter([]), timeout=LIMIT))
            assert error.value.code() == grpc.StatusCode.UNIMPLEMENTED
        check = health_pb2_grpc.HealthStub(channel).Check
        assert check(health_pb2.HealthCheckRequest(), timeout=LIMIT).status == SERVING
