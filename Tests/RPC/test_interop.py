"""The published cases of gRPC's interoperability tests against grpc-interop-server (G-130): by grpcio, by C++, by hand.

The names of the cases are those of the descriptions (grpc, doc/interop-test-descriptions.md). Debian's packages of
grpc-go and of C++ hold no program that runs them, so the C++ ones are run by a client of ours, Tests/RPC/cpp.
"""

import collections
import importlib
import os
import pathlib
import subprocess
import sys
import threading
import time

import grpc
import pytest
from grpc_tools import protoc

from certificates import Authority
from echo_server import ROOT, EchoServer, channel, eventually
from raw_http2 import RawClient, framed
from sanitizers import within
from test_compression import ask, bomb, parts

INVALID_ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT
SERVICE = "/grpc.testing.TestService/"
LARGE_REQUEST, LARGE_ANSWER = 271_828, 314_159
REQUEST_SIZES = [27_182, 8, 1_828, 45_904]
ANSWER_SIZES = [31_415, 9, 2_653, 58_979]
PROTOS = ["grpc/testing/empty.proto", "grpc/testing/messages.proto", "grpc/testing/test.proto"]
INITIAL, TRAILING = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"


@pytest.fixture(scope="session")
def proto(tmp_path_factory):
    """The messages and stubs in Python, made for this run. In a folder of another name: `grpc` is grpcio's."""
    folder = tmp_path_factory.mktemp("stubs")
    source = folder / "proto" / "testing"
    source.mkdir(parents=True)
    for name in PROTOS:
        text = (ROOT / "proto" / "third_party" / name).read_text().replace("grpc/testing/", "testing/")
        (source / pathlib.Path(name).name).write_text(text)
    names = [f"testing/{pathlib.Path(name).name}" for name in PROTOS]
    arguments = ["", f"-I{folder}/proto", f"--python_out={folder}", f"--grpc_python_out={folder}", *names]
    assert protoc.main(arguments) == 0
    sys.path.append(str(folder))
    modules = [importlib.import_module(f"testing.{name}") for name in ("empty_pb2", "messages_pb2", "test_pb2_grpc")]
    return collections.namedtuple("Protos", "empty messages stubs")(*modules)


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def server(authority):
    certificate = authority.issue_server()
    with EchoServer(
        "--tls-cert", str(certificate.chain_path), "--tls-key", str(certificate.key_path),
        address=["127.0.0.1:0", "tls+127.0.0.1:0"], program="grpc-interop-server",
    ) as server:  # fmt: skip
        yield server
        assert server.is_alive(), server.errors


@pytest.fixture(scope="session", params=["in the clear", "tls"])
def connection(request, server, authority):
    if request.param == "tls":
        port = server.addresses[1].rsplit(":", 1)[1]
        made = channel(f"localhost:{port}", grpc.ssl_channel_credentials(authority.pem))
    else:
        made = channel(server.address)
    with made:
        yield made


@pytest.fixture
def stub(connection, proto):
    return proto.stubs.TestServiceStub(connection)


@pytest.fixture
def messages(proto):
    return proto.messages


def payload(messages, size):
    return messages.Payload(body=bytes(size))


def simple(messages, answer=LARGE_ANSWER, request=LARGE_REQUEST, **fields):
    return messages.SimpleRequest(response_size=answer, payload=payload(messages, request), **fields)


def output(messages, sizes, request=0, **fields):
    parameters = [messages.ResponseParameters(size=size) for size in sizes]
    return messages.StreamingOutputCallRequest(
        response_parameters=parameters, payload=payload(messages, request), **fields
    )


def sizes(answers):
    return [len(answer.payload.body) for answer in answers]


# One message each way


def test_empty_message_is_answered_by_an_empty_one(stub, proto):
    """G-130: empty_unary"""
    assert stub.EmptyCall(proto.empty.Empty(), timeout=within(10)) == proto.empty.Empty()


@pytest.mark.parametrize("method", ["UnaryCall", "CacheableUnaryCall"])
def test_large_message_each_way(stub, messages, method):
    """G-130: large_unary; cacheable_unary, whose GET no client of today sends"""
    answer = getattr(stub, method)(simple(messages), timeout=within(10))
    assert answer.payload.body == bytes(LARGE_ANSWER)


def test_many_large_calls_at_once(stub, messages):
    """G-130: concurrent_large_unary"""
    calls = [stub.UnaryCall.future(simple(messages), timeout=within(20)) for _ in range(100)]
    assert [len(call.result().payload.body) for call in calls] == [LARGE_ANSWER] * 100


@pytest.mark.parametrize(
    "compression, expected, code",
    [
        (None, True, INVALID_ARGUMENT),
        (grpc.Compression.Gzip, True, None),
        (grpc.Compression.Deflate, True, None),
        (None, False, None),
        (grpc.Compression.Gzip, False, INVALID_ARGUMENT),
    ],
)
def test_server_knows_a_compressed_request(stub, messages, compression, expected, code):
    """G-130: client_compressed_unary"""
    request = simple(messages, expect_compressed=messages.BoolValue(value=expected))
    if code is None:
        answer = stub.UnaryCall(request, compression=compression, timeout=within(10))
        assert len(answer.payload.body) == LARGE_ANSWER
    else:
        with pytest.raises(grpc.RpcError) as failure:
            stub.UnaryCall(request, compression=compression, timeout=within(10))
        assert failure.value.code() == code
        assert "expect_compressed" in failure.value.details()


@pytest.mark.parametrize("wanted", [True, False])
def test_answer_is_compressed_where_the_request_says_so(server, messages, wanted):
    """G-130: server_compressed_unary: by hand, since grpcio does not show whether an answer came compressed"""
    request = simple(messages, request=10, response_compressed=messages.BoolValue(value=wanted)).SerializeToString()
    with RawClient(server.port) as client:
        answer = ask(
            client, framed(request), encoding="identity", grpc_accept_encoding="gzip", path=SERVICE + "UnaryCall"
        )
        assert answer.status == 0
        assert [flag for flag, _ in parts(answer.data)] == [int(wanted)]


# Streams


def test_sizes_of_a_client_stream_are_added_up(stub, messages):
    """G-130: client_streaming"""
    requests = (messages.StreamingInputCallRequest(payload=payload(messages, size)) for size in REQUEST_SIZES)
    assert stub.StreamingInputCall(requests, timeout=within(10)).aggregated_payload_size == sum(REQUEST_SIZES)


@pytest.mark.parametrize("compression, code", [(None, INVALID_ARGUMENT), (grpc.Compression.Gzip, None)])
def test_server_knows_compressed_requests_of_a_stream(stub, messages, compression, code):
    """G-130: client_compressed_streaming, each message alike: grpcio cannot choose by the message, and leaves one as it is
    that would not get smaller"""
    expected = messages.BoolValue(value=True)
    sizes = [size for size in REQUEST_SIZES if size > 1_000]
    requests = [
        messages.StreamingInputCallRequest(payload=payload(messages, size), expect_compressed=expected)
        for size in sizes
    ]
    # Not `future`, which forgets the compression in grpcio 1.85.
    if code is None:
        answer = stub.StreamingInputCall(iter(requests), compression=compression, timeout=within(10))
        assert answer.aggregated_payload_size == sum(sizes)
    else:
        with pytest.raises(grpc.RpcError) as failure:
            stub.StreamingInputCall(iter(requests), compression=compression, timeout=within(10))
        assert failure.value.code() == code


def test_server_knows_which_messages_of_a_stream_are_compressed(server, messages):
    """G-130: client_compressed_streaming, by hand: one compressed message, one that is not"""
    import gzip

    def request(size, compressed):
        made = messages.StreamingInputCallRequest(
            payload=payload(messages, size), expect_compressed=messages.BoolValue(value=compressed)
        ).SerializeToString()
        return framed(gzip.compress(made), flag=1) if compressed else framed(made)

    with RawClient(server.port) as client:
        data = request(27_182, True) + request(45_904, False)
        answer = ask(client, data, path=SERVICE + "StreamingInputCall")
        assert answer.status == 0
        total = messages.StreamingInputCallResponse.FromString(answer.data[5:]).aggregated_payload_size
        assert total == 27_182 + 45_904


def test_server_stream_has_the_sizes_asked_for(stub, messages):
    """G-130: server_streaming"""
    assert sizes(stub.StreamingOutputCall(output(messages, ANSWER_SIZES), timeout=within(10))) == ANSWER_SIZES


@pytest.mark.parametrize("wanted", [[True, False], [False, True]])
def test_messages_of_a_stream_are_compressed_one_by_one(server, messages, wanted):
    """G-130: server_compressed_streaming"""
    request = messages.StreamingOutputCallRequest(
        response_parameters=[
            messages.ResponseParameters(size=size, compressed=messages.BoolValue(value=compressed))
            for size, compressed in zip([31_415, 92_653], wanted, strict=True)
        ]
    )
    with RawClient(server.port) as client:
        answer = ask(
            client, framed(request.SerializeToString()), encoding="identity", grpc_accept_encoding="identity, gzip",
            path=SERVICE + "StreamingOutputCall",
        )  # fmt: skip
        assert answer.status == 0
        assert [flag for flag, _ in parts(answer.data)] == [int(compressed) for compressed in wanted]


def test_each_request_of_a_dialogue_is_answered_before_the_next(stub, messages):
    """G-130: ping_pong"""
    answered = threading.Semaphore(1)

    def requests():
        for request_size, answer_size in zip(REQUEST_SIZES, ANSWER_SIZES, strict=True):
            assert answered.acquire(timeout=within(10))
            yield output(messages, [answer_size], request_size)

    found = []
    for answer in stub.FullDuplexCall(requests(), timeout=within(20)):
        found.append(len(answer.payload.body))
        answered.release()
    assert found == ANSWER_SIZES


def test_dialogue_without_a_word_is_ok(stub):
    """G-130: empty_stream"""
    call = stub.FullDuplexCall(iter(()), timeout=within(10))
    assert list(call) == []
    assert call.code() == grpc.StatusCode.OK


def test_half_duplex_answers_come_after_the_requests(stub, messages):
    """G-130: HalfDuplexCall, which no case uses"""
    seen = []

    def requests():
        for size in ANSWER_SIZES:
            seen.append(size)
            yield output(messages, [size, 1])

    call = stub.HalfDuplexCall(requests(), timeout=within(10))
    first = next(call)
    assert seen == ANSWER_SIZES
    assert sizes([first, *call]) == [size for pair in ANSWER_SIZES for size in (pair, 1)]


# Metadata and status


@pytest.mark.parametrize("method", ["UnaryCall", "FullDuplexCall"])
def test_metadata_comes_back_in_headers_and_trailers(stub, messages, method):
    """G-130: custom_metadata"""
    metadata = [(INITIAL, "test_initial_metadata_value"), (TRAILING, b"\xab\xab\xab")]
    if method == "UnaryCall":
        call = stub.UnaryCall.future(simple(messages), metadata=metadata, timeout=within(10))
        call.result()
    else:
        call = stub.FullDuplexCall(iter([output(messages, [LARGE_ANSWER])]), metadata=metadata, timeout=within(10))
        assert sizes(call) == [LARGE_ANSWER]
    assert dict(call.initial_metadata())[INITIAL] == "test_initial_metadata_value"
    assert dict(call.trailing_metadata())[TRAILING] == b"\xab\xab\xab"


@pytest.mark.parametrize("method", ["UnaryCall", "FullDuplexCall"])
@pytest.mark.parametrize(
    "text",
    ["test status message", "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n"],
    ids=["status_code_and_message", "special_status_message"],
)
def test_status_is_the_one_asked_for(stub, messages, method, text):
    """G-130: status_code_and_message; special_status_message"""
    wanted = messages.EchoStatus(code=2, message=text)
    with pytest.raises(grpc.RpcError) as failure:
        if method == "UnaryCall":
            stub.UnaryCall(messages.SimpleRequest(response_status=wanted), timeout=within(10))
        else:
            list(stub.FullDuplexCall(iter([output(messages, [], response_status=wanted)]), timeout=within(10)))
    assert failure.value.code() == grpc.StatusCode.UNKNOWN
    assert failure.value.details() == text


@pytest.mark.parametrize("service", ["TestService", "UnimplementedService"])
def test_what_is_not_served_is_unimplemented(connection, proto, service):
    """G-130: unimplemented_method; unimplemented_service"""
    stub = getattr(proto.stubs, service + "Stub")(connection)
    with pytest.raises(grpc.RpcError) as failure:
        stub.UnimplementedCall(proto.empty.Empty(), timeout=within(10))
    assert failure.value.code() == grpc.StatusCode.UNIMPLEMENTED


# Ends


def test_call_that_is_cancelled_before_its_requests(stub):
    """G-130: cancel_after_begin"""
    waits = threading.Event()

    def requests():
        waits.wait(within(10))
        return
        yield

    call = stub.StreamingInputCall.future(requests(), timeout=within(10))
    assert call.cancel()
    waits.set()
    assert call.code() == grpc.StatusCode.CANCELLED


def test_call_that_is_cancelled_after_its_first_answer(stub, messages):
    """G-130: cancel_after_first_response"""
    waits = threading.Event()

    def requests():
        yield output(messages, [ANSWER_SIZES[0]], REQUEST_SIZES[0])
        waits.wait(within(10))

    call = stub.FullDuplexCall(requests(), timeout=within(10))
    assert len(next(call).payload.body) == ANSWER_SIZES[0]
    call.cancel()
    waits.set()
    assert call.code() == grpc.StatusCode.CANCELLED


def test_deadline_that_passes_while_the_server_sleeps(stub, messages):
    """G-130: timeout_on_sleeping_server"""
    request = output(messages, [], REQUEST_SIZES[0])
    request.response_parameters.add(size=31_415, interval_us=5_000_000)
    start = time.monotonic()
    with pytest.raises(grpc.RpcError) as failure:
        list(stub.FullDuplexCall(iter([request]), timeout=0.05))
    assert failure.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - start < within(3)


# What no case asks


@pytest.mark.parametrize(
    "parameters, field",
    [
        ({"size": -1}, "size"),
        ({"size": 2**31 - 1}, "size"),
        ({"size": 1, "interval_us": -5}, "interval_us"),
        ({"size": 1, "interval_us": 2**31 - 1}, "interval_us"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(stub, messages, parameters, field):
    request = messages.StreamingOutputCallRequest(response_parameters=[messages.ResponseParameters(**parameters)])
    with pytest.raises(grpc.RpcError) as failure:
        list(stub.StreamingOutputCall(request, timeout=within(10)))
    assert failure.value.code() == INVALID_ARGUMENT
    assert field in failure.value.details()


@pytest.mark.memory
def test_reader_that_stops_holds_the_server_back(server, messages):
    """200 MB are asked for and nothing is read of them."""
    before = server.resident_kib()
    request = output(messages, [1 << 20] * 200)
    with RawClient(server.port, gives_credit=False) as client:
        stream = client.headers(client.fields(path=SERVICE + "StreamingOutputCall"))
        client.data(stream, framed(request.SerializeToString()))
        client.receive_until(lambda: len(client.answers[stream].data) > 0, 10)
        time.sleep(0.5)
        assert server.resident_kib() - before < 16 << 10


def test_bomb_is_refused_also_here(server):
    with RawClient(server.port) as client:
        answer = ask(client, framed(bomb(64 << 20), flag=1), path=SERVICE + "UnaryCall")
        assert answer.status == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]


def test_port_flag_and_a_signal(authority):
    """G-130: `--port 0` picks one, SIGTERM ends it in good order."""
    with EchoServer("--port", "0", address=[], program="grpc-interop-server", wait=False) as server:
        line = server.lines.get(timeout=within(20))
        assert line.startswith("listening on 127.0.0.1:")
        server.signal()
        assert server.wait(5) == 0


def test_connection_flags_are_energykitds(proto):
    """G-130: --max-connection-age: connections end in good order, calls go on."""
    flags = ["--max-connection-age", "0.3", "--max-connection-age-grace", "5", "--keepalive-time", "10"]
    with EchoServer(*flags, program="grpc-interop-server") as server:
        with RawClient(server.port) as client:
            eventually(lambda: client.receive(0.1) or client.goaways or client.is_closed, 10, "GOAWAY")
            assert client.goaways
        with channel(server.address) as connection:
            stub = proto.stubs.TestServiceStub(connection)
            stub.EmptyCall(proto.empty.Empty(), timeout=within(5), wait_for_ready=True)


# C++


@pytest.fixture(scope="session")
def cpp_client(tmp_path_factory):
    """The client of Tests/RPC/cpp, built against Debian's gRPC C++."""
    folder = tmp_path_factory.mktemp("cpp")
    includes = [f"-I{ROOT / 'proto' / 'third_party'}"]
    plugin = subprocess.run(["which", "grpc_cpp_plugin"], check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(
        ["protoc", *includes, f"--cpp_out={folder}", f"--grpc_out={folder}", f"--plugin=protoc-gen-grpc={plugin}",
         *PROTOS], check=True,
    )  # fmt: skip
    sources = [str(ROOT / "Tests" / "RPC" / "cpp" / "interop_client.cc")]
    sources += [str(folder / name.replace(".proto", ".pb.cc")) for name in PROTOS]
    sources.append(str(folder / "grpc/testing/test.grpc.pb.cc"))
    libraries = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "grpc++", "protobuf"], check=True, capture_output=True, text=True
    ).stdout.split()
    program = folder / "interop_client"
    jobs = [
        subprocess.Popen(["g++", "-std=c++17", "-O0", f"-I{folder}", "-c", source, "-o", f"{folder}/{index}.o"])
        for index, source in enumerate(sources)
    ]
    assert [job.wait(within(120)) for job in jobs] == [0] * len(jobs)
    objects = [f"{folder}/{index}.o" for index in range(len(sources))]
    subprocess.run(["g++", *objects, *libraries, "-o", str(program)], check=True)
    return program


CPP_CASES = [
    "empty_unary",
    "large_unary",
    "client_compressed_unary",
    "server_compressed_unary",
    "client_streaming",
    "client_compressed_streaming",
    "server_streaming",
    "server_compressed_streaming",
    "ping_pong",
    "empty_stream",
    "custom_metadata",
    "status_code_and_message",
    "special_status_message",
    "unimplemented_method",
    "unimplemented_service",
    "cancel_after_begin",
    "cancel_after_first_response",
    "timeout_on_sleeping_server",
]


@pytest.mark.timeout(within(180))
@pytest.mark.parametrize("case", CPP_CASES)
def test_case_by_cpp(cpp_client, server, case):
    """G-130: the client says what it found where it is not what the case wants."""
    done = subprocess.run(
        [str(cpp_client), server.address, case], capture_output=True, text=True, timeout=within(30), env=os.environ
    )
    assert done.returncode == 0, done.stderr


def test_cpp_client_can_fail(cpp_client, server):
    """A case that does not exist, and a server that is not there."""
    for arguments in [(server.address, "no_such_case"), ("127.0.0.1:1", "empty_unary")]:
        assert subprocess.run([str(cpp_client), *arguments], capture_output=True, timeout=within(30)).returncode != 0
