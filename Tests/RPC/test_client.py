"""The client half of GRPCTransport against grpcio's server."""

import time

import grpc
import pytest

from certificates import Authority
from echo_client import EchoClient, grpcio_server


@pytest.fixture
def peer():
    with grpcio_server() as (peer, address, _):
        yield peer, address


@pytest.fixture
def pair(peer):
    handlers, address = peer
    with EchoClient(address) as client:
        yield handlers, client


def test_all_four_kinds(pair):
    _, client = pair
    assert client.call("unary", "echo", b"\x00\x01").messages == [b"\x00\x01"]
    assert client.call("unary", "echo", b"").messages == [b""]
    counted = client.call("server", "count", bytes([200]))
    assert counted.code == grpc.StatusCode.OK and counted.messages == [bytes([n]) for n in range(200)]
    assert client.call("server", "count", b"\x00").messages == []
    assert client.call("client", "sum", b"abc", b"", 100_000).messages == [b"100003"]
    assert client.call("client", "sum").messages == [b"0"]
    assert client.call("bidirectional", "chat", b"a", b"", b"c").messages == [b"a", b"", b"c"]
    assert client.call("bidirectional", "chat").messages == []


@pytest.mark.parametrize("size", [16_384, 65_536, 1_000_000, 20_000_000])
def test_large_messages_whatever_the_windows(pair, size):
    """G-088, G-092"""
    _, client = pair
    assert client.call("unary", "echo", size).messages == [f"x{size}"]


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code != grpc.StatusCode.OK], ids=lambda c: c.name)
def test_every_status_with_its_text_details_and_trailers(pair, code):
    _, client = pair
    outcome = client.call("unary", "fail", bytes([code.value[0]]))
    assert outcome.code == code and outcome.text == "wrong: 100% ärger\n"
    assert outcome.details == b"\x01\x02"
    assert ("x-why", b"because") in outcome.trailers


def test_a_method_that_is_not_served(pair):
    """G-031"""
    _, client = pair
    assert client.call("unary", "nothing", b"").code == grpc.StatusCode.UNIMPLEMENTED


def test_metadata_both_ways(pair):
    """G-042, G-043"""
    handlers, client = pair
    sent = [("x-a", b"1"), ("x-b-bin", bytes(range(256))), ("x-a", b"2, 3"), ("x-c-bin", b"")]
    outcome = client.call("unary", "echo", b"", meta=sent)
    assert [field for field in outcome.metadata if field[0].startswith("x-")] == sent
    assert [field for field in outcome.trailers if field[0].startswith("y-")] == [("y" + n[1:], v) for n, v in sent]
    assert handlers.calls[0]["user-agent"].startswith("grpc-swift-energykit/")


def test_a_deadline_is_sent_and_kept(pair):
    handlers, client = pair
    start = time.monotonic()
    assert client.call("unary", "wait", b"", timeout=300).code == grpc.StatusCode.DEADLINE_EXCEEDED
    assert 0.25 < time.monotonic() - start < 3
    assert 0 < handlers.calls[0] <= 0.3
    # The server knows it too.
    assert handlers.ends.get(timeout=2) - start < 3
    assert client.call("unary", "echo", b"1").messages == [b"1"]


def test_a_cancelled_stream_ends_the_handler(pair):
    handlers, client = pair
    outcome = client.call("server", "endless", b"1", cancel=3)
    assert outcome.code == grpc.StatusCode.CANCELLED and len(outcome.messages) >= 3
    handlers.ends.get(timeout=2)
    assert client.call("unary", "echo", b"1").messages == [b"1"]


def test_retries_count_themselves_and_heed_pushback(peer):
    """G-076"""
    handlers, address = peer
    with EchoClient(address, "--attempts", "4") as client:
        assert client.call("unary", "flaky", bytes([3, 20])).code == grpc.StatusCode.OK
    assert [fields.get("grpc-previous-rpc-attempts") for _, fields in handlers.calls] == [None, "1", "2", "3"]
    moments = [moment for moment, _ in handlers.calls]
    assert all(later - earlier >= 0.2 for earlier, later in zip(moments, moments[1:], strict=False))


def test_no_retry_without_a_policy(pair):
    handlers, client = pair
    assert client.call("unary", "flaky", bytes([1])).code == grpc.StatusCode.UNAVAILABLE
    assert len(handlers.calls) == 1


def test_the_servers_limit_of_streams_is_kept():
    """G-017"""
    options = {"grpc.max_concurrent_streams": 3}
    # grpcio counts a call for a moment after its client has the answer, and refuses the next in its place, at times twice:
    # the first refusal is the channel's to mend, more of them are the retry policy's (gRFC A6).
    with grpcio_server(**options) as (handlers, address, _), EchoClient(address, "--attempts", "5") as client:
        outcome = client.call("unary", "slow", b"1", times=60)
        assert outcome.codes == [0] * 60
        assert handlers.most_busy <= 3


def test_many_calls_at_once(pair):
    """G-093"""
    _, client = pair
    assert client.call("unary", "echo", b"1", times=1_000).codes == [0] * 1_000


def test_a_drain_loses_no_call():
    """G-100, G-101"""
    with grpcio_server() as (handlers, address, server), EchoClient(address) as client:
        client.begin("unary", "wait", b"1", timeout=500)
        while not handlers.calls:
            time.sleep(0.01)
        stopped = server.stop(5)
        # Ends by its own deadline, not by the drain.
        assert client.finish().code == grpc.StatusCode.DEADLINE_EXCEEDED
        stopped.wait(5)
        assert client.call("unary", "echo", b"1").code == grpc.StatusCode.UNAVAILABLE


def test_a_server_that_comes_back():
    with grpcio_server() as (_, address, server), EchoClient(address) as client:
        assert client.call("unary", "echo", b"1").code == grpc.StatusCode.OK
        server.stop(None).wait(5)
        client.begin("unary", "echo", b"2", wait=1, timeout=10_000)
        time.sleep(0.3)
        with grpcio_server(address, **{"grpc.so_reuseport": 0}):
            assert client.finish().messages == [b"2"]


@pytest.mark.parametrize("mutual", [False, True])
def test_tls(tmp_path, mutual):
    """G-024, G-026"""
    authority = Authority(tmp_path)
    own, theirs = authority.issue_client(), authority.issue_server()
    credentials = grpc.ssl_server_credentials(
        [(theirs.key_bytes, theirs.chain)], authority.pem if mutual else None, require_client_auth=mutual
    )
    flags = ["--tls-ca", str(authority.path), "--server-name", "localhost"]
    identity = ["--tls-cert", str(own.chain_path), "--tls-key", str(own.key_path)]
    with grpcio_server(credentials=credentials) as (_, address, _):
        with EchoClient(address, *flags, *(identity if mutual else [])) as client:
            assert client.call("unary", "echo", 1_000_000).messages == ["x1000000"]
            assert client.call("bidirectional", "chat", b"a", b"b").messages == [b"a", b"b"]
        if mutual:
            with EchoClient(address, *flags) as client:
                assert client.call("unary", "echo", b"", timeout=5_000).code == grpc.StatusCode.UNAVAILABLE
