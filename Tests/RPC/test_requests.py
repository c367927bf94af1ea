"""Requests as no gRPC client makes them, on the wire."""

import socket

import pytest
from hyperframe.frame import ContinuationFrame, DataFrame, HeadersFrame, PriorityFrame, SettingsFrame
from sanitizers import within

from raw_http2 import PREFACE, RawClient, framed, messages

UNIMPLEMENTED, INTERNAL, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED = 12, 13, 4, 8


@pytest.fixture
def client(echo):
    with RawClient(echo.port) as client:
        yield client
        assert client.ask(b"still here").data == framed(b"still here")


def test_shape_of_an_answer(client):
    """G-065, G-066, G-068."""
    answer = client.ask(b"hello")
    assert answer.blocks == [
        [(":status", "200"), ("content-type", "application/grpc")],
        [("grpc-status", "0")],
    ]
    assert messages(answer.data) == [b"hello"]
    assert answer.kinds[0] == "headers" and answer.kinds[-1] == "headers"


def test_shape_of_an_error(client):
    """G-068: trailers only, in one frame."""
    answer = client.ask(b"5 0 - a%", method="Fail")
    assert answer.is_trailers_only
    assert answer.blocks == [
        [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "5"), ("grpc-message", "a%25")]
    ]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"te": None}, "200"),
        ({"authority": None, "host": "elsewhere"}, "200"),
        ({"scheme": "https"}, "200"),
        ({"content_type": "application/grpc+proto"}, "200"),
        ({"content_type": "application/grpc;charset=utf-8"}, "200"),
        ({"grpc_encoding": "identity"}, "200"),
        ({"grpc_accept_encoding": " gzip;q=1 , nonsense,"}, "200"),
        ({"grpc_unknown": "x", "user_agent": "me/1 (ü)"}, "200"),
        ({"xtext": "\x80\xff"}, "200"),
        ({"xb_bin": "no base64 !"}, "200"),
        ({"http_method": "GET"}, "405"),
        ({"http_method": "PUT"}, "405"),
        ({"content_type": None}, "415"),
        ({"content_type": "application/json"}, "415"),
        ({"content_type": "application/grpc+json"}, "415"),
        ({"content_type": "application/grpc-web"}, "415"),
    ],
    ids=str,
)
def test_http_status_of_a_request(client, changes, status):
    """G-030, G-032, G-033, G-034, G-035, G-040, G-041, G-042, G-043, G-045."""
    stream = client.headers(client.fields("Metadata", **changes))
    client.data(stream, framed(b""))
    answer = client.answer(stream)
    assert answer.headers[":status"] == status
    if status == "200":
        assert answer.status == 0
        assert answer.headers["content-type"] == dict(client.fields(**changes))["content-type"].split(";")[0]
    else:
        assert answer.ended and len(answer.blocks) == 1


@pytest.mark.parametrize("path", ["/", "//", "/a/b/c", "/grpc.echo.v1.Echo", "/grpc.echo.v1.Echo/", "/grpc.echo.v1.Echo/Unary/"])
def test_path_without_a_method(client, path):
    """G-031, G-047, G-068."""
    stream = client.headers(client.fields(path=path))
    answer = client.answer(stream)
    assert answer.is_trailers_only and answer.status == UNIMPLEMENTED
    assert answer.headers[":status"] == "200"


@pytest.mark.parametrize("timeout", ["", "1s", "-1S", "1.5S", "123456789S", "S", "1"])
def test_malformed_timeout_is_refused(client, timeout):
    """G-037."""
    answer = client.ask(grpc_timeout=timeout)
    assert answer.status == INTERNAL and "grpc-timeout" in answer.message


@pytest.mark.parametrize("timeout", ["99999999H", "99999999M", "1H", "30S", "20000m", "20000000u", "99999999n"])
def test_wellformed_timeout_is_taken(client, timeout):
    """G-036."""
    assert client.ask(grpc_timeout=timeout).status == 0


@pytest.mark.parametrize("timeout", ["0S", "0n"])
def test_timeout_of_nothing_is_over(client, timeout):
    """G-036."""
    answer = client.ask(b"1000", method="Sleep", grpc_timeout=timeout)
    assert answer.reset is not None or answer.status == DEADLINE_EXCEEDED


@pytest.mark.parametrize("method", ["Sleep", "Stubborn"])
def test_server_keeps_the_deadline_itself(client, method):
    """G-038: also where the handler answers its own cancellation."""
    answer = client.ask(b"20000", method=method, grpc_timeout="200m", timeout=2)
    assert answer.status == DEADLINE_EXCEEDED
    assert answer.is_trailers_only


def test_unknown_encoding(client):
    """G-039."""
    answer = client.ask(grpc_encoding="zstd", grpc_accept_encoding="gzip")
    assert answer.is_trailers_only and answer.status == UNIMPLEMENTED
    assert answer.trailers["grpc-accept-encoding"] == "identity,gzip,deflate"
    assert "identity,gzip,deflate" in answer.message


@pytest.mark.parametrize("flag", [1, 2, 0x80, 0xFF])
def test_flag_other_than_nought(client, flag):
    """G-052, G-053."""
    stream = client.headers(client.fields())
    client.data(stream, framed(b"hello", flag))
    assert client.answer(stream).status == INTERNAL


@pytest.mark.parametrize("cut", [1, 4, 5, 7])
@pytest.mark.parametrize("method", ["Unary", "ClientStream"])
def test_request_that_ends_within_a_message(client, method, cut):
    """G-051."""
    stream = client.headers(client.fields(method))
    client.data(stream, framed(b"hello")[:cut])
    assert client.answer(stream).status == INTERNAL


def test_length_is_judged_before_the_body(client):
    """G-056: five bytes are enough."""
    stream = client.headers(client.fields())
    client.data(stream, b"\0\xff\xff\xff\xff", end_stream=False)
    answer = client.answer(stream)
    assert answer.status == RESOURCE_EXHAUSTED
    assert "4294967295" in answer.message and "4194304" in answer.message


@pytest.mark.parametrize("on_headers", [True, False])
@pytest.mark.parametrize(("method", "status"), [("Unary", UNIMPLEMENTED), ("ClientStream", 0)])
def test_request_without_a_message(client, method, status, on_headers):
    """G-058."""
    stream = client.headers(client.fields(method), end_stream=on_headers)
    if not on_headers:
        client.data(stream, b"")
    assert client.answer(stream).status == status


def test_second_message_of_a_unary_call(client):
    """G-059."""
    stream = client.headers(client.fields())
    client.data(stream, framed(b"a") + framed(b"b"))
    assert client.answer(stream).status == UNIMPLEMENTED


def test_message_in_any_split(client):
    """G-050: a byte a frame; END_STREAM on an empty frame."""
    stream = client.headers(client.fields("Bidi"))
    for byte in framed(b"hello") + framed(b"") + framed(b"x"):
        client.data(stream, bytes([byte]), end_stream=False)
    client.data(stream, b"")
    answer = client.answer(stream)
    assert messages(answer.data) == [b"hello", b"", b"x"] and answer.status == 0


def test_many_messages_in_one_frame(client):
    """G-050, G-092."""
    stream = client.headers(client.fields("ClientStream"))
    client.data(stream, framed(b"abc") * 1000)
    assert messages(client.answer(stream).data) == [b"1000 3000"]


@pytest.mark.parametrize("padding", [0, 1, 255])
def test_padded_data(client, padding):
    """G-013."""
    stream = client.headers(client.fields())
    client.data(stream, framed(b"hello"), padding=padding)
    assert messages(client.answer(stream).data) == [b"hello"]


def test_padding_is_credited(client):
    """G-013, G-089: far more padding than the connection's window."""
    stream = client.headers(client.fields("ClientStream"))
    count = 0
    credit = 1 << 16
    stream_credit = 1 << 16
    for _ in range(12_000):
        if min(credit, stream_credit) < 300:
            client.receive(5)
        updates = [frame for frame in client.frames if type(frame).__name__ == "WindowUpdateFrame"]
        client.frames = []
        credit += sum(frame.window_increment for frame in updates if frame.stream_id == 0)
        stream_credit += sum(frame.window_increment for frame in updates if frame.stream_id == stream)
        if min(credit, stream_credit) < 300:
            continue
        client.data(stream, framed(b""), end_stream=False, padding=250)
        credit -= 256
        stream_credit -= 256
        count += 1
    client.data(stream, b"")
    assert count > 8_000
    assert messages(client.answer(stream).data) == [f"{count} 0".encode()]


def test_headers_over_continuation(client):
    """G-014: and padded, with a priority."""
    block = client.encoder.encode(client.fields())
    stream = client.new_stream()
    first = HeadersFrame(stream, block[:10], flags=["PADDED", "PRIORITY"])
    first.pad_length = 7
    client.send(first)
    client.send(ContinuationFrame(stream, block[10:20]), ContinuationFrame(stream, block[20:], flags=["END_HEADERS"]))
    client.data(stream, framed(b"hello"))
    assert messages(client.answer(stream).data) == [b"hello"]


def test_trailing_headers_end_a_request(client):
    """G-049."""
    stream = client.headers(client.fields())
    client.data(stream, framed(b"hello"), end_stream=False)
    client.send(HeadersFrame(stream, client.encoder.encode([("x-end", "1")]), flags=["END_HEADERS", "END_STREAM"]))
    assert messages(client.answer(stream).data) == [b"hello"]


def test_refused_body_is_dropped_and_credited(client):
    """G-047, G-072, G-089: 4 MiB in bodies that nobody reads."""
    for _ in range(70):
        stream = client.headers(client.fields("Absent"))
        for _ in range(4):
            client.data(stream, bytes(15_000), end_stream=False)
        answer = client.answer(stream)
        assert answer.status == UNIMPLEMENTED
        client.receive_until(lambda: answer.reset is not None, 2)
        assert answer.reset == 0


def test_binary_metadata_joined_by_commas(client):
    """G-044."""
    answer = client.ask(method="Metadata", xb_bin="AQ,Ag==,AwQ")
    (text,) = messages(answer.data)
    assert [line for line in text.decode().splitlines() if line.startswith("xb")] == ["xb-bin=1", "xb-bin=2", "xb-bin=3.4"]


def test_unknown_frames_settings_and_priorities_are_ignored(client):
    """G-005."""
    client.send_bytes(b"\0\0\x06\xee\xff\0\0\0\0grease")
    client.send(SettingsFrame(0, settings={0xFACE: 1}))
    client.send(PriorityFrame(1, depends_on=0, stream_weight=3))
    assert client.ask().status == 0


def test_header_list_above_the_limit_costs_the_call(client):
    """G-018, G-046."""
    answer = client.ask(xlarge="v" * (17 << 10))
    assert answer.status == RESOURCE_EXHAUSTED and str(16 << 10) in answer.message


def test_header_list_far_above_the_limit_costs_the_connection(echo):
    """G-046, G-153."""
    with RawClient(echo.port) as client:
        client.ask()
        # In the dynamic table after the first call: 40 times the field costs 40 octets.
        client.ask(xb="w" * 3_000)
        client.headers(client.fields() + [("xb", "w" * 3_000)] * 40)
        client.receive_until_closed(5)


def test_metadata_above_http_is_not_needed_for_a_plain_call(client):
    """G-042: legal for HTTP, not for gRPC."""
    answer = client.ask(method="Metadata", xhigh="\u00e9", xok="1")
    (text,) = messages(answer.data)
    assert "xok=31" in text.decode() and "xhigh" not in text.decode()


# The connection


def test_server_speaks_first(echo):
    """G-001."""
    with RawClient(echo.port, start=False) as client:
        client.receive_until(lambda: any(isinstance(frame, SettingsFrame) for frame in client.frames), 5)


def test_preface_a_byte_at_a_time(echo):
    """G-001, G-002."""
    with RawClient(echo.port, start=False) as client:
        for byte in PREFACE + SettingsFrame(0).serialize():
            client.send_bytes(bytes([byte]))
        assert client.ask().status == 0
        assert any(isinstance(frame, SettingsFrame) and "ACK" in frame.flags for frame in client.frames)


def test_settings_announced(echo):
    """G-015, G-017, G-018."""
    with RawClient(echo.port) as client:
        client.ask()
        settings = next(frame for frame in client.frames if isinstance(frame, SettingsFrame)).settings
        print(f"measured: settings {settings}")
        assert settings[SettingsFrame.MAX_CONCURRENT_STREAMS] >= 100
        assert settings[SettingsFrame.MAX_HEADER_LIST_SIZE] == 16 << 10


@pytest.mark.parametrize(
    "junk",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /grpc.echo.v1.Echo/Unary HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
        bytes.fromhex("16030100a5010000a10303") + bytes(64),
        bytes(range(256)) * 100,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r",
        PREFACE + b"\0\0\x04\x01\x05\0\0\0\x01abcd",
    ],
    ids=["HTTP/1.1 GET", "HTTP/1.1 POST", "TLS", "junk", "wrong preface", "no SETTINGS"],
)
def test_what_is_not_http2_is_closed_and_hurts_nobody(echo, junk):
    """G-003, G-080."""
    with RawClient(echo.port) as other:
        other.ask()
        with socket.create_connection(("127.0.0.1", echo.port)) as connection:
            connection.settimeout(within(5))
            connection.sendall(junk)
            try:
                while connection.recv(65536):
                    pass
            except ConnectionResetError:
                pass
        assert other.ask(b"unhurt").data == framed(b"unhurt")


def test_ping_is_answered(echo):
    """G-008."""
    from hyperframe.frame import PingFrame

    with RawClient(echo.port) as client:
        client.send(PingFrame(0, b"12345678"))
        client.receive_until(lambda: any(isinstance(f, PingFrame) and "ACK" in f.flags for f in client.frames), 5)
        pong = next(frame for frame in client.frames if isinstance(frame, PingFrame))
        assert pong.opaque_data == b"12345678"


def test_data_after_the_end_is_no_message(echo):
    """G-019."""
    with RawClient(echo.port) as client:
        stream = client.headers(client.fields("SlowReader"))
        client.data(stream, framed(b"x"))
        client.send(DataFrame(stream, framed(b"late")))
        client.receive_until(lambda: client.answers[stream].is_over or client.is_closed or client.goaways, 5)
    with RawClient(echo.port) as client:
        assert client.ask().status == 0
