"""Keepalive, ping strikes, age and idleness of connections; what is left of the drain."""

import struct
import threading
import time

import grpc
import pytest
from hyperframe.frame import PingFrame, RstStreamFrame

from attack import ENHANCE_YOUR_CALM
from echo_server import EchoServer, eventually, server_stream, unary
from forgetful_proxy import ForgetfulProxy
from raw_http2 import RawClient, framed, messages

LAST = (1 << 31) - 1


def pings(client):
    return [frame for frame in client.frames if isinstance(frame, PingFrame) and "ACK" not in frame.flags]


def goaways(client):
    return [(frame.last_stream_id, frame.error_code, frame.additional_data) for frame in client.goaways]


def run(client, seconds):
    """Reads what comes, and answers what has to be answered, for so long or until the end."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not client.is_closed:
        client.receive(end - time.monotonic())


# Keepalive


def test_silent_client_with_a_call_is_asked_and_stays():
    """G-107: a PING after each time of silence, answered each time."""
    with EchoServer("--keepalive-time", "0.3", "--keepalive-timeout", "0.5") as server, RawClient(server.port) as client:
        stream = client.headers(client.fields("Bidi"))
        run(client, 2)
        assert 4 <= len(pings(client)) <= 7 and not client.goaways
        client.data(stream, framed(b"still here"))
        assert messages(client.answer(stream).data) == [b"still here"]


def test_client_that_does_not_answer_is_closed():
    """G-107, G-109: and its handlers are cancelled."""
    with EchoServer("--keepalive-time", "0.3", "--keepalive-timeout", "0.4") as server:
        with RawClient(server.port, answers_pings=False) as client:
            client.headers(client.fields("Bidi"))
            start = time.monotonic()
            client.receive_until_closed(3)
            assert len(pings(client)) == 1 and 0.6 < time.monotonic() - start < 1.5
            eventually(lambda: server.stats()["active"] == 0, 1, "the handler has ended")


def test_client_that_says_anything_is_not_asked():
    """G-107: what it sends is sign enough."""
    with EchoServer("--keepalive-time", "0.5") as server, RawClient(server.port) as client:
        stream = client.headers(client.fields("Bidi"))
        for _ in range(8):
            client.data(stream, framed(b"x"), end_stream=False)
            run(client, 0.2)
        assert not pings(client)


def test_connection_without_calls_is_asked_more_rarely():
    """G-107: after thirty times as long."""
    with EchoServer("--keepalive-time", "0.05") as server, RawClient(server.port) as client:
        client.ask()
        run(client, 1.2)
        assert not pings(client)
        run(client, 1.2)
        assert len(pings(client)) == 1


def test_sockets_have_the_keepalive_of_tcp(echo):
    """G-159: for what is no connection of HTTP/2 yet, or stands with a full window."""
    with RawClient(echo.port) as client:
        client.ask()
        port = client.socket.getsockname()[1]
        with open("/proc/net/tcp") as table:
            lines = [line.split() for line in table][1:]
        # The server's end: its timer is that of keepalive, two hours at first.
        timers = [f[5] for f in lines if f[1].endswith(f":{echo.port:04X}") and f[2].endswith(f":{port:04X}")]
        assert len(timers) == 1 and timers[0].startswith("02:")


# Ping strikes


def test_pings_too_early_are_struck():
    """G-108: without a call, the fourth of four in a row."""
    with EchoServer() as server, RawClient(server.port) as client:
        client.ask()
        for number in range(4):
            assert not client.goaways
            client.send(PingFrame(0, struct.pack(">Q", number)))
            run(client, 0.1)
        client.receive_until_closed(2)
        assert [goaway[1:] for goaway in goaways(client)] == [(ENHANCE_YOUR_CALM, b"too_many_pings")]


@pytest.mark.parametrize("flag", ["--min-ping-interval", "--min-ping-interval-in-calls"])
def test_pings_at_the_distance_allowed_are_not_struck(flag):
    """G-108: without a call, and with one."""
    with EchoServer(flag, "0.15") as server, RawClient(server.port) as client:
        client.ask()
        if flag.endswith("calls"):
            client.headers(client.fields("Bidi"))
        for number in range(10):
            client.send(PingFrame(0, struct.pack(">Q", number)))
            run(client, 0.2)
        assert not client.goaways and client.ask().status == 0


def test_pings_between_answers_are_not_struck(echo):
    """G-108, G-095: each DATA and HEADERS that leaves resets the count; a client measures the way as it downloads."""
    with RawClient(echo.port) as client:
        stream = client.call(b"300 100 10", method="ServerStream")
        sent = 0
        while not client.answers[stream].ended:
            seen = len(client.answers[stream].data)
            client.receive(1)
            if len(client.answers[stream].data) > seen:
                client.send(PingFrame(0, b"measured"))
                sent += 1
        assert client.answers[stream].status == 0 and not client.goaways
        assert sent > 50


def test_grpcio_that_pings_as_it_may_is_not_banned():
    """G-108: a call that is silent for a long time, with keepalive; the times of the default, scaled by 20."""
    with EchoServer("--min-ping-interval-in-calls", "0.45") as server:
        options = {
            "grpc.keepalive_time_ms": 500,
            "grpc.keepalive_timeout_ms": 2_000,
            "grpc.http2.max_pings_without_data": 0,
        }
        with server.channel(**options) as connection:
            call = server_stream(connection, "ServerStream")(b"2 10 5000")
            assert [len(message) for message in call] == [10, 10]


@pytest.mark.heavy
@pytest.mark.timeout(120)
def test_grpcio_with_keepalive_of_ten_seconds_is_not_banned(fresh_echo):
    """G-108: with a call open for a minute in which nothing comes."""
    options = {
        "grpc.keepalive_time_ms": 10_000,
        "grpc.keepalive_timeout_ms": 5_000,
        "grpc.http2.max_pings_without_data": 0,
    }
    with fresh_echo.channel(**options) as connection:
        call = server_stream(connection, "ServerStream")(b"2 10 65000")
        assert [len(message) for message in call] == [10, 10]


# Age and idleness


def test_old_connection_is_drained_and_its_calls_are_finished():
    """G-105: two GOAWAYs, a call within the grace, one that comes between the two, then the end."""
    with EchoServer("--max-connection-age", "1", "--max-connection-age-grace", "5") as server:
        with RawClient(server.port, answers_pings=False) as client:
            start = time.monotonic()
            running = client.call(b"2000", method="Sleep")
            client.receive_until(lambda: pings(client), 3)
            assert 0.8 < time.monotonic() - start < 1.4
            late = client.call(b"late")
            client.send(PingFrame(0, pings(client)[0].opaque_data, flags=["ACK"]))
            assert messages(client.answer(late).data) == [b"late"]
            assert messages(client.answer(running).data) == [b"slept"]
            client.receive_until_closed(2)
            assert goaways(client) == [(LAST, 0, b""), (late, 0, b"max_age")]


def test_streams_end_with_a_status_after_the_grace():
    """G-105, G-101: UNAVAILABLE, not a cut."""
    with EchoServer("--max-connection-age", "0.5", "--max-connection-age-grace", "0.5") as server:
        with RawClient(server.port) as client:
            stream = client.headers(client.fields("Bidi"))
            answer = client.answer(stream, 4)
            assert answer.status == 14 and answer.reset in (None, 0)
            client.receive_until_closed(2)
            eventually(lambda: server.stats()["active"] == 0, 1, "the handler has ended")


def test_ages_are_spread():
    """G-105: by a tenth in either direction."""
    with EchoServer("--max-connection-age", "2") as server:
        start = time.monotonic()
        clients = [RawClient(server.port) for _ in range(20)]
        ages = []

        def wait(client):
            client.receive_until(lambda: client.goaways, 4)
            ages.append(time.monotonic() - start)
            client.socket.close()

        threads = [threading.Thread(target=wait, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"measured: ages of 20 connections that may be 2 s old: {min(ages):.2f} to {max(ages):.2f} s")
        assert len(ages) == 20 and min(ages) > 1.75 and max(ages) < 2.5 and max(ages) - min(ages) > 0.1


def test_grpcio_sees_no_error_as_its_connections_grow_old():
    """G-105, G-100: calls one after another on connections that live for a third of a second (grpc-go#2767)."""
    with EchoServer("--max-connection-age", "0.3", "--max-connection-age-grace", "5") as server:
        # As clients are: calls that it has not sent when a GOAWAY comes fail in grpcio itself without them ("Stream
        # removed"), whatever time the server leaves between the two.
        with server.channel(**{"grpc.enable_retries": 1}) as connection:
            call = unary(connection, "Sleep")
            end = time.monotonic() + 4
            made = 0
            while time.monotonic() < end:
                futures = [call.future(b"20", timeout=5) for _ in range(10)]
                made += len([future.result() for future in futures])
            print(f"measured: {made} calls over connections that live for 0.3 s, none failed")


def test_idle_connection_is_drained():
    """G-106, G-159: after its last call; not while it has one."""
    with EchoServer("--max-connection-idle", "0.5") as server, RawClient(server.port) as client:
        stream = client.headers(client.fields("Bidi"))
        run(client, 1.5)
        assert not client.goaways
        client.data(stream, framed(b"x"))
        last = client.ask()
        assert client.answer(stream).status == 0 and last.status == 0
        start = time.monotonic()
        client.receive_until_closed(3)
        assert 0.4 < time.monotonic() - start < 2
        assert goaways(client) == [(LAST, 0, b""), (client.next_stream - 2, 0, b"max_idle")]


def test_connection_that_never_calls_is_idle():
    """G-106: PINGs are no calls."""
    with EchoServer("--max-connection-idle", "0.5", "--min-ping-interval", "0") as server, RawClient(server.port) as client:
        start = time.monotonic()
        while not client.is_closed and time.monotonic() - start < 3:
            client.reply(PingFrame(0, b"are you?"))
            client.receive(0.1)
        assert client.is_closed and time.monotonic() - start < 2


# Drain


def test_drained_client_that_breaks_the_protocol_holds_nobody(fresh_ends):
    """G-103: GOAWAY twice, then an error, in the middle of the drain."""
    server = fresh_ends
    with RawClient(server.port) as client:
        client.call(b"3600000", method="Sleep")
        client.receive(0.2)
        server.signal()
        client.receive_until(lambda: len(client.goaways) == 2, 3)
        client.send_bytes(b"\0\0\7\6\0\0\0\0\0" + bytes(7))
        start = time.monotonic()
        assert server.wait(5) == 0
        assert time.monotonic() - start < 2


@pytest.fixture
def fresh_ends():
    with EchoServer() as server:
        yield server


def test_subscriptions_are_ended_with_a_status_over_the_drain():
    """G-101, G-103: a hundred silent streams, one after another, each UNAVAILABLE, with two GOAWAYs before."""
    with EchoServer("--drain-seconds", "2") as server, RawClient(server.port) as client:
        streams = [client.call(b"s%d" % index, method="Subscribe") for index in range(100)]
        client.receive_until(lambda: all(client.answers[stream].blocks for stream in streams), 5)
        server.signal()
        ends = []
        for stream in streams:
            assert client.answer(stream, 5).status == 14
            ends.append(time.monotonic())
        client.receive_until_closed(2)
        assert server.wait(3) == 0
        assert len(client.goaways) == 2 and all(frame.error_code == 0 for frame in client.goaways)
        assert ends[-1] - ends[0] > 0.5


# A slot of a stream


def test_cancelled_call_gives_its_slot_back_at_once():
    """G-087: as many calls as there may be, cancelled and made anew, again and again."""
    with EchoServer("--streams-per-connection", "100") as server, RawClient(server.port) as client:
        client.ask()
        for _ in range(5):
            streams = [client.call(b"3600000", method="Sleep") for _ in range(100)]
            client.send(*[RstStreamFrame(stream, 8) for stream in streams])
        assert client.ask(b"next").status == 0
        assert all(answer.reset is None for answer in client.answers.values())


# Through a translator of addresses


@pytest.mark.parametrize("keeps_alive", [True, False])
def test_silent_stream_lives_on_behind_a_translator_that_forgets(keeps_alive):
    """G-107: by the server's PINGs; without them, the same stream is lost (a second stands for five minutes)."""
    arguments = ["--keepalive-time", "0.4" if keeps_alive else "1000"]
    with EchoServer(*arguments) as server, ForgetfulProxy(server.port, 1) as proxy:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        with grpc.insecure_channel(f"127.0.0.1:{proxy.port}", options=options) as connection:
            call = server_stream(connection, "Subscribe")(b"device")
            got = []

            def listen():
                try:
                    for message in call:
                        got.append(message)
                except grpc.RpcError:
                    pass

            threading.Thread(target=listen, daemon=True).start()
            publish(server, b"first")
            eventually(lambda: got == [b"device:first"], 3, "the first message")
            time.sleep(4)
            publish(server, b"after a long time")
            time.sleep(0.5)
            assert got[1:] == ([b"device:after a long time"] if keeps_alive else [])
            call.cancel()


def publish(server, message):
    with RawClient(server.port) as client:
        assert client.ask(message, method="Publish").status == 0
