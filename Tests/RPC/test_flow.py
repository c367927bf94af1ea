"""Flow control, memory and connections that come and go."""

import resource
import socket
import threading
import time

import pytest
from hyperframe.frame import DataFrame, GoAwayFrame, HeadersFrame, RstStreamFrame, SettingsFrame, WindowUpdateFrame
from sanitizers import within

from echo_server import BINARIES, EchoServer, eventually, server_stream, unary
from raw_http2 import RawClient, framed, messages

WINDOW = SettingsFrame.INITIAL_WINDOW_SIZE


def test_send_windows_are_obeyed_to_the_byte(echo):
    """G-088: 1,000 bytes of data, no trailers before the rest."""
    with RawClient(echo.port, settings={WINDOW: 1000}, gives_credit=False) as client:
        stream = client.call(b"x" * 5000)
        answer = client.answers[stream]
        client.receive_until(lambda: len(answer.data) >= 1000)
        client.receive(0.3)
        assert len(answer.data) == 1000 and len(answer.blocks) == 1
        client.send(WindowUpdateFrame(stream, 4004))
        client.receive_until(lambda: len(answer.data) >= 5004)
        client.receive(0.3)
        assert len(answer.data) == 5004 and not answer.is_over
        client.send(WindowUpdateFrame(stream, 1))
        assert messages(client.answer(stream).data) == [b"x" * 5000]


def test_window_changed_by_settings_in_mid_stream(echo):
    """G-022, G-094: made negative, then opened again."""
    with RawClient(echo.port, settings={WINDOW: 1000}, gives_credit=False) as client:
        stream = client.call(b"x" * 5000)
        answer = client.answers[stream]
        client.receive_until(lambda: len(answer.data) >= 1000)
        client.send(SettingsFrame(0, settings={WINDOW: 100}))
        client.send(WindowUpdateFrame(stream, 900))
        client.receive(0.3)
        assert len(answer.data) == 1000
        client.send(WindowUpdateFrame(stream, 10))
        client.receive_until(lambda: len(answer.data) >= 1010)
        client.send(SettingsFrame(0, settings={WINDOW: 100_000}))
        assert messages(client.answer(stream).data) == [b"x" * 5000]


def test_stream_without_credit_delays_no_other(echo):
    """G-090."""
    with RawClient(echo.port, settings={WINDOW: 0}, gives_credit=False) as client:
        blocked = client.call(b"x" * 5000)
        other = client.call(b"small")
        client.send(WindowUpdateFrame(other, 1000))
        assert messages(client.answer(other).data) == [b"small"]
        assert not client.answers[blocked].data
        client.send(WindowUpdateFrame(blocked, 10_000))
        assert messages(client.answer(blocked).data) == [b"x" * 5000]


def test_slow_handler_closes_its_own_window_only(echo):
    """G-090, G-092: what is sent to a handler that does not read is bounded, other calls go on."""
    with RawClient(echo.port) as client:
        slow = client.headers(client.fields("SlowReader"))
        credit = 65_535
        sent = 0
        piece = framed(b"x" * 1_000)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            while credit >= len(piece):
                client.data(slow, piece, end_stream=False)
                credit -= len(piece)
                sent += len(piece)
            client.receive(0.05)
            for frame in client.frames:
                if isinstance(frame, WindowUpdateFrame) and frame.stream_id == slow:
                    credit += frame.window_increment
            client.frames = []
        print(f"measured: taken from a sender by a handler that reads 20 kB/s, in 3 s: {sent} bytes")
        assert sent < 65_535 + 65_536 + 3 * 20 * 1_100 + 32_768
        assert client.ask(b"other").data == framed(b"other")
        client.send(RstStreamFrame(slow, 8))
        assert client.ask(b"after").data == framed(b"after")


def test_reset_streams_cost_no_credit(echo):
    """G-089: 8 MiB in streams that are reset half-way, then a call."""
    with RawClient(echo.port) as client:
        credit = 65_535
        for _ in range(150):
            stream = client.headers(client.fields("SlowReader"))
            for _ in range(4):
                while credit < 14_000:
                    client.receive(5)
                    credit += sum(
                        f.window_increment for f in client.frames if isinstance(f, WindowUpdateFrame) and f.stream_id == 0
                    )
                    client.frames = []
                client.data(stream, framed(b"x" * 100_000)[:14_000], end_stream=False)
                credit -= 14_000
            client.send(RstStreamFrame(stream, 8))
        assert client.ask(b"after").data == framed(b"after")


def limit_kib(kib):
    """Debug builds take more."""
    return kib if "release" in str(BINARIES) else kib * 3 // 2


def settle(server):
    """Makes the server do some of everything, so that what it keeps for good is there before the measurement."""
    with server.channel() as connection:
        for _ in range(20):
            unary(connection, "Unary")(b"x" * 10_000)
        for _ in range(20):
            list(server_stream(connection, "ServerStream")(b"20 10000"))
    time.sleep(0.2)


def fill(client, request, count, seconds):
    """Sends up to `count` requests without reading an answer; returns how many went out before the server stopped
    reading."""
    sent = 0
    client.socket.settimeout(seconds)
    try:
        while sent < count:
            block = b""
            for _ in range(100):
                stream = client.next_stream
                client.next_stream += 2
                headers = HeadersFrame(stream, client.encoder.encode(client.fields()), flags=["END_HEADERS"])
                block += headers.serialize() + DataFrame(stream, framed(request), flags=["END_STREAM"]).serialize()
            client.send_bytes(block)
            sent += 100
    except TimeoutError:
        pass
    return sent


@pytest.mark.memory
@pytest.mark.parametrize("window", [65_535, (1 << 31) - 1], ids=["window closes", "socket fills"])
def test_client_that_never_reads_costs_little(fresh_echo, window):
    """G-091: 30,000 small calls on one connection, the answers unread, while others are served."""
    settle(fresh_echo)
    with RawClient(fresh_echo.port, receive_buffer=4096, settings={WINDOW: 1 << 20}) as client:
        if window > 65_535:
            client.send(WindowUpdateFrame(0, window - 65_535))
        before = fresh_echo.resident_kib()
        peak = before
        done = threading.Event()

        def watch():
            nonlocal peak
            while not done.wait(0.02):
                peak = max(peak, fresh_echo.resident_kib())

        watcher = threading.Thread(target=watch)
        watcher.start()
        sent = fill(client, b"x" * 100, 30_000, 2)
        with fresh_echo.channel() as connection:
            start = time.monotonic()
            assert unary(connection, "Unary")(b"other", timeout=within(5)) == b"other"
            other = time.monotonic() - start
        done.set()
        watcher.join()
        print(
            f"measured: client that never reads: {sent} calls sent, "
            f"resident +{peak - before} KiB, another client's call {1000 * other:.0f} ms"
        )
        assert peak - before < limit_kib(1024)


@pytest.mark.memory
def test_stream_that_nobody_reads_costs_little(fresh_echo):
    """G-091, G-148: 40 streams of 25 MiB each asked for, nothing read."""
    settle(fresh_echo)
    with RawClient(fresh_echo.port, receive_buffer=4096, settings={WINDOW: (1 << 31) - 1}) as client:
        client.send(WindowUpdateFrame(0, (1 << 31) - 1 - 65_535))
        before = fresh_echo.resident_kib()
        for _ in range(40):
            client.call(b"250 100000", method="ServerStream")
        time.sleep(2)
        grown = fresh_echo.resident_kib() - before
        print(f"measured: 40 x 25 MiB asked for and not read: resident +{grown} KiB")
        # The connection's bound and what is above it by the last messages, at most.
        assert grown < 2 * limit_kib(1024)
        assert fresh_echo.stats()["active"] > 0
    eventually(lambda: fresh_echo.stats()["active"] == 0, 2, "the handlers end")


@pytest.mark.memory
def test_closed_window_costs_little(fresh_echo):
    """G-091: 30,000 answers asked for on streams without credit are 1,000 at most, and those wait."""
    settle(fresh_echo)
    with RawClient(fresh_echo.port, settings={WINDOW: 0}) as client:
        before = fresh_echo.resident_kib()
        for _ in range(900):
            client.call(b"x" * 100)
        time.sleep(0.5)
        grown = fresh_echo.resident_kib() - before
        print(f"measured: 900 unary answers that wait for credit: resident +{grown} KiB")
        assert grown < limit_kib(1024)


@pytest.mark.parametrize("how", ["FIN", "RST", "half-close"])
def test_client_that_vanishes_frees_everything(fresh_echo, how):
    """G-086, G-109: within a second."""
    # What each loop of the server opens once, by first need.
    first = [RawClient(fresh_echo.port) for _ in range(4)]
    for client in first:
        client.ask(b"10", method="Sleep")
    for client in first:
        client.socket.close()
    eventually(lambda: fresh_echo.stats()["active"] == 0, 1, "the first calls end")
    descriptors = fresh_echo.descriptors()
    clients = []
    for _ in range(20):
        client = RawClient(fresh_echo.port)
        for _ in range(20):
            client.call(b"3600000", method="Sleep")
            client.headers(client.fields("Bidi"))
        clients.append(client)
    eventually(lambda: fresh_echo.stats()["active"] == 800, 5, "all handlers run")
    start = time.monotonic()
    for client in clients:
        if how == "RST":
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.socket.shutdown(socket.SHUT_WR) if how == "half-close" else client.socket.close()
    eventually(lambda: fresh_echo.stats()["active"] == 0, 1, "all handlers end")
    print(f"measured: 20 clients with 800 calls gone ({how}): handlers ended in {1000 * (time.monotonic() - start):.0f} ms")
    assert fresh_echo.stats()["cancelled"] == 800
    eventually(lambda: fresh_echo.descriptors() <= descriptors, 1, "descriptors are closed")


@pytest.mark.memory
@pytest.mark.timeout(120)
def test_connections_that_come_and_go_leak_nothing(fresh_echo):
    """G-111: 10,000 connects with a call on each."""

    def connects(count):
        for _ in range(count):
            with RawClient(fresh_echo.port) as client:
                client.ask()

    connects(1_000)
    time.sleep(0.3)
    memory, descriptors = fresh_echo.resident_kib(), fresh_echo.descriptors()
    start = time.monotonic()
    connects(9_000)
    seconds = time.monotonic() - start
    time.sleep(0.3)
    grown = fresh_echo.resident_kib() - memory
    print(f"measured: 9,000 connects after the first 1,000: resident {grown:+} KiB, {9_000 / seconds:.0f} a second")
    eventually(lambda: fresh_echo.descriptors() <= descriptors, 1, "descriptors are closed")
    assert grown < 512


@pytest.mark.memory
def test_silent_connections_cost_little(fresh_echo):
    """G-110: 500 connections that have made one call."""
    settle(fresh_echo)
    before = fresh_echo.resident_kib()
    clients = [RawClient(fresh_echo.port) for _ in range(500)]
    for client in clients:
        client.ask()
    grown = fresh_echo.resident_kib() - before
    for client in clients:
        client.socket.close()
    print(f"measured: an idle connection costs {grown / 500:.1f} KiB resident")
    assert grown / 500 < 24


@pytest.mark.memory
def test_idle_streams_cost_little(fresh_echo):
    """G-110: calls with an async handler that waits for requests."""
    settle(fresh_echo)
    clients = [RawClient(fresh_echo.port) for _ in range(5)]
    for client in clients:
        client.ask()
    before = fresh_echo.resident_kib()
    for client in clients:
        for _ in range(400):
            client.headers(client.fields("Bidi"))
    eventually(lambda: fresh_echo.stats()["active"] == 2000, 5, "all handlers run")
    grown = fresh_echo.resident_kib() - before
    for client in clients:
        client.socket.close()
    print(f"measured: an idle stream with an async handler costs {grown / 2000:.2f} KiB resident")
    assert grown / 2000 < 8


def test_call_goes_on_after_the_clients_goaway(echo):
    """G-020."""
    with RawClient(echo.port) as client:
        stream = client.call(b"300", method="Sleep")
        client.send(GoAwayFrame(0, last_stream_id=0))
        assert messages(client.answer(stream).data) == [b"slept"]
        client.receive_until_closed(2)


@pytest.mark.parametrize("code", [0, 5, 7, 8, 11])
def test_reset_of_any_code_stops_the_call(echo, code):
    """G-021, G-087."""
    before = echo.stats()
    with RawClient(echo.port) as client:
        stream = client.call(b"20000", method="Sleep")
        eventually(lambda: echo.stats()["started"] > before["started"], 2, "the handler runs")
        client.send(RstStreamFrame(stream, code))
        eventually(lambda: echo.stats()["cancelled"] > before["cancelled"], 1, "the handler is cancelled")
        assert client.ask(b"next").status == 0


def test_more_streams_than_announced(echo):
    """G-017: after the settings are known, what is above the limit costs no call below it."""
    with RawClient(echo.port) as client:
        client.ask()
        limit = next(f for f in client.frames if isinstance(f, SettingsFrame)).settings[SettingsFrame.MAX_CONCURRENT_STREAMS]
        streams = [client.call(b"500", method="Sleep") for _ in range(limit)]
        for stream in streams:
            assert messages(client.answer(stream, 20).data) == [b"slept"]
        assert client.ask().status == 0


def test_server_short_of_descriptors_does_not_spin(echo):
    """G-029: more connections than descriptors; those that fit are served, and others once there is room again."""
    with EchoServer() as server:
        # Beneath its feet: a server that knows its limit takes fewer.
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (60, 60))
        clients = [RawClient(server.port) for _ in range(80)]
        assert clients[0].ask().status == 0
        before = server.cpu_seconds()
        time.sleep(1)
        spent = server.cpu_seconds() - before
        print(f"measured: processor time in a second without descriptors: {spent:.2f} s")
        assert spent < within(0.2)
        assert clients[1].ask().status == 0
        for client in clients:
            client.socket.close()
        time.sleep(0.2)
        with RawClient(server.port) as client:
            assert client.ask().status == 0
