"""Start, drain and end of the server."""

import json
import signal
import socket
import threading
import time

import grpc
import pytest
from hyperframe.frame import DataFrame, HeadersFrame, PingFrame, SettingsFrame
from sanitizers import within

from echo_server import EchoServer, channel, eventually, server_stream, unary
from raw_http2 import PREFACE, RawClient, framed, messages


def test_idle_server_leaves_within_a_second(fresh_echo_ends):
    """G-103."""
    server = fresh_echo_ends
    start = time.monotonic()
    server.signal()
    assert server.wait(2) == 0
    print(f"measured: idle server from SIGTERM to exit: {1000 * (time.monotonic() - start):.0f} ms")
    assert time.monotonic() - start < within(1)


@pytest.fixture
def fresh_echo_ends():
    # The drain's default of ten seconds, for a server built as it ships.
    with EchoServer("--drain-seconds", str(round(within(10)))) as server:
        yield server


def test_idle_connections_do_not_hold_it(fresh_echo_ends):
    """G-103: one that has called, one that is silent, one that has sent half a preface."""
    server = fresh_echo_ends
    with RawClient(server.port) as called, RawClient(server.port) as silent, RawClient(server.port, start=False) as half:
        called.ask()
        half.send_bytes(b"PRI * HT")
        time.sleep(0.1)
        start = time.monotonic()
        server.signal()
        assert server.wait(3) == 0
        print(f"measured: server with idle connections from SIGTERM to exit: {time.monotonic() - start:.2f} s")
        called.receive_until_closed(1)
        assert [frame.error_code for frame in called.goaways] == [0] * len(called.goaways) and called.goaways
        silent.receive_until_closed(1)


def test_calls_in_flight_are_finished(fresh_echo_ends):
    """G-100, G-101: two GOAWAYs, the call's answer, then the end."""
    server = fresh_echo_ends
    with RawClient(server.port, answers_pings=False) as client:
        client.ask()
        stream = client.call(b"1000", method="Sleep")
        client.receive(0.2)
        start = time.monotonic()
        server.signal()
        client.receive_until(lambda: client.goaways and any(isinstance(f, PingFrame) for f in client.frames), 2)
        # On its way when the first GOAWAY came: still served, since the answer to the PING comes behind it.
        late = client.call(b"late")
        ping = next(frame for frame in client.frames if isinstance(frame, PingFrame))
        client.send(PingFrame(0, ping.opaque_data, flags=["ACK"]))
        assert messages(client.answer(late, 3).data) == [b"late"]
        assert messages(client.answer(stream, 3).data) == [b"slept"]
        client.receive_until_closed(2)
        assert server.wait(3) == 0
        print(f"measured: drain with a call of 1 s in flight: {time.monotonic() - start:.2f} s")
        first, last = client.goaways
        assert (first.last_stream_id, first.error_code) == ((1 << 31) - 1, 0)
        assert (last.last_stream_id, last.error_code) == (late, 0)


def test_call_of_a_client_that_has_just_come_is_finished(fresh_echo_ends):
    """G-101: it has not acknowledged the server's SETTINGS yet."""
    server = fresh_echo_ends
    with RawClient(server.port) as client:
        stream = client.call(b"500", method="Sleep")
        time.sleep(0.1)
        server.signal()
        time.sleep(0.1)
        assert messages(client.answer(stream, 3).data) == [b"slept"]
    assert server.wait(3) == 0


def test_call_of_a_client_that_speaks_a_moment_after_it_has_come_is_finished(fresh_echo_ends):
    """G-101: a client may wait for the server's SETTINGS; what it sends then crosses the signal."""
    server = fresh_echo_ends
    with RawClient(server.port, start=False) as client:
        server.signal()
        time.sleep(0.1)
        client.send_bytes(PREFACE + SettingsFrame(0).serialize())
        assert messages(client.answer(client.call(b"100", method="Sleep"), 3).data) == [b"slept"]
    assert server.wait(3) == 0


def test_slow_client_with_a_call_open_gets_time_between_the_goaways(fresh_echo_ends):
    """G-100: what a busy client had sent before it could see the first GOAWAY is served, though its PING is late."""
    server = fresh_echo_ends
    with RawClient(server.port, answers_pings=False) as client:
        client.ask()
        stream = client.call(b"1500", method="Sleep")
        server.signal()
        client.receive_until(lambda: any(isinstance(f, PingFrame) for f in client.frames), 2)
        time.sleep(1)
        late = client.call(b"late")
        ping = next(frame for frame in client.frames if isinstance(frame, PingFrame))
        client.send(PingFrame(0, ping.opaque_data, flags=["ACK"]))
        assert messages(client.answer(late, 3).data) == [b"late"]
        assert messages(client.answer(stream, 3).data) == [b"slept"]
        client.receive_until_closed(2)
        assert client.goaways[-1].last_stream_id == late
    assert server.wait(3) == 0


def test_call_behind_the_last_goaway_never_begins(fresh_echo_ends):
    """G-100: GOAWAY says that it was not looked at, so that a client may send it anew elsewhere."""
    server = fresh_echo_ends

    def started(asker):
        return json.loads(messages(asker.ask(b"", method="Stats").data)[0])["started"]

    with RawClient(server.port, answers_pings=False) as client, RawClient(server.port, answers_pings=False) as asker:
        # A call keeps the other connection open, so that the server can be asked during its drain.
        asker.headers(asker.fields("Bidi"))
        client.ask()
        open_call = client.call(b"1000", method="Sleep")
        client.receive(0.2)
        before = started(asker)
        server.signal()
        client.receive_until(lambda: any(isinstance(f, PingFrame) for f in client.frames), 2)
        ping = next(frame for frame in client.frames if isinstance(frame, PingFrame))
        # In one write, so that the calls are read before the GOAWAY has left.
        block = client.encoder.encode(client.fields("Sleep"))
        late = [client.new_stream() for _ in range(5)]
        client.send(
            PingFrame(0, ping.opaque_data, flags=["ACK"]),
            *(
                frame
                for stream in late
                for frame in (
                    HeadersFrame(stream, block, flags=["END_HEADERS"]),
                    DataFrame(stream, framed(b"0"), flags=["END_STREAM"]),
                )
            ),
        )
        assert messages(client.answer(open_call, 3).data) == [b"slept"]
        assert client.goaways[-1].last_stream_id == open_call
        assert [client.answers[stream].blocks for stream in late] == [[]] * len(late)
        assert all(client.answers[stream].reset in (None, 7) for stream in late)
        assert started(asker) == before
        client.receive_until_closed(2)
    assert server.wait(3) == 0


def test_grpcio_sees_no_error_in_a_drain(fresh_echo_ends):
    """G-100, G-101: calls are made one after another until the server refuses connections; none fails half-way."""
    server = fresh_echo_ends
    outcomes = []
    stop = threading.Event()

    def calls():
        # As grpcio is by default: a call that a GOAWAY has overtaken, so that it was not served, is made again.
        with channel(server.address, **{"grpc.enable_retries": 1}) as connection:
            while not stop.is_set():
                try:
                    unary(connection, "Sleep")(b"20", timeout=within(5))
                    outcomes.append("ok")
                except grpc.RpcError as error:
                    outcomes.append(error.details())
                    return

    threads = [threading.Thread(target=calls) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    server.signal()
    assert server.wait(12) == 0
    stop.set()
    for thread in threads:
        thread.join(within(10))
    failures = [outcome for outcome in outcomes if outcome != "ok"]
    print(f"measured: calls during a drain: {len(outcomes) - len(failures)} ok, then {set(failures)}")
    assert all("connect" in failure.lower() for failure in failures), failures


def test_stream_that_ends_by_itself_is_not_cut(fresh_echo_ends):
    """G-101: an answer under way when the signal comes."""
    server = fresh_echo_ends
    with server.channel() as connection:
        call = server_stream(connection, "ServerStream")(b"20 10 50")
        assert next(call) == b"m" * 10
        server.signal()
        assert list(call) == [b"m" * 10] * 19
        assert server.wait(3) == 0


def test_open_streams_end_with_unavailable(fresh_echo_drains_in_one):
    """G-101, G-103: at the limit of the drain, with a status and not a cut."""
    server = fresh_echo_drains_in_one
    with server.channel() as connection:
        call = server_stream(connection, "ServerStream")(b"100000 10 50")
        next(call)
        start = time.monotonic()
        server.signal()
        with pytest.raises(grpc.RpcError) as error:
            for _ in call:
                pass
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
        assert server.wait(4) == 0
        print(f"measured: drain of 1 s with an open stream: {time.monotonic() - start:.2f} s")
        assert time.monotonic() - start < within(3)


@pytest.fixture
def fresh_echo_drains_in_one():
    with EchoServer("--drain-seconds", "1") as server:
        yield server


def test_streams_that_nobody_reads_do_not_hold_it(fresh_echo_drains_in_one):
    """G-103."""
    server = fresh_echo_drains_in_one
    with RawClient(server.port, receive_buffer=4096) as client:
        for _ in range(20):
            client.call(b"1000 100000", method="ServerStream")
        time.sleep(0.3)
        start = time.monotonic()
        server.signal()
        assert server.wait(5) == 0
        print(f"measured: drain of 1 s with unread streams: {time.monotonic() - start:.2f} s")
        assert time.monotonic() - start < within(3)


def test_second_signal_ends_it(fresh_echo_ends):
    """G-103."""
    server = fresh_echo_ends
    with RawClient(server.port) as client:
        client.call(b"3600000", method="Sleep")
        client.receive(0.2)
        server.signal()
        time.sleep(0.3)
        assert server.is_alive()
        start = time.monotonic()
        server.signal()
        server.wait(2)
        print(f"measured: second SIGTERM to exit: {1000 * (time.monotonic() - start):.0f} ms")
        assert time.monotonic() - start < within(1)


def test_new_connections_are_refused_in_a_drain(fresh_echo_ends):
    """G-102."""
    server = fresh_echo_ends
    with RawClient(server.port) as client:
        stream = client.call(b"1000", method="Sleep")
        client.receive(0.2)
        server.signal()
        client.receive_until(lambda: client.goaways, 2)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port), timeout=within(2))
        assert messages(client.answer(stream, 3).data) == [b"slept"]
    assert server.wait(3) == 0


def test_taken_port_fails_loudly(echo):
    """G-028."""
    with EchoServer(address=echo.address, wait=False) as second:
        assert second.wait(10) not in (0, None)
        eventually(lambda: second.errors, 1, "a word on standard error")
        print("measured: taken port:", "".join(second.errors).strip())
        assert len(second.errors) == 1 and str(echo.port) in second.errors[0]
        assert second.lines.get(timeout=within(1)) is None


def test_same_port_again_at_once(fresh_echo_ends):
    """G-112: with connections of the first still in TIME_WAIT."""
    server = fresh_echo_ends
    with server.channel() as connection:
        unary(connection, "Unary")(b"x")
        server.signal()
        assert server.wait(5) == 0
    with EchoServer(address=server.address) as second:
        assert second.port == server.port
        with second.channel() as connection:
            assert unary(connection, "Unary")(b"again", timeout=within(5)) == b"again"
