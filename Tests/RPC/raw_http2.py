"""An HTTP/2 client that does what it is told, on hyperframe (frames) and hpack (headers): for what no gRPC client sends."""

import socket
import struct
import time

import hpack
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    GoAwayFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)
from sanitizers import within

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATH = "/grpc.echo.v1.Echo/"


def framed(message, flag=0):
    """A gRPC message with its prefix."""
    return struct.pack(">BI", flag, len(message)) + message


def messages(data):
    """The gRPC messages in the data of an answer."""
    found = []
    while data:
        flag, length = struct.unpack(">BI", data[:5])
        assert flag == 0 and len(data) >= 5 + length
        found.append(data[5 : 5 + length])
        data = data[5 + length :]
    return found


class Answer:
    """What has come on one stream."""

    def __init__(self):
        self.blocks = []
        self.data = b""
        self.ended = False
        self.reset = None
        self.kinds = []

    @property
    def headers(self):
        return dict(self.blocks[0])

    @property
    def trailers(self):
        return dict(self.blocks[-1])

    @property
    def status(self):
        return int(self.trailers["grpc-status"])

    @property
    def message(self):
        return self.trailers.get("grpc-message", "")

    @property
    def is_over(self):
        return self.ended or self.reset is not None

    @property
    def is_trailers_only(self):
        return len(self.blocks) == 1 and self.ended and not self.data


class RawClient:
    def __init__(
        self,
        port,
        settings=None,
        start=True,
        receive_buffer=None,
        gives_credit=True,
        answers_pings=True,
        tls=None,
        host="127.0.0.1",
    ):
        """`tls`: an `ssl.SSLContext`, for a listener that speaks TLS."""
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.buffer = b""
        self.answers = {}
        self.frames = []
        self.goaways = []
        self.is_closed = False
        self.next_stream = 1
        self.gives_credit = gives_credit
        self.answers_pings = answers_pings
        self.block = None
        if start:
            self.send_bytes(PREFACE + SettingsFrame(0, settings=settings or {}).serialize())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # Sending

    def send_bytes(self, data):
        self.socket.sendall(data)

    def send(self, *frames):
        self.send_bytes(b"".join(frame.serialize() for frame in frames))

    def fields(self, method="Unary", **changes):
        """The fields of a request, changed: `None` takes one away, `_` stands for `-`, `http_method` for `:method`."""
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":path": PATH + method,
            ":authority": "localhost",
            "te": "trailers",
            "content-type": "application/grpc",
        }
        for name, value in changes.items():
            name = name.replace("_", "-")
            if name in ("scheme", "path", "authority", "http-method"):
                name = ":" + name.removeprefix("http-")
            if value is None:
                fields.pop(name, None)
            else:
                fields[name] = value
        return list(fields.items())

    def new_stream(self):
        stream = self.next_stream
        self.next_stream += 2
        self.answers[stream] = Answer()
        return stream

    def headers(self, fields, end_stream=False):
        """Opens a stream."""
        stream = self.new_stream()
        frame = HeadersFrame(stream, self.encoder.encode(fields), flags=["END_HEADERS"])
        if end_stream:
            frame.flags.add("END_STREAM")
        self.send(frame)
        return stream

    def data(self, stream, data, end_stream=True, padding=None):
        frame = DataFrame(stream, data)
        if padding is not None:
            frame.flags.add("PADDED")
            frame.pad_length = padding
        if end_stream:
            frame.flags.add("END_STREAM")
        self.send(frame)

    def call(self, message=b"hello", method="Unary", **changes):
        """A whole unary request; returns its stream."""
        stream = self.headers(self.fields(method, **changes))
        self.data(stream, framed(message))
        return stream

    def ask(self, message=b"hello", method="Unary", timeout=10, **changes):
        """A whole unary call; returns its answer."""
        return self.answer(self.call(message, method, **changes), timeout)

    # Receiving

    def answer(self, stream, timeout=10):
        answer = self.answers[stream]
        self.receive_until(lambda: answer.is_over, timeout)
        return answer

    def receive_until(self, condition, timeout=10):
        """Reads until `condition()` holds; fails where the connection closes or the time is over before that."""
        end = time.monotonic() + within(timeout)
        while not condition():
            assert not self.is_closed, f"connection closed: {self.goaways}"
            assert time.monotonic() < end, "time is over"
            self.receive(end - time.monotonic())

    def receive_until_closed(self, timeout=10):
        end = time.monotonic() + within(timeout)
        while not self.is_closed:
            assert time.monotonic() < end, "the connection is still open"
            self.receive(max(0.001, end - time.monotonic()))

    def receive(self, timeout):
        """Reads once and takes what frames that completes."""
        self.socket.settimeout(max(0.001, timeout))
        try:
            data = self.socket.recv(1 << 20)
        except TimeoutError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self.is_closed = True
        self.buffer += data
        while len(self.buffer) >= 9:
            frame, length = Frame.parse_frame_header(memoryview(self.buffer[:9]))
            if len(self.buffer) < 9 + length:
                break
            frame.parse_body(memoryview(self.buffer[9 : 9 + length]))
            self.buffer = self.buffer[9 + length :]
            self.take(frame)

    def reply(self, *frames):
        """Sends what a client sends by itself; the server may have gone."""
        self.reply_bytes(b"".join(frame.serialize() for frame in frames))

    def reply_bytes(self, data):
        try:
            self.send_bytes(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def take(self, frame):
        self.frames.append(frame)
        answer = self.answers.get(frame.stream_id)
        if isinstance(frame, SettingsFrame):
            if "ACK" not in frame.flags:
                self.reply(SettingsFrame(0, flags=["ACK"]))
        elif isinstance(frame, PingFrame):
            if "ACK" not in frame.flags and self.answers_pings:
                self.reply(PingFrame(0, frame.opaque_data, flags=["ACK"]))
        elif isinstance(frame, GoAwayFrame):
            self.goaways.append(frame)
        elif isinstance(frame, (HeadersFrame, ContinuationFrame)):
            if isinstance(frame, HeadersFrame):
                self.block = (frame.stream_id, b"", "END_STREAM" in frame.flags)
            stream, block, ends = self.block
            block += frame.data
            self.block = (stream, block, ends)
            if "END_HEADERS" in frame.flags:
                answer = self.answers[stream]
                answer.blocks.append(self.decoder.decode(block))
                answer.kinds.append("headers")
                answer.ended = answer.ended or ends
        elif isinstance(frame, DataFrame):
            answer.data += frame.data
            answer.kinds.append("data")
            answer.ended = answer.ended or "END_STREAM" in frame.flags
            if self.gives_credit and frame.flow_controlled_length:
                updates = [WindowUpdateFrame(0, frame.flow_controlled_length)]
                if not answer.ended:
                    updates.append(WindowUpdateFrame(frame.stream_id, frame.flow_controlled_length))
                self.reply(*updates)
        elif isinstance(frame, RstStreamFrame):
            if answer is not None:
                answer.reset = frame.error_code
