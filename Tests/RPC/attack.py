"""Floods, and what is watched meanwhile: another client's answers and the server's memory."""

import contextlib
import select
import struct
import threading
import time

from raw_http2 import RawClient, messages
from sanitizers import within

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
ENHANCE_YOUR_CALM = 11


def frame(kind, payload=b"", flags=0, stream=0):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Outcome:
    """What became of a flood."""

    def __init__(self):
        self.sent = 0
        self.is_closed = False
        self.seconds = 0.0
        self.received = bytearray()

    @property
    def goaways(self):
        """Error code and debug data of each GOAWAY received."""
        found, place, data = [], 0, self.received
        while place + 9 <= len(data):
            length = int.from_bytes(data[place : place + 3], "big")
            if data[place + 3] == GOAWAY:
                payload = bytes(data[place + 9 : place + 9 + length])
                found.append((int.from_bytes(payload[4:8], "big"), payload[8:].decode()))
            place += 9 + length
        return found


def flood(client, pieces, seconds=2.0, reads=True):
    """Sends `pieces`, bytes one after another, until they are over, the server closes, or the time is over."""
    outcome, end, start = Outcome(), time.monotonic() + seconds, time.monotonic()
    client.socket.setblocking(False)
    pieces = iter(pieces)
    piece = memoryview(next(pieces, b""))
    while time.monotonic() < end and not outcome.is_closed:
        wants_to_write = [client.socket] if len(piece) > 0 else []
        readable, writable, _ = select.select([client.socket] if reads else [], wants_to_write, [], 0.05)
        if readable:
            read(client, outcome)
        if writable and not outcome.is_closed:
            try:
                count = client.socket.send(piece[: 256 << 10])
            except BlockingIOError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                while not outcome.is_closed:
                    read(client, outcome)
                break
            outcome.sent += count
            piece = piece[count:] if count < len(piece) else memoryview(next(pieces, b""))
        if not len(piece) and not reads:
            time.sleep(0.01)
    outcome.seconds = time.monotonic() - start
    return outcome


def read(client, outcome):
    try:
        data = client.socket.recv(1 << 20)
    except BlockingIOError:
        return
    except (BrokenPipeError, ConnectionResetError):
        data = b""
    outcome.received += data
    outcome.is_closed = not data


def endless(piece):
    while True:
        yield piece


def again(attack, seconds=0.8, clients=2):
    """Runs `attack` over and over, on several threads, for so long and twice at least; returns what it returned."""
    results, failures, end = [], [], time.monotonic() + seconds

    def run():
        try:
            while not failures and (time.monotonic() < end or not results):
                results.append(attack())
        except BaseException as error:  # raised by the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


class Watch:
    def __init__(self, server):
        self.server = server
        self.latencies = []
        self.before = self.peak = server.resident_kib()
        self.failure = None
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self._call), threading.Thread(target=self._measure)]

    def _call(self):
        """A client that calls and a client that comes anew each time, by turns."""
        try:
            with RawClient(self.server.port) as steady:
                while not self.stop.is_set():
                    self._timed(steady)
                    with RawClient(self.server.port) as new:
                        self._timed(new)
                    time.sleep(0.02)
        except BaseException as error:  # told by the test's own thread
            self.failure = error

    def _timed(self, client):
        start = time.monotonic()
        assert messages(client.ask(b"other", timeout=10).data) == [b"other"]
        self.latencies.append(time.monotonic() - start)

    def _measure(self):
        while not self.stop.wait(0.02):
            self.peak = max(self.peak, self.server.resident_kib())


@contextlib.contextmanager
def attacked(server, what, grows=16 << 10):
    """Others are answered within 2 s, and the server's memory grows by no more than `grows` KiB."""
    with RawClient(server.port) as client:
        for _ in range(200):
            client.ask(b"x" * 1_000)
    watch = Watch(server)
    for thread in watch.threads:
        thread.start()
    try:
        yield watch
    finally:
        watch.stop.set()
        for thread in watch.threads:
            thread.join()
    if watch.failure is not None:
        raise watch.failure
    worst, grown = max(watch.latencies), watch.peak - watch.before
    print(f"measured: {what}: others answered within {1000 * worst:.0f} ms ({len(watch.latencies)} calls), resident +{grown} KiB")
    assert len(watch.latencies) >= 4 and worst < within(2)
    # A sanitizer multiplies memory, as it does time.
    assert grown < within(grows)
    assert server.is_alive()
