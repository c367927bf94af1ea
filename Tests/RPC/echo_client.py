"""Starts grpc-echo-client and gives it orders; and a server of grpcio's for it to call."""

import contextlib
import json
import queue
import subprocess
import threading
import time
from concurrent import futures

import grpc

from echo_server import BINARIES
from sanitizers import within


class EchoClient:
    """One channel, in a process of its own."""

    def __init__(self, target, *flags):
        command = [str(BINARIES / "grpc-echo-client"), target, *flags]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._line() == "ready", self.process.stderr.read()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def _line(self):
        return self.lines.get(timeout=within(20))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """The client leaves with its input, and has nothing to say on the way."""
        if self.process.poll() is None:
            self.process.stdin.close()
        try:
            code = self.process.wait(timeout=within(10))
        finally:
            self.process.kill()
        assert (code, self.process.stderr.read()) == (0, "")

    def begin(self, kind, method, *messages, meta=(), **options):
        """Gives an order; `finish` has what came of it. Messages are bytes, or a number of them."""
        words = [kind, f"/test.Peer/{method}", *(f"{name}={value}" for name, value in options.items())]
        for name, value in meta:
            words.append(f"meta={name}:{value.hex()}")
        for message in messages:
            words.append(f"message=x{message}" if isinstance(message, int) else f"message={message.hex()}")
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def finish(self):
        line = self._line()
        assert line is not None, self.process.stderr.read()
        return Outcome(json.loads(line))

    def call(self, kind, method, *messages, **options):
        self.begin(kind, method, *messages, **options)
        return self.finish()


class Outcome:
    def __init__(self, fields):
        self.codes = fields.get("codes")
        if self.codes is not None:
            return
        self.code = next(code for code in grpc.StatusCode if code.value[0] == fields["code"])
        self.text = bytes.fromhex(fields["text"]).decode()
        self.details = bytes.fromhex(fields["details"])
        self.messages = [each if each.startswith("x") else bytes.fromhex(each) for each in fields["messages"]]
        self.metadata = [(name, bytes.fromhex(value)) for name, value in fields["metadata"]]
        self.trailers = [(name, bytes.fromhex(value)) for name, value in fields["trailers"]]


class Peer(grpc.GenericRpcHandler):
    """Handlers of bytes, and what they saw."""

    def __init__(self):
        self.calls = []
        self.ends = queue.Queue()
        self.busy = 0
        self.most_busy = 0
        self.lock = threading.Lock()

    def service(self, details):
        name = details.method.rsplit("/", 1)[1]
        kinds = {
            "echo": grpc.unary_unary_rpc_method_handler,
            "fail": grpc.unary_unary_rpc_method_handler,
            "flaky": grpc.unary_unary_rpc_method_handler,
            "slow": grpc.unary_unary_rpc_method_handler,
            "wait": grpc.unary_unary_rpc_method_handler,
            "count": grpc.unary_stream_rpc_method_handler,
            "endless": grpc.unary_stream_rpc_method_handler,
            "sum": grpc.stream_unary_rpc_method_handler,
            "chat": grpc.stream_stream_rpc_method_handler,
        }
        kind = kinds.get(name)
        return kind(getattr(self, name)) if kind else None

    def echo(self, request, context):
        self.calls.append({field.key: field.value for field in context.invocation_metadata()})
        fields = [field for field in context.invocation_metadata() if field.key.startswith("x-")]
        context.send_initial_metadata(fields)
        context.set_trailing_metadata([("y-" + field.key[2:], field.value) for field in fields])
        return request

    def fail(self, request, context):
        context.set_trailing_metadata([("grpc-status-details-bin", b"\x01\x02"), ("x-why", "because")])
        code = next(code for code in grpc.StatusCode if code.value[0] == request[0])
        context.abort(code, "wrong: 100% ärger\n")

    def flaky(self, request, context):
        """Fails as often as the request says, with pushback in its second byte, tens of milliseconds."""
        self.calls.append((time.monotonic(), {field.key: field.value for field in context.invocation_metadata()}))
        if len(self.calls) <= request[0]:
            if len(request) > 1:
                context.set_trailing_metadata([("grpc-retry-pushback-ms", str(request[1] * 10))])
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        return request

    def slow(self, request, context):
        with self.lock:
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
        time.sleep(0.02)
        with self.lock:
            self.busy -= 1
        return request

    def wait(self, request, context):
        ended = threading.Event()
        self.calls.append(context.time_remaining())
        context.add_callback(ended.set)
        ended.wait(20)
        self.ends.put(time.monotonic())
        return request

    def count(self, request, context):
        for number in range(request[0]):
            yield bytes([number])

    def endless(self, request, context):
        context.add_callback(lambda: self.ends.put(time.monotonic()))
        while context.is_active():
            yield request
            time.sleep(0.005)

    def sum(self, requests, context):
        return str(sum(len(request) for request in requests)).encode()

    def chat(self, requests, context):
        yield from requests


@contextlib.contextmanager
def grpcio_server(address="127.0.0.1:0", credentials=None, **options):
    """Gives a `Peer`, the address where it is served, and the server."""
    peer = Peer()
    options = {"grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1, **options}
    server = grpc.server(futures.ThreadPoolExecutor(16), options=list(options.items()))
    server.add_generic_rpc_handlers((peer,))
    if credentials is None:
        port = server.add_insecure_port(address)
    else:
        port = server.add_secure_port(address, credentials)
    server.start()
    try:
        yield peer, f"127.0.0.1:{port}", server
    finally:
        server.stop(None).wait(5)
