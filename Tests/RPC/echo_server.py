"""Starts grpc-echo-server and looks at its process from outside."""

import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import threading
import time

import grpc
from sanitizers import assert_no_report, environment, within

from raw_http2 import RawClient, messages

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("ENERGYKIT_BIN_DIR", ROOT / ".build" / "debug"))
SERVICE = "/grpc.echo.v1.Echo/"


class EchoServer:
    """`address`: one, or a list of them; `address` and `port` of the server are then those of the first."""

    def __init__(self, *arguments, address="127.0.0.1:0", wait=True, descriptors=None, program="grpc-echo-server"):
        asked = [address] if isinstance(address, str) else address
        listens = [word for one in asked for word in ("--listen", one)]
        command = [str(BINARIES / program), *listens, *arguments]
        if descriptors is not None:
            command = ["prlimit", f"--nofile={descriptors}", *command]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
        )
        self.expects_errors = not wait
        self.was_killed = False
        self.signal_count = 0
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()
        self.errors = []
        self.reader = threading.Thread(target=self._read_errors, args=(self.process.stderr,), daemon=True)
        self.reader.start()
        if wait:
            self.addresses = [self._listening() for _ in asked]
            self.address = self.addresses[0]
            self.port = None if self.address.startswith("unix:") else int(self.address.rsplit(":", 1)[1])

    def _listening(self):
        line = self.lines.get(timeout=within(20))
        assert line is not None and line.startswith("listening on "), (line, self.errors)
        return line.removeprefix("listening on ").strip()

    def _read(self, stream):
        for line in stream:
            self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self, stream):
        for line in stream:
            self.errors.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code = self.stop()
        self.reader.join(within(5))
        assert_no_report("".join(self.errors))
        if not self.expects_errors:
            assert self.errors == []
            # A second signal may find it where it has let go of its handlers already.
            is_hurried = self.signal_count > 1 and code == -signal.SIGTERM
            assert code == 0 or self.was_killed or is_hurried, code

    def signal(self, number=signal.SIGTERM):
        self.was_killed |= number == signal.SIGKILL
        self.signal_count += number in (signal.SIGTERM, signal.SIGINT)
        self.process.send_signal(number)

    def wait(self, seconds):
        """The exit code; fails where the process is still there after `seconds` (`within`)."""
        return self.process.wait(timeout=within(seconds))

    def stop(self):
        """Ends it where it still runs, as an operator in a hurry would, and kills it where it does not obey."""
        for attempt in range(2):
            if self.process.poll() is None:
                if self.signal_count <= attempt:
                    self.signal()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(within(1))
        try:
            return self.process.wait(within(5))
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def is_alive(self):
        return self.process.poll() is None

    # From outside

    def resident_kib(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS:")).split()[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # By gRPC

    def channel(self, **options):
        return channel(self.address, **options)

    def stats(self):
        """What the echo server counts; asked on a connection of its own, which is gone afterwards."""
        with RawClient(self.port) as client:
            return json.loads(messages(client.ask(b"", method="Stats").data)[0])


def channel(address, credentials=None, **options):
    """A connection of its own, not one shared with another channel to the same address."""
    options = {
        "grpc.use_local_subchannel_pool": 1,
        "grpc.max_receive_message_length": -1,
        "grpc.max_send_message_length": -1,
        "grpc.enable_retries": 0,
        **options,
    }
    if credentials is not None:
        return grpc.secure_channel(address, credentials, options=list(options.items()))
    return grpc.insecure_channel(address, options=list(options.items()))


# Identity serialisers: messages are bytes.


def unary(connection, method):
    return connection.unary_unary(SERVICE + method)


def server_stream(connection, method):
    return connection.unary_stream(SERVICE + method)


def client_stream(connection, method):
    return connection.stream_unary(SERVICE + method)


def bidirectional(connection, method):
    return connection.stream_stream(SERVICE + method)


def eventually(condition, seconds, what):
    """Waits until `condition()` holds; returns how long that took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < within(seconds), f"not within {seconds} s: {what}"
        time.sleep(0.01)
    return time.monotonic() - start
