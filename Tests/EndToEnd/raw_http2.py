"""HTTP/2 by hand, for clients that behave as no library lets them: thousands of streams, windows kept shut, answers
left unread, frames that are wrong. Only HPACK comes from a library; nothing is checked."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import hpack
from sanitizers import within

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE = 1, 4, 6
LARGEST_WINDOW = 2**31 - 1
DEFAULT_WINDOW = 65535


@dataclass(frozen=True)
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes

    @property
    def ends_stream(self) -> bool:
        return self.kind in (DATA, HEADERS) and bool(self.flags & END_STREAM)


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def message(payload: bytes) -> bytes:
    """A gRPC message: not compressed, with its length."""
    return struct.pack(">BI", 0, len(payload)) + payload


def split_messages(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole messages at the start of `data`, and the rest."""
    found, at = [], 0
    while len(data) - at >= 5:
        length = struct.unpack_from(">I", data, at + 1)[0]
        if len(data) - at - 5 < length:
            break
        found.append(data[at + 5 : at + 5 + length])
        at += 5 + length
    return found, data[at:]


@dataclass
class Answer:
    """What came on one stream."""

    headers: list[dict[str, str]] = field(default_factory=list)  # header blocks in order; the last are the trailers
    data: bytes = b""
    reset: int | None = None
    ended: bool = False

    def header(self, name: str) -> str | None:
        return next((block[name] for block in self.headers if name in block), None)

    @property
    def grpc_status(self) -> int | None:
        status = self.header("grpc-status")
        return None if status is None else int(status)


class RawConnection:
    """A connection that has sent its preface. Reads only when asked to."""

    def __init__(
        self,
        address: str,
        *,
        window: int = LARGEST_WINDOW,
        receive_buffer: int | None = None,
        header_list: int | None = None,
    ):
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(within(20))
        self.socket.connect((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.authority = address
        self.next_stream = 1
        self.received = bytearray()
        self.encoder = hpack.Encoder()
        self.encoder.header_table_size = 0  # so that header blocks can be made once and sent on many streams
        self.decoder = hpack.Decoder(max_header_list_size=1 << 20)
        settings = struct.pack(">HIHI", 2, 0, INITIAL_WINDOW_SIZE, window)
        if header_list is not None:
            settings += struct.pack(">HI", MAX_HEADER_LIST_SIZE, header_list)
        start = PREFACE + frame(SETTINGS, 0, 0, settings)
        if window > DEFAULT_WINDOW:
            start += frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", LARGEST_WINDOW - DEFAULT_WINDOW))
        self.socket.sendall(start)

    def header_block(self, path: str, key: str | None, changes: dict[str, str | None] | None = None) -> bytes:
        fields: dict[str, str | None] = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": self.authority,
            "te": "trailers",
            "content-type": "application/grpc",
            "authorization": f"Bearer {key}" if key is not None else None,
            **(changes or {}),
        }
        return self.encoder.encode([(name, value) for name, value in fields.items() if value is not None])

    def call_bytes(self, stream: int, block: bytes, payload: bytes) -> bytes:
        """A whole request: headers, and one message that ends it."""
        return frame(HEADERS, END_HEADERS, stream, block) + frame(DATA, END_STREAM, stream, message(payload))

    def new_stream(self) -> int:
        stream = self.next_stream
        self.next_stream += 2
        return stream

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def call(self, path: str, key: str | None, payload: bytes) -> int:
        """Sends a whole request and returns its stream."""
        stream = self.new_stream()
        self.send(self.call_bytes(stream, self.header_block(path, key), payload))
        return stream

    def take_frames(self) -> Iterator[Frame]:
        """The whole frames among what was received."""
        buffer, at = self.received, 0
        while len(buffer) - at >= 9:
            length = int.from_bytes(buffer[at : at + 3], "big")
            if len(buffer) - at - 9 < length:
                break
            kind, flags, stream = struct.unpack_from(">BBI", buffer, at + 3)
            payload = bytes(buffer[at + 9 : at + 9 + length])
            at += 9 + length
            yield Frame(kind, flags, stream & 0x7FFFFFFF, payload)
        del buffer[:at]

    def read(self, limit: float = 0) -> list[Frame] | None:
        """What has come, waiting at most `limit` seconds for it; acknowledges SETTINGS and PING. None at the end."""
        self.socket.settimeout(max(limit, 0.000001))
        try:
            data = self.socket.recv(1 << 18)
        except (TimeoutError, BlockingIOError):
            return []
        except ConnectionError:
            return None
        finally:
            self.socket.settimeout(within(20))
        if not data:
            return None
        self.received += data
        frames = list(self.take_frames())
        for each in frames:
            if each.kind in (SETTINGS, PING) and not each.flags & ACK:
                self.send(frame(each.kind, ACK, 0, each.payload if each.kind == PING else b""))
        return frames

    def answers(self, streams: list[int], limit: float, *, credit: bool = False) -> dict[int, Answer]:
        """What comes on `streams` until all have ended, the connection has, or `limit` seconds (`within`) have passed."""
        answers = {stream: Answer() for stream in streams}
        left = set(streams)
        deadline = time.monotonic() + within(limit)
        while left and time.monotonic() < deadline:
            frames = self.read(min(0.2, limit))
            if frames is None:
                break
            for each in frames:
                self._note(each, answers, left)
                if credit and each.kind == DATA and each.payload:
                    self.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(each.payload))))
        return answers

    def _note(self, each: Frame, answers: dict[int, Answer], left: set[int]) -> None:
        block = None
        if each.kind == HEADERS:  # decoded also for streams that are not asked for: HPACK keeps state
            block = dict(self.decoder.decode(each.payload))
        answer = answers.get(each.stream)
        if answer is None:
            return
        if block is not None:
            answer.headers.append(block)
        elif each.kind == DATA:
            answer.data += each.payload
        elif each.kind == RST_STREAM:
            answer.reset = struct.unpack(">I", each.payload)[0]
        if each.ends_stream or each.kind == RST_STREAM:
            answer.ended = True
            left.discard(each.stream)

    def abort(self) -> None:
        """Vanishes: RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
