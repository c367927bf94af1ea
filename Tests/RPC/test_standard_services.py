"""Health and reflection of a server that has no service with a .proto file of its own."""

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from hyperframe.frame import DataFrame, GoAwayFrame, SettingsFrame, WindowUpdateFrame

from echo_server import EchoServer
from raw_http2 import RawClient, framed, messages

SERVING = 1


def test_health_of_the_server_and_its_service(echo):
    """G-120, G-123."""
    with echo.channel() as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        for name in ["", "grpc.echo.v1.Echo"]:
            assert check(health_pb2.HealthCheckRequest(service=name)).status == SERVING
        try:
            check(health_pb2.HealthCheckRequest(service="grpc.echo.v1"))
            raise AssertionError("found")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND


def test_services_without_a_description_are_listed(echo):
    """G-124."""
    with echo.channel() as channel:
        services = ProtoReflectionDescriptorDatabase(channel).get_services()
    assert services == [
        "grpc.echo.v1.Echo",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ]


def test_a_watcher_is_told_before_the_goaway():
    """G-104: the order on the wire."""
    with EchoServer() as server, RawClient(server.port) as client:
        stream = client.headers(client.fields(path="/grpc.health.v1.Health/Watch"))
        client.data(stream, framed(b""))
        answer = client.answers[stream]
        client.receive_until(lambda: answer.data)
        assert messages(answer.data) == [b"\x08\x01"]
        server.signal()
        client.receive_until(lambda: client.goaways)
        assert messages(answer.data) == [b"\x08\x01", b"\x08\x02"]
        kinds = [type(frame) for frame in client.frames]
        assert kinds.index(GoAwayFrame) > len(kinds) - 1 - kinds[::-1].index(DataFrame)


def test_newest_status_only_for_a_watcher_without_credit():
    """G-091, G-121: what waits for the client's window is replaced, and leaves once there is credit."""
    with EchoServer() as server, RawClient(server.port, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 0}) as client:
        stream = client.headers(client.fields(path="/grpc.health.v1.Health/Watch"))
        client.data(stream, framed(b""))
        answer = client.answers[stream]
        client.receive_until(lambda: answer.blocks)
        server.signal()
        client.receive_until(lambda: client.goaways)
        assert answer.data == b""
        client.send(WindowUpdateFrame(stream, 1 << 16))
        client.receive_until(lambda: len(answer.data) >= 7)
        assert messages(answer.data) == [b"\x08\x02"]
