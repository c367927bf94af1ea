"""Clients that break HTTP/2: it costs their stream or their connection, and nobody else."""

import struct

import pytest
from hyperframe.frame import SettingsFrame

from raw_http2 import RawClient, framed


def frame(kind, payload=b"", flags=0, stream=0, length=None):
    length = len(payload) if length is None else length
    return struct.pack(">I", length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED = 1, 4, 8


@pytest.fixture
def neighbour(echo):
    """Another connection, which is served before and after."""
    with RawClient(echo.port) as other:
        assert other.ask(b"before").data == framed(b"before")
        yield
        assert other.ask(b"after").data == framed(b"after")


@pytest.mark.parametrize(
    "octets",
    {
        "frame above the limit (G-006)": frame(DATA, bytes(16_385), stream=1),
        "PING of seven octets (G-006)": frame(PING, bytes(7)),
        "WINDOW_UPDATE of three octets (G-006)": frame(WINDOW_UPDATE, bytes(3)),
        "even stream (G-007)": frame(HEADERS, b"\x83", END_HEADERS, stream=2),
        "HEADERS on stream 0 (G-007)": frame(HEADERS, b"\x83", END_HEADERS),
        "DATA on an idle stream (G-007)": frame(DATA, b"x", stream=9),
        "RST_STREAM on an idle stream (G-007)": frame(RESET, bytes(4), stream=9),
        "WINDOW_UPDATE on an idle stream (G-007)": frame(WINDOW_UPDATE, b"\0\0\0\1", stream=9),
        "SETTINGS on a stream (G-009)": frame(SETTINGS, stream=1),
        "SETTINGS of five octets (G-009)": frame(SETTINGS, bytes(5)),
        "ENABLE_PUSH of 2 (G-009)": frame(SETTINGS, struct.pack(">HI", 2, 2)),
        "INITIAL_WINDOW_SIZE of 2^31 (G-009)": frame(SETTINGS, struct.pack(">HI", 4, 1 << 31)),
        "MAX_FRAME_SIZE of 1 (G-009)": frame(SETTINGS, struct.pack(">HI", 5, 1)),
        "WINDOW_UPDATE of 0 (G-010)": frame(WINDOW_UPDATE, bytes(4)),
        "window above 2^31-1 (G-010)": frame(WINDOW_UPDATE, b"\x7f\xff\xff\xff"),
        "bad HPACK index (G-011)": frame(HEADERS, b"\xff\xff\xff\x7f", END_HEADERS, stream=1),
        "HPACK table above the setting (G-011)": frame(HEADERS, b"\x3f\xff\xff\x7f", END_HEADERS, stream=1),
        "HPACK integer without end (G-011)": frame(HEADERS, b"\xff" * 40, END_HEADERS, stream=1),
        "EOS in Huffman (G-011)": frame(HEADERS, b"\x00\x84\xff\xff\xff\xff\x01x", END_HEADERS, stream=1),
        "padding longer than the frame (G-013)": frame(DATA, b"\xffabc", PADDED, stream=1),
        "PING within a header block (G-014)": frame(HEADERS, b"\x83", stream=1) + frame(PING, bytes(8)),
        "CONTINUATION of nothing (G-014)": frame(CONTINUATION, b"\x83", END_HEADERS, stream=1),
        "PUSH_PROMISE (G-015)": frame(PUSH, b"\0\0\0\2\x83", END_HEADERS, stream=1),
    }.items(),
    ids=lambda case: case[0],
)
@pytest.mark.usefixtures("neighbour")
def test_broken_frame_ends_the_connection(echo, octets):
    with RawClient(echo.port) as client:
        # A stream of its own where the frame belongs to one.
        if octets[1][5:9] == b"\0\0\0\1" and octets[1][3] != HEADERS:
            client.headers(client.fields("ClientStream"))
        client.send_bytes(octets[1])
        client.receive_until_closed(5)
        assert client.goaways and client.goaways[-1].error_code != 0


FIELDS = [
    (b":method", b"POST"),
    (b":scheme", b"http"),
    (b":path", b"/grpc.echo.v1.Echo/Unary"),
    (b":authority", b"x"),
    (b"content-type", b"application/grpc"),
    (b"te", b"trailers"),
]


def plain_block(fields):
    """A header block without compression and without a judgement on what is in it."""
    return b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields)


@pytest.mark.parametrize(
    "fields",
    {
        "upper case": FIELDS + [(b"X-Up", b"1")],
        "empty name": FIELDS + [(b"", b"1")],
        "space in a name": FIELDS + [(b"a b", b"1")],
        "NUL in a value": FIELDS + [(b"x", b"a\0b")],
        "line feed in a value": FIELDS + [(b"x", b"a\nb")],
        "connection": FIELDS + [(b"connection", b"close")],
        "transfer-encoding": FIELDS + [(b"transfer-encoding", b"chunked")],
        "te: gzip": FIELDS[:5] + [(b"te", b"gzip")],
        "unknown pseudo-header": [(b":new", b"1")] + FIELDS,
        "repeated pseudo-header": FIELDS[:3] + FIELDS[2:],
        "late pseudo-header": FIELDS[1:] + FIELDS[:1],
        "response's pseudo-header": [(b":status", b"200")] + FIELDS,
        "no :method": FIELDS[1:],
        "no :scheme": FIELDS[:1] + FIELDS[2:],
        "no :path": FIELDS[:2] + FIELDS[3:],
        "content-length that is wrong": FIELDS + [(b"content-length", b"7")],
    }.items(),
    ids=lambda case: case[0],
)
@pytest.mark.usefixtures("neighbour")
def test_malformed_request_costs_its_stream(echo, fields):
    """G-016, G-023."""
    with RawClient(echo.port) as client:
        stream = client.new_stream()
        client.send_bytes(frame(HEADERS, plain_block(fields[1]), END_HEADERS, stream=stream))
        client.data(stream, framed(b"hello"))
        answer = client.answer(stream, 5)
        assert answer.reset == 1 and not answer.blocks
        assert client.ask(b"next").data == framed(b"next")


@pytest.mark.usefixtures("neighbour")
def test_right_content_length_is_taken(echo):
    """G-023."""
    with RawClient(echo.port) as client:
        assert client.ask(b"hello", content_length="10").status == 0


@pytest.mark.usefixtures("neighbour")
def test_more_data_than_the_window(echo):
    """G-092: 10 MiB to a handler that reads 20 kB/s."""
    with RawClient(echo.port) as client:
        stream = client.headers(client.fields("SlowReader"))
        try:
            for _ in range(1_000):
                client.data(stream, framed(b"x" * 9_995), end_stream=False)
        except (BrokenPipeError, ConnectionResetError):
            pass
        client.receive_until(lambda: client.is_closed or client.answers[stream].reset is not None, 5)
        assert client.is_closed and client.goaways[-1].error_code == 3 or client.answers[stream].reset == 3


@pytest.mark.usefixtures("neighbour")
def test_our_table_size_of_nought_is_obeyed(echo):
    """G-012: a decoder that holds nothing understands every answer."""
    with RawClient(echo.port, settings={SettingsFrame.HEADER_TABLE_SIZE: 0}) as client:
        client.decoder.max_allowed_table_size = 0
        client.decoder.header_table_size = 0
        for _ in range(5):
            assert client.ask(b"0 0 - x", method="Fail").status == 0
            assert client.ask(b"5 0 - why", method="Fail").message == "why"
