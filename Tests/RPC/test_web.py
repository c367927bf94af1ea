"""gRPC-Web for browsers, over HTTP/2: binary and text, CORS, errors, streams, flow (G-131...134)."""

import base64
import re
import struct
import subprocess

import pytest

from hyperframe.frame import RstStreamFrame, WindowUpdateFrame

from echo_server import EchoServer, eventually
from raw_http2 import RawClient, framed
from sanitizers import within
from test_tls import Site

PAGE = "https://app.example.com"
BINARY, TEXT = "application/grpc-web+proto", "application/grpc-web-text+proto"
BOTH = pytest.mark.parametrize("kind", [BINARY, TEXT])
EXPOSED = "grpc-status,grpc-message,grpc-status-details-bin,grpc-retry-pushback-ms"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    return Site(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="session")
def server(site):
    with EchoServer(
        "--web-origin", PAGE, "--web-origin", "http://localhost:8080", *site.flags(client_ca=False),
        address=["127.0.0.1:0", "tls+127.0.0.1:0"],
    ) as server:  # fmt: skip
        yield server


@pytest.fixture
def client(server):
    with RawClient(server.port) as client:
        yield client
        assert client.ask(b"still here").status == 0


def text(*pieces):
    """Base64 as a browser may send it: each piece padded by itself."""
    return b"".join(base64.b64encode(piece) for piece in pieces)


def decoded(data):
    """The bytes of several padded texts behind each other."""
    pieces = re.findall(rb"[^=]+={0,2}", data)
    assert b"".join(pieces) == data and len(data) % 4 == 0
    return b"".join(base64.b64decode(piece, validate=True) for piece in pieces)


def frames(data):
    """Flags and contents of the frames of a body; each lies in it whole."""
    found = []
    while data:
        flag, length = struct.unpack(">BI", data[:5])
        assert len(data) >= 5 + length
        found.append((flag, data[5 : 5 + length]))
        data = data[5 + length :]
    return found


class WebAnswer:
    def __init__(self, answer, kind):
        assert answer.ended and answer.reset in (None, 0)
        assert len(answer.blocks) == 1, "gRPC-Web has no HTTP trailers"
        self.headers = answer.headers
        assert self.headers["content-type"] == kind
        self.frames = frames(decoded(answer.data) if "text" in kind else answer.data)
        self.messages = [data for flag, data in self.frames if flag == 0]
        self.trailers = None
        if not self.frames:
            # Trailers only: they are the headers.
            self.trailers = self.headers
        else:
            flag, data = self.frames[-1]
            assert flag == 0x80 and data.endswith(b"\r\n")
            lines = data.decode().removesuffix("\r\n").split("\r\n")
            self.trailers = dict(line.split(": ", 1) for line in lines)
            assert all(name == name.lower() for name in self.trailers)
            assert "grpc-status" not in self.headers
        assert [flag for flag, _ in self.frames[:-1]] == [0] * len(self.messages)

    @property
    def status(self):
        return int(self.trailers["grpc-status"])


def fields(client, method, kind, **changes):
    changes = {"content_type": kind, "te": None, "origin": PAGE, "x_grpc_web": "1", **changes}
    return client.fields(method, **changes)


def start(client, message, method="Unary", kind=BINARY, **changes):
    stream = client.headers(fields(client, method, kind, **changes))
    body = framed(message)
    client.data(stream, text(body) if "text" in kind else body)
    return stream


def ask(client, message=b"hello", method="Unary", kind=BINARY, timeout=10, **changes):
    return WebAnswer(client.answer(start(client, message, method, kind, **changes), timeout), kind)


# Calls


@pytest.mark.parametrize(
    "kind",
    [
        "application/grpc-web",
        "application/grpc-web+proto",
        "application/grpc-web-text",
        "application/grpc-web-text+proto",
    ],
)
@pytest.mark.parametrize("message", [b"", b"h", b"hello", bytes(range(256)) * 40])
def test_unary_call(client, kind, message):
    """G-131, G-132, G-134: the message, then a frame with the trailers; the content type is the request's."""
    answer = ask(client, message, kind=kind)
    assert answer.messages == [message]
    assert answer.status == 0
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["access-control-expose-headers"] == EXPOSED
    assert answer.headers["vary"] == "origin"


@BOTH
def test_caller_without_an_origin_is_no_browser(client, kind):
    """G-131, G-133: it is served, and told nothing about pages."""
    answer = ask(client, kind=kind, origin=None)
    assert answer.status == 0
    assert "access-control-allow-origin" not in answer.headers


@BOTH
def test_server_stream(client, kind):
    """G-131, G-132: messages come each by itself, before the end."""
    answer = ask(client, b"20 1000", "ServerStream", kind)
    assert len(answer.messages) == 20
    assert answer.status == 0


@BOTH
def test_shared_messages_of_a_broadcast(server, kind):
    """G-131, G-132: prefix and shared bytes, also where they come while the stream waits."""
    with RawClient(server.port) as client, RawClient(server.port) as other:
        stream = start(client, b"me", "Subscribe", kind)
        answer = client.answers[stream]
        client.receive_until(lambda: answer.blocks, 10)
        for number in range(3):
            before = len(answer.data)
            assert other.ask(b"news %d" % number, "Publish").status == 0
            client.receive_until(lambda: len(answer.data) > before, 10)
        assert other.ask(b"10 0 - over", "FinishAll").status == 0
        found = WebAnswer(client.answer(stream), kind)
        # Before them perhaps what was published before.
        assert found.messages[-3:] == [b"me:news %d" % number for number in range(3)]
        assert found.status == 10


@BOTH
def test_error_before_anything_is_in_the_headers(client, kind):
    """G-134: trailers only; a page may read them."""
    answer = ask(client, b"5 12 1500 not here", "Fail", kind)
    assert answer.frames == []
    assert answer.status == 5
    assert answer.headers["grpc-message"] == "not here"
    assert answer.headers["grpc-retry-pushback-ms"] == "1500"
    assert "grpc-status-details-bin" in answer.headers
    assert answer.headers["access-control-allow-origin"] == PAGE


@BOTH
def test_error_after_messages_is_in_the_last_frame(client, kind):
    """G-134: with details, and whatever the text has is one line."""
    answer = ask(client, "9 12 - a\r\nb ⚡".encode(), "FailLate", kind)
    assert len(answer.messages) == 1
    assert answer.status == 9
    assert answer.trailers["grpc-message"] == "a%0D%0Ab %E2%9A%A1"
    assert base64.b64decode(answer.trailers["grpc-status-details-bin"] + "==") == b"\xd7" * 12


@BOTH
@pytest.mark.parametrize("path", ["/grpc.echo.v1.Echo/Nothing", "/nothing"])
def test_unknown_method_says_so_to_the_page(client, kind, path):
    """G-133, G-134: what is refused from the headers alone has CORS headers too."""
    answer = ask(client, kind=kind, path=path)
    assert answer.status == 12
    assert answer.headers["access-control-allow-origin"] == PAGE


@BOTH
def test_metadata_goes_both_ways(client, kind):
    """G-131: initial metadata as headers, trailing metadata in the frame."""
    answer = ask(client, b"", "Metadata", kind, x_note="seen")
    assert answer.headers["x-note"] == "seen"
    assert answer.trailers["x-note"] == "seen"


@BOTH
def test_deadline_passes(client, kind):
    """G-131: grpc-timeout holds."""
    answer = ask(client, b"60000", "Sleep", kind, grpc_timeout="50m")
    assert answer.status == 4


# Text


@pytest.mark.parametrize("pieces", [[3, 1, 6], [1] * 10, [5, 5], [10]])
def test_request_in_padded_pieces(client, pieces):
    """G-132: each with its own padding."""
    body = framed(b"hello")
    parts = []
    for size in pieces:
        parts.append(body[:size])
        body = body[size:]
    assert body == b""
    stream = client.headers(fields(client, "Unary", TEXT))
    client.data(stream, text(*parts))
    assert WebAnswer(client.answer(stream), TEXT).messages == [b"hello"]


def test_request_cut_anywhere_into_frames(client):
    """G-132: within a group of four digits, within the padding."""
    body = text(framed(b"hello"), b"")
    for cut in range(1, len(body)):
        stream = client.headers(fields(client, "Unary", TEXT))
        client.data(stream, body[:cut], end_stream=False)
        client.data(stream, body[cut:])
        assert WebAnswer(client.answer(stream), TEXT).messages == [b"hello"]


@pytest.mark.parametrize(
    "body, status, words",
    [
        (b"A", 13, "cut off"),
        (b"AAAA", 13, "within a message"),
        (b"AAAAAA", 13, "cut off"),
        (b"!!!!", 13, "not base64"),
        (b"=AAA", 13, "not base64"),
        (b"AA=A", 13, "not base64"),
        (framed(b"hello"), 13, "not base64"),
        (b"", 12, "no message"),
        (text(framed(b"a"), framed(b"b")), 12, "more than one message"),
        (text(framed(b"a") + framed(b"b")), 12, "more than one message"),
        (text(framed(b"a", flag=0x80)), 13, "reserved flag 128"),
        (text(framed(b"a", flag=1)), 13, "without grpc-encoding"),
    ],
)
def test_what_is_wrong_with_a_text_request_is_said(client, body, status, words):
    """G-132"""
    stream = client.headers(fields(client, "Unary", TEXT))
    client.data(stream, body)
    answer = WebAnswer(client.answer(stream), TEXT)
    assert answer.status == status
    assert words in answer.trailers["grpc-message"]


def test_text_after_the_message_is_a_second_message(client):
    """G-132: also where it comes in a frame of its own."""
    stream = client.headers(fields(client, "Unary", TEXT))
    client.data(stream, text(framed(b"a")), end_stream=False)
    client.data(stream, text(framed(b"b")))
    assert WebAnswer(client.answer(stream), TEXT).status == 12


@BOTH
def test_stream_of_requests(client, kind):
    """G-131: browsers cannot send one, others can."""
    stream = client.headers(fields(client, "Bidi", kind))
    wanted = [b"a", b"", b"three" * 100]
    for message in wanted:
        body = framed(message)
        client.data(stream, text(body) if kind == TEXT else body, end_stream=False)
    client.data(stream, b"")
    assert WebAnswer(client.answer(stream), kind).messages == wanted


# Size and flow


@BOTH
@pytest.mark.parametrize("size", [60_000, 1 << 20, 3 << 20])
def test_large_messages_each_way(client, kind, size):
    """G-131, G-132: over many frames and windows."""
    message = bytes(index * 7 % 251 for index in range(997)) * (size // 997)
    body = text(framed(message)) if kind == TEXT else framed(message)
    stream = client.headers(fields(client, "Unary", kind))
    send_within_windows(client, stream, body)
    answer = WebAnswer(client.answer(stream, 20), kind)
    assert answer.messages == [message]
    assert answer.status == 0


def send_within_windows(client, stream, body):
    sent = 0
    while sent < len(body):
        credit = {0: 65_535, stream: 64 << 10}
        for frame in client.frames:
            if isinstance(frame, WindowUpdateFrame) and frame.stream_id in credit:
                credit[frame.stream_id] += frame.window_increment
        room = min(16_384, len(body) - sent, min(credit.values()) - sent)
        if room <= 0:
            client.receive(1)
            continue
        client.data(stream, body[sent : sent + room], end_stream=sent + room == len(body))
        sent += room


def test_message_above_the_limit(client):
    """G-131, G-056: refused by its length; 5 MiB are never sent."""
    stream = client.headers(fields(client, "Unary", TEXT))
    client.data(stream, text(struct.pack(">BI", 0, 5 << 20)), end_stream=False)
    answer = WebAnswer(client.answer(stream), TEXT)
    assert answer.status == 8


@BOTH
def test_reader_that_stops_holds_the_handler_back(server, kind):
    """G-131, G-091: what waits for it is bounded."""
    with RawClient(server.port, gives_credit=False) as client:
        before = server.resident_kib()
        stream = start(client, b"400 65536", "ServerStream", kind)
        client.receive_until(lambda: len(client.answers[stream].data) > 30_000, 10)
        with RawClient(server.port) as other:
            assert other.ask(b"meanwhile").status == 0
        assert server.resident_kib() - before < within(8 << 10)


def test_call_that_the_page_gives_up(server):
    """G-131, G-086: RST_STREAM reaches the handler."""
    with RawClient(server.port) as client:
        before = server.stats()["cancelled"]
        stream = start(client, b"60000", "Sleep")
        eventually(lambda: server.stats()["active"] > 0, 5, "the call has begun")
        client.send(RstStreamFrame(stream, error_code=8))
        eventually(lambda: server.stats()["cancelled"] > before, 5, "the handler was cancelled")


def test_answers_are_not_compressed(client):
    """G-134: message-level compression is not used, whatever the page says it takes."""
    answer = ask(client, b"a" * 5_000, "Squeeze", grpc_accept_encoding="gzip")
    assert answer.messages == [b"a" * 5_000]
    assert "grpc-encoding" not in answer.headers


# Pages


def preflight(client, **changes):
    wanted = {
        "http_method": "OPTIONS", "te": None, "content_type": None, "origin": PAGE,
        "access_control_request_method": "POST",
        "access_control_request_headers": "authorization,content-type,x-grpc-web,x-my-header", **changes,
    }  # fmt: skip
    stream = client.headers(client.fields("Unary", **wanted), end_stream=True)
    answer = client.answer(stream)
    assert answer.data == b""
    return answer.headers


def test_preflight_of_an_allowed_page(client):
    """G-133"""
    headers = preflight(client)
    assert headers[":status"] == "204"
    assert headers["access-control-allow-origin"] == PAGE
    assert headers["access-control-allow-methods"] == "POST"
    assert headers["access-control-allow-headers"] == "authorization,content-type,x-grpc-web,x-my-header"
    assert int(headers["access-control-max-age"]) > 0
    assert headers["vary"] == "origin"


@pytest.mark.parametrize("wanted", ["a\"b", "x" * 2_000, "a;b"])
def test_preflight_with_an_odd_list_of_headers(client, wanted):
    """G-133: it is not repeated."""
    headers = preflight(client, access_control_request_headers=wanted)
    assert headers[":status"] == "204"
    assert headers["access-control-allow-headers"].startswith("content-type,x-grpc-web")


@pytest.mark.parametrize("origin", ["https://evil.example", "https://app.example.com.evil", "null", "http://app.example.com"])
def test_other_pages_may_not_call(client, origin):
    """G-133: neither ask nor call; no handler sees it, and no header says that they might."""
    headers = preflight(client, origin=origin)
    assert headers[":status"] == "403"
    assert "access-control-allow-origin" not in headers
    for changes in [{}, {"grpc_timeout": "nonsense"}, {"path": "/nothing"}]:
        answer = client.answer(start(client, b"", origin=origin, **changes))
        assert answer.headers[":status"] == "403"
        assert "access-control-allow-origin" not in answer.headers


def test_options_without_an_origin_is_no_preflight(client):
    """G-030, G-133"""
    assert preflight(client, origin=None)[":status"] == "405"


def test_without_origins_it_is_not_served(echo):
    """G-035, G-131"""
    with RawClient(echo.port) as client:
        assert preflight(client)[":status"] == "405"
        answer = client.answer(start(client, b"hello"))
        assert answer.headers[":status"] == "415"


def test_grpc_beside_it_is_as_ever(client):
    """G-131: an origin says nothing to a call of plain gRPC."""
    answer = client.ask(b"hello", origin="https://evil.example")
    assert answer.status == 0
    assert "access-control-allow-origin" not in answer.headers


# TLS, and a client of another make


@pytest.mark.parametrize("kind", [BINARY, TEXT])
def test_curl_over_tls(server, site, tmp_path, kind):
    """G-131: HTTP/2 by ALPN, as browsers come."""
    body = framed(b"hello")
    request = tmp_path / "request"
    request.write_bytes(text(body) if kind == TEXT else body)
    port = server.addresses[1].rsplit(":", 1)[1]
    done = subprocess.run(
        [
            "curl", "--silent", "--show-error", "--http2", "--cacert", str(site.authority.path), "--max-time", "10",
            "-H", f"content-type: {kind}", "-H", f"origin: {PAGE}", "-w", "%{stderr}%{http_version} %{http_code}",
            "--data-binary", f"@{request}", f"https://localhost:{port}/grpc.echo.v1.Echo/Unary",
        ],
        capture_output=True, timeout=within(20),
    )  # fmt: skip
    assert done.stderr == b"2 200", done.stderr
    data = decoded(done.stdout) if kind == TEXT else done.stdout
    assert frames(data) == [(0, b"hello"), (0x80, b"grpc-status: 0\r\n")]
