"""Hostile clients: each costs itself its connection, while others are answered within 2 s and memory stays bounded."""

import itertools
import json
import struct
import threading
import time

import grpc
import hpack
import pytest
from hyperframe.frame import DataFrame, HeadersFrame, RstStreamFrame, SettingsFrame, WindowUpdateFrame

from attack import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    ENHANCE_YOUR_CALM,
    HEADERS,
    PADDED,
    PING,
    PRIORITY,
    RESET,
    SETTINGS,
    WINDOW_UPDATE,
    again,
    attacked,
    endless,
    flood,
    frame,
)
from echo_server import EchoServer, eventually, server_stream, unary
from raw_http2 import PREFACE, RawClient, framed, messages
from sanitizers import within

pytestmark = pytest.mark.timeout(within(60))


def requests(client, count, method="Unary", message=b"x", tail=lambda stream: b"", end=True):
    """`count` whole requests, each followed by `tail`, as one piece."""
    piece = []
    for _ in range(count):
        stream = client.next_stream
        client.next_stream += 2
        piece.append(HeadersFrame(stream, client.encoder.encode(client.fields(method)), flags=["END_HEADERS"]).serialize())
        if message is not None:
            piece.append(frame(DATA, framed(message), END_STREAM if end else 0, stream))
        piece.append(tail(stream))
    return b"".join(piece)


def overflow(stream):
    return frame(WINDOW_UPDATE, b"\x7f\xff\xff\xff", stream=stream)


def reset(stream):
    return frame(RESET, struct.pack(">I", 8), stream=stream)


# Floods of resets


@pytest.mark.parametrize("connections", [1, 8])
def test_rapid_reset_ends_its_connection(fresh_echo, connections):
    """G-140: calls that are opened and reset for as long as the server takes them."""

    def attack():
        with RawClient(fresh_echo.port) as client:
            return flood(client, [requests(client, 6_000, "Sleep", b"3600000", reset)], seconds=10)

    with attacked(fresh_echo, f"rapid reset on {connections} connections"):
        outcomes = again(attack, clients=connections)
    assert all(outcome.is_closed for outcome in outcomes)
    print(f"measured: rapid reset: {len(outcomes)} connections were ended")
    eventually(lambda: fresh_echo.stats()["active"] == 0, 2, "all handlers have ended")


def test_call_that_is_reset_in_the_same_read_never_begins(fresh_echo):
    """G-140: neither a handler of one message nor one of a stream of them."""
    with RawClient(fresh_echo.port) as client:
        client.ask()
        before = fresh_echo.stats()["started"]
        client.send_bytes(requests(client, 400, "Sleep", b"3600000", reset))
        client.send_bytes(requests(client, 400, "Bidi", b"x", reset, end=False))
        assert client.ask(b"next").status == 0
        started = fresh_echo.stats()["started"] - before
        print(f"measured: handlers started for 800 calls that were reset at once: {started}")
        # The kernel may cut the bytes anywhere, also between a call and its end.
        assert started <= 8


def test_handlers_that_do_not_end_count_though_their_calls_are_cancelled():
    """G-087, G-140: the stream's slot is free at once, the handler's only when it has ended."""
    with EchoServer("--streams-per-connection", "50") as server, RawClient(server.port) as client:
        client.ask()
        for _ in range(4):
            streams = [client.call(b"1500", method="Deaf") for _ in range(25)]
            client.ask()
            for stream in streams:
                client.send(RstStreamFrame(stream, 8))
        eventually(lambda: server.stats()["active"] == 100, 1, "all handlers run")
        # Room for streams, none for handlers.
        refused = client.ask(b"one more")
        assert refused.status == 14 and 500 <= int(refused.trailers["grpc-retry-pushback-ms"]) <= 1_500
        eventually(lambda: server.stats()["active"] == 0, 3, "the handlers have ended")
        assert client.ask(b"again").status == 0


def test_streams_that_we_reset_end_the_connection_too(fresh_echo):
    """G-150 (MadeYouReset): windows that the client overflows on purpose."""

    def attack():
        with RawClient(fresh_echo.port) as client:
            return flood(client, [requests(client, 3_000, "Sleep", b"3600000", overflow)], seconds=10)

    with attacked(fresh_echo, "MadeYouReset"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.goaways[-1] == (ENHANCE_YOUR_CALM, "too_many_faults")
    eventually(lambda: fresh_echo.stats()["active"] == 0, 2, "all handlers have ended")


def test_few_faults_cost_their_streams_only(echo):
    """G-150."""
    with RawClient(echo.port) as client:
        for _ in range(50):
            stream = client.call(b"3600000", method="Sleep")
            client.send(WindowUpdateFrame(stream, (1 << 31) - 1))
            assert client.answer(stream).reset == 3
        assert client.ask(b"next").status == 0


@pytest.mark.parametrize("reads", [True, False])
def test_resets_that_the_client_provokes_do_not_pile_up(fresh_echo, reads):
    """G-145: streams above the limit, each of which is refused; read or not."""

    def attack():
        with RawClient(fresh_echo.port, receive_buffer=4096) as client:
            client.ask()
            return flood(client, [requests(client, 8_000, "Bidi", None)], seconds=4, reads=reads)

    with attacked(fresh_echo, f"streams above the limit, {'read' if reads else 'unread'}"):
        outcomes = again(attack)
    if reads:
        for outcome in outcomes:
            assert outcome.is_closed and outcome.goaways[-1] == (ENHANCE_YOUR_CALM, "too_many_frames")
    eventually(lambda: fresh_echo.stats()["active"] == 0, 2, "all handlers have ended")


# Floods of frames


def settings_frame():
    return frame(SETTINGS, struct.pack(">HI", 4, 65_535))


FLOODS = {
    "PING (G-143)": (frame(PING, b"flooding"), "too_many_pings"),
    "PRIORITY (G-144)": (b"".join(frame(PRIORITY, struct.pack(">IB", 2 * n + 3, 5), stream=2 * n + 1) for n in range(200)), "too_many_frames"),
    "SETTINGS (G-146)": (settings_frame(), "too_many_frames"),
    "WINDOW_UPDATE (G-154)": (frame(WINDOW_UPDATE, struct.pack(">I", 1)), "too_many_frames"),
    "unknown frames (G-155)": (frame(0x42, b"?"), "too_many_frames"),
    "unknown frames with nothing in them (G-155)": (frame(0xF7), "too_many_frames"),
}


@pytest.mark.parametrize("reads", [True, False], ids=["read", "unread"])
@pytest.mark.parametrize("kind", FLOODS, ids=lambda kind: kind.replace(" ", "_"))
def test_flood_of_frames_ends_its_connection(fresh_echo, kind, reads):
    """G-143, G-144, G-146, G-154, G-155, G-156."""
    octets, reason = FLOODS[kind]
    piece = octets * (1 + 60_000 // len(octets))

    def attack():
        with RawClient(fresh_echo.port, receive_buffer=None if reads else 4096) as client:
            outcome = flood(client, endless(piece), seconds=5, reads=reads)
            if not outcome.is_closed:
                outcome.is_closed = flood(client, [], seconds=3).is_closed
            return outcome

    with attacked(fresh_echo, f"flood of {kind}, {'read' if reads else 'unread'}"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed
        if reads:
            assert outcome.goaways[-1] == (ENHANCE_YOUR_CALM, reason)
    print(f"measured: {kind}: {len(outcomes)} connections were ended, after {outcomes[0].sent} octets sent by the first")


def test_pings_on_a_closed_window_end_the_connection(fresh_echo):
    """G-143, G-108: answers that cannot leave do not excuse PINGs."""
    with RawClient(fresh_echo.port, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 0}) as client:
        client.call(b"x" * 100)
        time.sleep(0.1)
        outcome = flood(client, [frame(PING, b"flooding") * 5_000], seconds=5)
        assert outcome.is_closed and (ENHANCE_YOUR_CALM, "too_many_pings") in outcome.goaways


@pytest.mark.parametrize("padding", [False, True], ids=["empty", "padding_only"])
def test_flood_of_empty_data_ends_its_connection(fresh_echo, padding):
    """G-149."""

    def attack():
        with RawClient(fresh_echo.port) as client:
            stream = client.headers(client.fields("ClientStream"))
            octets = frame(DATA, b"\x03\0\0\0", PADDED, stream) if padding else frame(DATA, stream=stream)
            return flood(client, endless(octets * 2_000), seconds=5)

    with attacked(fresh_echo, "flood of empty DATA"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.goaways[-1] == (ENHANCE_YOUR_CALM, "too_many_empty_frames")


def test_some_empty_data_costs_nothing(echo):
    """G-149: a hundred on each stream."""
    with RawClient(echo.port) as client:
        for _ in range(20):
            stream = client.headers(client.fields("ClientStream"))
            client.send(*[DataFrame(stream, b"")] * 100)
            client.data(stream, framed(b"x"))
            assert messages(client.answer(stream).data) == [b"1 1"]


@pytest.mark.parametrize("size", [0, 1, 16_384])
def test_flood_of_continuation_ends_its_connection(fresh_echo, size):
    """G-141: a header block without an end."""

    def attack():
        with RawClient(fresh_echo.port) as client:
            begin = frame(HEADERS, client.encoder.encode(client.fields()), 0, client.new_stream())
            piece = frame(CONTINUATION, b"\x82" * size, 0, 1)
            return flood(client, [begin, *[piece * 200] * 20], seconds=5)

    with attacked(fresh_echo, f"flood of CONTINUATION of {size} octets"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.seconds < 3 and outcome.goaways[-1][0] == ENHANCE_YOUR_CALM


def test_settings_of_33_entries_end_the_connection(echo):
    """G-146."""
    with RawClient(echo.port) as client:
        client.send_bytes(frame(SETTINGS, struct.pack(">HI", 0x99, 1) * 33))
        client.receive_until_closed(5)
        assert client.goaways[-1].error_code == ENHANCE_YOUR_CALM


def test_header_names_of_nothing_cost_the_stream_then_the_connection(fresh_echo):
    """G-147, G-150."""
    block = b"\x83\x86\x84" + b"\x40\0\0" * 100
    piece = b"".join(frame(HEADERS, block, END_HEADERS | END_STREAM, 2 * n + 1) for n in range(2_000))

    def attack():
        with RawClient(fresh_echo.port) as client:
            return flood(client, [piece], seconds=5)

    with attacked(fresh_echo, "empty header names"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.goaways[-1] == (ENHANCE_YOUR_CALM, "too_many_faults")


@pytest.mark.parametrize("continued", [False, True])
def test_header_bomb_keeps_nothing(fresh_echo, continued):
    """G-153: a field of 4,000 octets put into the table once and named thousands of times."""

    def attack():
        with RawClient(fresh_echo.port) as client:
            client.ask()
            encoder = hpack.Encoder()
            first = frame(HEADERS, encoder.encode([("x", "y" * 4_000)]), END_HEADERS | END_STREAM, client.new_stream())
            bomb = frame(HEADERS, b"\xbe" * 16_000, 0 if continued else END_HEADERS, client.new_stream())
            if continued:
                bomb += frame(CONTINUATION, b"\xbe" * 16_000, 0, client.next_stream - 2) * 6
                bomb += frame(CONTINUATION, b"\xbe" * 16_000, END_HEADERS, client.next_stream - 2)
            return flood(client, [first + bomb], seconds=5)

    with attacked(fresh_echo, "HPACK bomb"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.goaways[-1][0] == ENHANCE_YOUR_CALM


# Flow control


def test_windows_of_one_octet_do_not_hold_others_up(fresh_echo):
    """G-142: a hundred answers of 100 kB, each taken an octet at a time."""

    def attack():
        with RawClient(fresh_echo.port, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 1}) as client:
            opening = requests(client, 100, "ServerStream", b"100 1000")
            updates = b"".join(frame(WINDOW_UPDATE, struct.pack(">I", 1), stream=2 * n + 1) for n in range(100))

            def pieces():
                yield opening
                for _ in range(1_000):
                    time.sleep(0.001)
                    yield updates

            return flood(client, pieces(), seconds=3)

    with attacked(fresh_echo, "data dribble"):
        outcomes = again(attack)
    print(f"measured: data dribble: {outcomes[0].sent} octets sent, {len(outcomes[0].received)} received")


def test_uploads_and_small_calls_without_end_leave_room_for_others(fresh_echo):
    """G-156: two connections that upload all they can, and two with as many small calls as they can."""
    stop = threading.Event()

    def upload():
        with RawClient(fresh_echo.port) as client:
            client.ask()
            while not stop.is_set():
                stream = client.headers(client.fields("Unary"))
                client.data(stream, framed(b"u" * 60_000)[:16_384], end_stream=False)
                for start in range(16_384, 60_005, 16_384):
                    client.data(stream, framed(b"u" * 60_000)[start : start + 16_384], end_stream=start + 16_384 >= 60_005)
                client.answer(stream, 20)

    def calls():
        with RawClient(fresh_echo.port) as client:
            client.send(WindowUpdateFrame(0, 1 << 30))

            def pieces():
                while not stop.is_set():
                    yield requests(client, 500, "Unary", b"")

            flood(client, pieces(), seconds=4)

    with attacked(fresh_echo, "uploads and small calls without end", grows=48 << 10):
        threads = [threading.Thread(target=target) for target in [upload] * 2 + [calls] * 2]
        for thread in threads:
            thread.start()
        time.sleep(3)
        stop.set()
        for thread in threads:
            thread.join()


def test_one_turn_serves_a_share_of_a_connection_that_sends_a_lot():
    """G-156: another's call is answered long before all that lies ready of the first."""
    with EchoServer("--loops", "1") as server:
        with RawClient(server.port) as busy, RawClient(server.port) as hungry, RawClient(server.port) as other:
            for client in (busy, hungry, other):
                client.ask()
            hungry.send(WindowUpdateFrame(0, 1 << 30))
            piece = requests(hungry, 30_000, "Counted", b"")
            # The loop is kept from reading until everything lies there.
            waiting = busy.call(b"700", method="Busy")
            time.sleep(0.2)
            sender = threading.Thread(target=flood, args=(hungry, [piece], 3))
            sender.start()
            time.sleep(0.2)
            answer = other.ask(b"", method="Stats", timeout=10)
            served = json.loads(messages(answer.data)[0])["received"]
            assert busy.answer(waiting).status == 0
            sender.join()
            print(f"measured: calls of another connection served before one: {served}")
            assert served < 4_000


def test_frames_that_wait_are_bounded():
    """G-145: refusals behind an answer that the client does not read, before it has acknowledged anything."""
    with EchoServer("--streams-per-connection", "10") as server:
        with attacked(server, "unread refusals"), RawClient(server.port, start=False, receive_buffer=4096) as client:
            client.send_bytes(PREFACE + frame(SETTINGS, struct.pack(">HI", 4, (1 << 31) - 1)))
            client.send(WindowUpdateFrame(0, 1 << 30))
            opening = requests(client, 5, "ServerStream", b"1000 100000")
            flood(client, [opening], seconds=0.5, reads=False)
            outcome = flood(client, [requests(client, 20_000, "Bidi", None)], seconds=within(3), reads=False)
            if not outcome.is_closed:
                outcome.is_closed = flood(client, [], seconds=within(3)).is_closed
            assert outcome.is_closed


# Slow ones


def test_connections_that_say_nothing_are_closed():
    """G-004, G-151: nothing at all, half a preface, a preface without SETTINGS, SETTINGS without the acknowledgement."""
    with EchoServer("--establishment-time", "0.5") as server:
        openings = [b"", b"PRI * HTTP/2", PREFACE, PREFACE + frame(SETTINGS)]
        with attacked(server, "400 connections that say nothing"):
            start = time.monotonic()
            clients = [RawClient(server.port, start=False) for _ in range(400)]
            for client, opening in zip(clients, openings * 100):
                client.send_bytes(opening)
                # Nothing is answered: not our SETTINGS either.
                client.reply = lambda *frames: None
            for client in clients:
                client.receive_until_closed(5)
            assert time.monotonic() - start < 5


def test_silent_connections_make_room_for_others():
    """G-151, G-157: as many as there may be, none of which says who it is."""
    with EchoServer("--max-connections", "20") as server:
        silent = [RawClient(server.port, start=False) for _ in range(20)]
        time.sleep(1.2)

        def is_served():
            with RawClient(server.port) as client:
                try:
                    return client.ask(timeout=1).status == 0
                except (AssertionError, ConnectionError):
                    return False

        eventually(is_served, 2, "another client is served")
        for client in silent:
            client.socket.close()


@pytest.mark.parametrize("method", ["Unary", "Bidi"])
def test_header_block_that_comes_too_slowly_ends_the_connection(method):
    """G-152: an octet at a time, so that the connection is never silent."""
    with EchoServer("--header-block-time", "0.5") as server:
        with attacked(server, "slow headers"), RawClient(server.port) as client:
            client.ask()
            block = hpack.Encoder().encode(client.fields(method, padding="x" * 1_000))
            whole = frame(HEADERS, block, END_HEADERS, client.new_stream())
            start = time.monotonic()
            for octet in whole:
                client.reply_bytes(bytes([octet]))
                client.receive(0.01)
                if client.is_closed:
                    break
            assert client.is_closed and 0.4 < time.monotonic() - start < within(5)
            assert client.goaways[-1].error_code == ENHANCE_YOUR_CALM


def test_malformed_header_block_is_not_waited_for():
    """G-152: its connection goes on."""
    with EchoServer("--header-block-time", "0.3") as server, RawClient(server.port) as client:
        client.ask()
        stream = client.new_stream()
        client.send_bytes(frame(HEADERS, b"\x83\x86\x84\0\0\0", END_HEADERS, stream))
        assert client.answer(stream).reset == 1
        time.sleep(0.6)
        assert client.ask().status == 0


def test_request_that_stands_still_is_given_up():
    """G-152: a message that is never finished; streams of requests may be silent, and so may slow ones that go on."""
    with EchoServer("--request-idle-time", "0.6") as server, RawClient(server.port) as client:
        silent = client.headers(client.fields("Bidi"))
        halted = client.headers(client.fields("Unary"))
        client.data(halted, framed(b"hello")[:7], end_stream=False)
        slow = client.headers(client.fields("Unary"))
        for octet in framed(b"slowly"):
            client.data(slow, bytes([octet]), end_stream=False)
            client.receive(0.2)
        client.data(slow, b"")
        assert messages(client.answer(slow).data) == [b"slowly"]
        answer = client.answer(halted)
        assert answer.status == 4 and "stood still" in answer.message
        client.data(silent, framed(b"still here"))
        assert messages(client.answer(silent).data) == [b"still here"]


# Numbers of connections


def test_connections_above_the_limit_are_closed_at_once():
    """G-157: in all, and those that are there are served."""
    with EchoServer("--max-connections", "30") as server:
        clients = [RawClient(server.port) for _ in range(30)]
        for client in clients:
            assert client.ask().status == 0
        for _ in range(20):
            with RawClient(server.port) as refused:
                refused.receive_until_closed(2)
                assert not refused.frames
        clients.pop().socket.close()
        eventually(lambda: is_served(server.port), 2, "there is room again")
        assert all(client.ask().status == 0 for client in clients)
        for client in clients:
            client.socket.close()


def test_connections_of_one_address_above_its_limit_are_closed_at_once():
    """G-157: those of another address are not."""
    with EchoServer("--max-connections-per-address", "5", address=["127.0.0.1:0", "[::1]:0"]) as server:
        clients = [RawClient(server.port) for _ in range(5)]
        for client in clients:
            assert client.ask().status == 0
        with RawClient(server.port) as refused:
            refused.receive_until_closed(2)
            assert not refused.frames
        other = int(server.addresses[1].rsplit(":", 1)[1])
        with RawClient(other, host="::1") as client:
            assert client.ask().status == 0
        clients.pop().socket.close()
        eventually(lambda: is_served(server.port), 2, "there is room again")
        for client in clients:
            client.socket.close()


def is_served(port):
    with RawClient(port) as client:
        try:
            return client.ask(timeout=1).status == 0
        except (AssertionError, ConnectionError):
            return False


def test_connections_above_the_descriptors_are_refused_before_they_are_short():
    """G-157: the limit of the process, not only the server's own."""
    with EchoServer(descriptors=100) as server:
        clients = [RawClient(server.port) for _ in range(100)]
        refused = 0
        for client in clients:
            try:
                client.receive_until(lambda: client.frames, 2)
            except AssertionError:
                refused += 1
        assert 20 <= refused <= 80
        assert server.descriptors() < 90
        for client in clients:
            client.socket.close()


# After the end


def test_nothing_is_fed_after_an_error(fresh_echo):
    """G-160: an error, then as much as the server takes."""
    errors = [frame(PING, bytes(7)), frame(WINDOW_UPDATE, bytes(4)), frame(DATA, b"x", stream=99), frame(CONTINUATION)]
    kinds = itertools.cycle(errors)

    def attack():
        with RawClient(fresh_echo.port) as client:
            client.ask()
            rest = requests(client, 500) + frame(SETTINGS, bytes(6)) * 50
            return flood(client, [next(kinds) + rest, *[rest] * 20], seconds=5)

    with attacked(fresh_echo, "frames after an error"):
        outcomes = again(attack)
    for outcome in outcomes:
        assert outcome.is_closed and outcome.goaways[-1][0] not in (0, ENHANCE_YOUR_CALM)


# Honest ones


@pytest.mark.parametrize("method", ["Sleep", "ServerStream"])
def test_honest_client_that_cancels_a_lot_is_not_banned(fresh_echo, method):
    """G-140: 5,000 calls of grpcio on one connection, cancelled in bursts."""
    with fresh_echo.channel() as connection:
        first = unary(connection, "Unary")
        assert first(b"first", timeout=5) == b"first"
        made = 0
        start = time.monotonic()
        while made < 5_000:
            if method == "Sleep":
                calls = [unary(connection, method).future(b"3600000") for _ in range(500)]
            else:
                calls = [server_stream(connection, method)(b"1000 100 10") for _ in range(500)]
            made += len(calls)
            time.sleep(0.1)
            for call in calls:
                call.cancel()
            # On the same connection: it is still there.
            assert first(b"next", timeout=5) == b"next"
        print(f"measured: 5,000 calls cancelled in bursts of 500: {time.monotonic() - start:.1f} s")
        # One connection for all, and that for the numbers.
        assert fresh_echo.stats()["cancelled"] <= 5_000
    eventually(lambda: fresh_echo.stats()["active"] == 0, 3, "all handlers have ended")
