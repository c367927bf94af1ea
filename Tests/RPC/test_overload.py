"""Limits on calls at work: by server, connection, method (G-079)."""

import time

import grpc
import pytest
from hyperframe.frame import RstStreamFrame

from echo_server import EchoServer, eventually, unary
from raw_http2 import RawClient, messages

UNAVAILABLE = 14


def sleepers(client, count, method="Sleep", milliseconds=60_000):
    return [client.call(b"%d" % milliseconds, method) for _ in range(count)]


def assert_overload(answer, what):
    assert answer.status == UNAVAILABLE
    assert answer.is_trailers_only
    assert what in answer.message
    assert 500 <= int(answer.trailers["grpc-retry-pushback-ms"]) <= 1_500


@pytest.fixture
def narrow_echo():
    """Two loops."""
    with EchoServer("--max-calls", "20", "--max-calls-per-connection", "15") as server:
        yield server
        assert server.is_alive()


def test_connection_has_a_limit_of_its_own(narrow_echo):
    """G-079: refused before work begins; another connection is served."""
    with RawClient(narrow_echo.port) as client, RawClient(narrow_echo.port) as other:
        waiting = sleepers(client, 15)
        eventually(lambda: narrow_echo.stats()["active"] == 15, 5, "fifteen are at work")
        assert_overload(client.ask(b"more"), "this connection")
        assert other.ask(b"fine").status == 0
        assert not any(client.answers[stream].is_over for stream in waiting)


def test_server_has_a_limit_over_connections_and_loops(narrow_echo):
    """G-079: whatever loop the connections are on; what ends makes room."""
    with RawClient(narrow_echo.port) as one, RawClient(narrow_echo.port) as two, RawClient(narrow_echo.port) as three:
        sleepers(one, 10)
        sleepers(two, 9)
        brief = sleepers(three, 1, milliseconds=1_500)
        time.sleep(0.3)
        assert_overload(three.ask(b"more"), "server")
        assert_overload(one.ask(b"more"), "server")
        assert messages(three.answer(brief[0]).data) == [b"slept"]
        assert three.ask(b"more").status == 0


def test_method_has_a_limit(fresh_echo):
    """G-079: four for two loops, two each; other methods are not concerned, and cancelled calls make room."""
    with RawClient(fresh_echo.port) as client:
        waiting = sleepers(client, 2, "Narrow")
        assert_overload(client.ask(b"1", "Narrow"), "this method")
        assert client.ask(b"1", "Sleep").status == 0
        client.send(RstStreamFrame(waiting[0], error_code=8))
        eventually(lambda: client.ask(b"1", "Narrow").status == 0, 5, "there is room again")


def test_streams_that_wait_do_not_count(narrow_echo):
    """G-079: thirty subscribers, and the twenty calls at work that there may be."""
    with RawClient(narrow_echo.port) as client, RawClient(narrow_echo.port) as other:
        subscribed = [client.call(b"me", "Subscribe") for _ in range(30)]
        client.receive_until(lambda: all(client.answers[stream].blocks for stream in subscribed), 10)
        assert client.ask(b"fine").status == 0
        sleepers(other, 15)
        assert client.ask(b"fine").status == 0


def test_what_has_ended_does_not_count(narrow_echo):
    """G-079: thousands of calls, answered, refused, cancelled, late: then as many may be at work as before."""
    with narrow_echo.channel() as connection:
        call = unary(connection, "Unary")
        for _ in range(500):
            call(b"x", timeout=10)
        for _ in range(100):
            with pytest.raises(grpc.RpcError):
                unary(connection, "Fail")(b"5 0 - no", timeout=10)
            with pytest.raises(grpc.RpcError):
                unary(connection, "Sleep")(b"60000", timeout=0.001)
    with RawClient(narrow_echo.port) as client:
        eventually(lambda: narrow_echo.stats()["active"] == 0, 5, "all have ended")
        sleepers(client, 14)
        assert client.ask(b"fine").status == 0


def test_client_with_retries_comes_back_when_told(narrow_echo):
    """G-079, G-076: grpcio waits as long as the pushback says, and succeeds when there is room."""
    policy = (
        '{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 5, "initialBackoff": "30s", '
        '"maxBackoff": "30s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}'
    )
    options = {"grpc.enable_retries": 1, "grpc.service_config": policy}
    with RawClient(narrow_echo.port) as one, RawClient(narrow_echo.port) as two, narrow_echo.channel(**options) as slow:
        sleepers(one, 10)
        sleepers(two, 10, milliseconds=900)
        time.sleep(0.2)
        start = time.monotonic()
        assert unary(slow, "Unary")(b"at last", timeout=20) == b"at last"
        assert 0.4 < time.monotonic() - start < 10


def test_overload_hurts_nobody_who_is_at_work(narrow_echo):
    """G-079: ten thousand refused calls in a row; those at work go on, memory stays."""
    with RawClient(narrow_echo.port) as full, RawClient(narrow_echo.port) as other:
        waiting = sleepers(full, 15, milliseconds=4_000)
        eventually(lambda: narrow_echo.stats()["active"] == 15, 5, "fifteen are at work")
        refused = 0
        for _ in range(20):
            streams = [full.call(b"more") for _ in range(500)]
            refused += sum(full.answer(stream).status == UNAVAILABLE for stream in streams)
            assert other.ask(b"fine").status == 0
        assert refused == 10_000
        assert [full.answer(stream).status for stream in waiting] == [0] * 15
