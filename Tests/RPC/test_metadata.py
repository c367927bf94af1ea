"""What a call carries beside its messages: metadata, authority, status, and what becomes of it on the wire."""

import time

import grpc
import pytest
from hyperframe.frame import PingFrame, RstStreamFrame, SettingsFrame

from echo_server import EchoServer, unary
from raw_http2 import RawClient, framed, messages


@pytest.fixture
def client(echo):
    with RawClient(echo.port) as client:
        yield client
        assert client.ask(b"still here").data == framed(b"still here")


def seen(client, fields):
    """The metadata that a handler sees, as lines, and the answer."""
    stream = client.headers(client.fields("Metadata") + fields)
    client.data(stream, framed(b""))
    answer = client.answer(stream)
    assert answer.status == 0
    return messages(answer.data)[0].decode().split("\n"), answer


def head(client, **changes):
    """What else a handler knows of a call."""
    lines = messages(client.ask(b"", method="Head", **changes).data)[0].decode().split("\n")
    return dict(line.split(" ", 1) for line in lines)


# Requests


@pytest.mark.parametrize(
    "changes, authority",
    [
        ({}, "localhost"),
        ({"authority": "127.0.0.1:50051"}, "127.0.0.1:50051"),
        ({"authority": "%2Ftmp%2Fa.sock"}, "%2Ftmp%2Fa.sock"),
        ({"authority": "a.example", "host": "b.example"}, "a.example"),
        ({"authority": None, "host": "b.example"}, "b.example"),
    ],
    ids=str,
)
def test_authority_is_the_clients_word(client, changes, authority):
    """G-027, G-033, G-048."""
    assert head(client, **changes)["authority"] == authority


def test_handler_knows_peer_and_deadline(client):
    """G-036, G-048."""
    host, port = client.socket.getsockname()
    known = head(client, grpc_timeout="30S")
    assert known["peer"] == f"{host}:{port}"
    assert 29_000 < int(known["deadline"]) <= 30_000
    assert head(client)["deadline"] == "none"


@pytest.mark.parametrize("te", ["trailers", None])
def test_te_is_not_insisted_on(client, te):
    """G-034."""
    assert client.ask(b"x", te=te).status == 0


@pytest.mark.parametrize("agent", [None, "", "grpc-go/1.70", "anything (at all) / 1;ü"])
def test_user_agent_is_free_text(client, agent):
    """G-041."""
    assert client.ask(b"x", user_agent=agent).status == 0


@pytest.mark.parametrize(
    "value, lines",
    [
        ("plain ~!", ["xa=70.6c.61.69.6e.20.7e.21"]),
        ("", ["xa="]),
        (" both ", ["xa=62.6f.74.68"]),
        ("\ttab", ["xa=74.61.62"]),
        ("in\tside", []),
        ("h\u00f6h", []),
        ("\u00ff", []),
        ("a,b", ["xa=61.2c.62"]),
    ],
)
def test_text_values(client, value, lines):
    """G-042: what is legal in HTTP alone costs no call; spaces around a value are not part of it."""
    found, answer = seen(client, [("xa", value)])
    assert [line for line in found if line.startswith("xa=")] == lines
    assert ("xa" in answer.headers) == bool(lines)


@pytest.mark.parametrize("name", ["xa", "x-a", "x_a", "x.a", "0", "xa~", "x!a", "x#a"])
def test_names(client, name):
    """G-042: names of HTTP that gRPC does not have are not shown, and cost no call."""
    found, _ = seen(client, [(name, "1")])
    assert (f"{name}=31" in found) == all(letter.isalnum() or letter in "_-." for letter in name)


@pytest.mark.parametrize(
    "value, decoded",
    [
        ("", [""]),
        ("AQI", ["1.2"]),
        ("AQI=", ["1.2"]),
        ("AQID", ["1.2.3"]),
        ("++//", ["fb.ef.ff"]),
        ("--__", []),
        ("A", []),
        ("AQI==", []),
        ("no base64 !", []),
        ("AQ,Ag==, Aw ,!,BA", ["1", "2", "3", "4"]),
        (",", ["", ""]),
    ],
)
def test_binary_values(client, value, decoded):
    """G-043, G-044: with and without padding, several in one; what is no base64 is left out, and the call goes on."""
    found, answer = seen(client, [("xa-bin", value)])
    assert [line for line in found if line.startswith("xa-bin=")] == [f"xa-bin={each}" for each in decoded]
    sent = [value for name, value in answer.blocks[0] if name == "xa-bin"]
    assert len(sent) == len(decoded) and not any("=" in each or "," in each for each in sent)


def test_repeated_names_keep_their_order(client):
    """G-044."""
    found, answer = seen(client, [("xa", "2"), ("xb", "x"), ("xa", "1"), ("xa-bin", "Aw"), ("xa-bin", "AQ,Ag")])
    assert [line for line in found if line[:2] in ("xa", "xb")] == [
        "xa=32",
        "xb=78",
        "xa=31",
        "xa-bin=3",
        "xa-bin=1",
        "xa-bin=2",
    ]
    for block in answer.blocks:
        assert [value for name, value in block if name == "xa"] == ["2", "1"]


def test_fields_of_grpc_and_http_are_not_the_callers(client):
    """G-045."""
    known = ["grpc-previous-rpc-attempts=31", "grpc-trace-bin=1", "grpc-tags-bin=2", "traceparent=30.30"]
    found, _ = seen(
        client,
        [
            ("grpc-previous-rpc-attempts", "1"),
            ("grpc-trace-bin", "AQ"),
            ("grpc-tags-bin", "Ag"),
            ("traceparent", "00"),
            ("grpc-unknown", "x"),
            ("grpc-unknown-bin", "x"),
            ("grpc-message-type", "a.B"),
            ("grpc-accept-encoding", "identity"),
            ("grpc-timeout", "10S"),
        ],
    )
    assert found == known


# Answers


def test_bad_metadata_of_a_handler_does_not_leave(client):
    """G-066, G-078: neither early nor late; what may be sent is, its names in lower case."""
    answer = client.ask(b"", method="BadMetadata")
    good = [("x-upper", "ok"), ("x-any-bin", "DQoA"), ("x-ok", "1")]
    assert answer.blocks[0] == [(":status", "200"), ("content-type", "application/grpc"), *good]
    assert answer.blocks[1] == [("grpc-status", "10"), *good]


@pytest.mark.parametrize("text, sent", [("100 %", "100 %25"), ("ü⚡", "%C3%BC%E2%9A%A1"), ("a\r\nb\0", "a%0D%0Ab%00"), ("~ ok", "~ ok")])
def test_status_message_on_the_wire(client, text, sent):
    """G-067."""
    answer = client.ask(f"9 0 - {text}".encode(), method="Fail")
    assert answer.blocks == [
        [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "9"), ("grpc-message", sent)]
    ]


@pytest.mark.parametrize("method", ["Fail", "FailLate"])
@pytest.mark.parametrize("limit", [150, 300, 1000, 4000, 8192, 65_536])
def test_trailers_fit_the_clients_limit(echo, limit, method):
    """G-075: the details go before the status does, and the message is cut to what is left."""
    with RawClient(echo.port, settings={SettingsFrame.MAX_HEADER_LIST_SIZE: limit}) as client:
        client.ask(b"settings are known now")
        for details in (0, 200, 2000):
            answer = client.ask(f"9 {details} 500 ".encode() + "ü".encode() * 5000, method=method)
            size = sum(len(name) + len(value) + 32 for name, value in answer.blocks[-1])
            assert size <= min(limit, 8192) or answer.blocks[-1][-1][0] == "grpc-status"
            assert answer.status == 9
            if limit >= 1000:
                assert "grpc-message" in answer.trailers
                assert ("grpc-status-details-bin" in answer.trailers) == (0 < details * 4 / 3 < limit - 300)


def test_headers_leave_before_a_message_and_a_message_before_the_next(client):
    """G-065, G-077."""
    stream = client.call(b"name", method="Subscribe")
    client.receive_until(lambda: client.answers[stream].blocks, 2)
    assert client.answers[stream].data == b""
    start = time.monotonic()
    stream = client.call(b"2 3 60000", method="ServerStream")
    client.receive_until(lambda: client.answers[stream].data, 2)
    assert messages(client.answers[stream].data) == [b"mmm"] and time.monotonic() - start < 2


def test_nothing_is_sent_on_a_stream_that_was_reset(client):
    """G-021, G-071."""
    stream = client.call(b"1000000 100 0", method="ServerStream")
    client.receive_until(lambda: client.answers[stream].data)
    client.send(RstStreamFrame(stream, error_code=8), PingFrame(0, opaque_data=b"12345678"))

    def is_answered():
        return any(isinstance(frame, PingFrame) and frame.opaque_data == b"12345678" for frame in client.frames)

    client.receive_until(is_answered)
    client.frames.clear()
    for _ in range(20):
        client.ask(b"x")
    assert not [frame for frame in client.frames if frame.stream_id == stream]


# The table of codes


def test_codes_made_by_the_library(echo, client):
    """G-069: each case of the table, on the wire."""
    bad_gzip = framed(b"no gzip", 1)
    cases = [
        ("method unknown", 12, dict(method="Absent"), framed(b"")),
        ("service unknown", 12, dict(path="/no.Such/Unary"), framed(b"")),
        ("no message", 12, {}, b""),
        ("two messages", 12, {}, framed(b"") * 2),
        ("coding unknown", 12, dict(grpc_encoding="zstd"), framed(b"")),
        ("message cut", 13, {}, framed(b"hello")[:-1]),
        ("reserved flag", 13, {}, framed(b"", 2)),
        ("bad gzip", 13, dict(grpc_encoding="gzip"), bad_gzip),
        ("bad protobuf", 13, dict(path="/grpc.health.v1.Health/Check"), framed(b"\x0a\x05x")),
        ("bad timeout", 13, dict(grpc_timeout="soon"), framed(b"")),
        ("message too large", 8, dict(method="Small"), framed(b"x" * 17)),
        ("metadata too large", 8, dict(xa="v" * (17 << 10)), framed(b"")),
        ("deadline over", 4, dict(method="Sleep", grpc_timeout="50m"), framed(b"5000")),
        ("handler threw", 2, dict(method="Throw"), framed(b"")),
    ]
    for name, code, changes, data in cases:
        changes = dict(changes)
        stream = client.headers(client.fields(changes.pop("method", "Unary"), **changes))
        client.data(stream, data)
        assert (name, client.answer(stream).status) == (name, code)


def test_code_of_the_drain():
    """G-069, G-101: UNAVAILABLE in trailers, not a cut connection."""
    with EchoServer("--drain-seconds", "1") as server, RawClient(server.port) as client:
        stream = client.call(b"60000", method="Sleep")
        assert client.ask(b"x").status == 0
        server.signal()
        assert client.answer(stream, 5).status == 14


def test_code_of_a_cancelled_call(echo):
    """G-069: grpcio's own CANCELLED, and the handler's cancellation."""
    before = echo.stats()["cancelled"]
    with echo.channel() as channel:
        call = unary(channel, "Sleep").future(b"60000")
        time.sleep(0.1)
        call.cancel()
        assert call.code() == grpc.StatusCode.CANCELLED
    end = time.monotonic() + 2
    while echo.stats()["cancelled"] == before and time.monotonic() < end:
        time.sleep(0.01)
    assert echo.stats()["cancelled"] == before + 1
