"""Compressed messages: by grpcio, by hand, and by those who mean harm."""

import gzip
import random
import struct
import threading
import time
import zlib

import grpc
import pytest
from hyperframe.frame import DataFrame, HeadersFrame, RstStreamFrame

from echo_server import bidirectional, client_stream, server_stream, unary
from raw_http2 import RawClient, framed, messages

INTERNAL, RESOURCE_EXHAUSTED, UNIMPLEMENTED = 13, 8, 12
LIMIT = 4 << 20
SERVED = "identity,gzip,deflate"


@pytest.fixture
def client(echo):
    with RawClient(echo.port) as client:
        yield client
        assert client.ask(b"still here").data == framed(b"still here")


def bomb(size):
    """A gzip message of `size` zeros; about a thousandth of it."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    parts = [coder.compress(zeros) for _ in range(size >> 20)] + [coder.compress(bytes(size & ((1 << 20) - 1)))]
    return b"".join(parts) + coder.flush()


def send(client, data, method="Unary", encoding="gzip", **fields):
    """A request, in frames that are small enough; returns its stream."""
    stream = client.headers(client.fields(method, grpc_encoding=encoding, **fields))
    for start in range(0, max(len(data), 1), 16_000):
        client.data(stream, data[start : start + 16_000], end_stream=start + 16_000 >= len(data))
    return stream


def ask(client, data, method="Unary", encoding="gzip", **fields):
    return client.answer(send(client, data, method, encoding, **fields))


def parts(data):
    """Flags and messages of an answer, as they came."""
    found = []
    while data:
        flag, length = struct.unpack(">BI", data[:5])
        found.append((flag, data[5 : 5 + length]))
        data = data[5 + length :]
    return found


# Requests


@pytest.mark.parametrize("coding", [grpc.Compression.Gzip, grpc.Compression.Deflate], ids=str)
@pytest.mark.parametrize("size", [0, 1, 1000, 300_000, LIMIT])
def test_grpcio_compresses_requests(echo, coding, size):
    """G-054."""
    message = random.Random(size).randbytes(size // 2) + bytes(size - size // 2)
    with echo.channel() as channel:
        assert unary(channel, "Unary")(message, compression=coding) == message
        answers = bidirectional(channel, "Bidi")(iter([message, b"", message]), compression=coding)
        assert list(answers) == [message, b"", message]
        count = client_stream(channel, "ClientStream")(iter([message] * 3), compression=coding)
        assert count == f"3 {3 * size}".encode()


def test_answer_to_a_compressed_request_names_the_codings(client):
    """G-039: and the answer itself is coded as ever."""
    answer = ask(client, framed(gzip.compress(b"hello"), 1))
    assert answer.headers["grpc-accept-encoding"] == SERVED
    assert "grpc-encoding" not in answer.headers
    assert answer.data == framed(b"hello") and answer.status == 0
    assert "grpc-accept-encoding" not in client.ask(b"hello").headers


@pytest.mark.parametrize("encoding", ["zstd", "snappy", "", "GZIP", "gzip,identity"])
def test_unknown_coding(client, encoding):
    """G-039."""
    answer = ask(client, framed(b"hello"), encoding=encoding)
    assert answer.is_trailers_only and answer.status == UNIMPLEMENTED
    assert answer.trailers["grpc-accept-encoding"] == SERVED and SERVED in answer.message


def test_uncompressed_messages_in_a_compressed_stream(client):
    """G-054."""
    data = framed(b"plain") + framed(gzip.compress(b"squeezed"), 1) + framed(b"") + framed(gzip.compress(b""), 1)
    assert messages(ask(client, data, "Bidi").data) == [b"plain", b"squeezed", b"", b""]


@pytest.mark.parametrize("encoding", [None, "identity"])
@pytest.mark.parametrize("method", ["Unary", "Bidi"])
def test_flag_without_a_coding(client, encoding, method):
    """G-052."""
    answer = ask(client, framed(gzip.compress(b"hello"), 1), method, encoding)
    assert answer.status == INTERNAL and "grpc-encoding" in answer.message


@pytest.mark.parametrize("flag", [2, 3, 0x81, 0xFF])
def test_reserved_flag_in_a_compressed_stream(client, flag):
    """G-053."""
    assert ask(client, framed(gzip.compress(b"hello"), flag)).status == INTERNAL


GZIP = gzip.compress(b"hello, world" * 10)
BROKEN = {
    "empty": b"",
    "no gzip": b"hello, world, this is no gzip",
    "zlib": zlib.compress(b"hello"),
    "header only": GZIP[:10],
    "one byte short": GZIP[:-1],
    "without its length": GZIP[:-4],
    "wrong checksum": GZIP[:-8] + b"\0\0\0\0" + GZIP[-4:],
    "wrong length": GZIP[:-4] + b"\1\0\0\0",
    "damaged": GZIP[:20] + b"\xff\xff" + GZIP[22:],
    "a byte behind it": GZIP + b"\0",
    "garbage behind it": GZIP + b"garbage",
    "half a member behind it": GZIP + GZIP[: len(GZIP) // 2],
    "a thousand empty members": gzip.compress(b"") * 1000,
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("method", ["Unary", "Bidi"])
def test_broken_gzip(client, method, data):
    """G-055."""
    answer = ask(client, framed(data, 1), method)
    assert answer.status == INTERNAL and "decompress" in answer.message


@pytest.mark.parametrize("data", [b"", zlib.compress(b"x")[:-1], zlib.compress(b"x") + b"y", gzip.compress(b"x")])
def test_broken_deflate(client, data):
    """G-055."""
    assert ask(client, framed(data, 1), encoding="deflate").status == INTERNAL


def test_members_one_behind_the_other(client):
    """RFC 1952 §2.2: they are one message."""
    assert messages(ask(client, framed(gzip.compress(b"hello, ") + gzip.compress(b"world"), 1)).data) == [b"hello, world"]


@pytest.mark.parametrize(
    "size, method, code", [(LIMIT, "Length", 0), (LIMIT + 1, "Length", 8), (16, "Small", 0), (17, "Small", 8)]
)
def test_limit_of_what_comes_out(client, size, method, code):
    """G-057: at the limit, and a byte above it."""
    answer = ask(client, framed(bomb(size), 1), method)
    assert answer.status == (code if len(bomb(size)) <= (16 if method == "Small" else LIMIT) else RESOURCE_EXHAUSTED)


def test_small_message_that_is_large_decompressed(client):
    """G-057."""
    answer = ask(client, framed(bomb(LIMIT + 1), 1), "Length")
    assert answer.status == RESOURCE_EXHAUSTED and str(LIMIT) in answer.message


def test_limit_of_what_comes_in(client):
    """G-056: on the prefix, whatever would come out."""
    stream = client.headers(client.fields("Length", grpc_encoding="gzip"))
    client.data(stream, struct.pack(">BI", 1, LIMIT + 1), end_stream=False)
    answer = client.answer(stream)
    assert answer.status == RESOURCE_EXHAUSTED and str(LIMIT + 1) in answer.message and str(LIMIT) in answer.message


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_compressed_messages_in_any_split(client, step):
    """G-050."""
    texts = [bytes([65 + index]) * 500 for index in range(20)]
    data = b"".join(framed(gzip.compress(text), 1) for text in texts)
    stream = client.headers(client.fields("Bidi", grpc_encoding="gzip"))
    for start in range(0, len(data), step):
        client.data(stream, data[start : start + step], end_stream=start + step >= len(data))
    assert messages(client.answer(stream).data) == texts


# Much at once


def test_more_than_a_turn_inflates_stays_in_order(client):
    """More than one turn's share, in one frame and in many, mixed with what is not compressed."""
    sizes = [(index * 7919) % 300_000 for index in range(100)]
    data = b"".join(
        framed(bytes(size)) if index % 10 == 0 and size < 5000 else framed(gzip.compress(bytes(size), 9), 1)
        for index, size in enumerate(sizes)
    )
    assert messages(ask(client, data, "ClientStream").data) == [f"100 {sum(sizes)}".encode()]


def test_many_calls_that_inflate_at_once(client):
    """Two hundred requests of a MiB each, in one write: all are answered."""
    message = framed(bomb(1 << 20), 1)
    streams = [send(client, message, "Length") for _ in range(200)]
    for stream in streams:
        assert messages(client.answer(stream, timeout=20).data) == [str(1 << 20).encode()]


def test_calls_cancelled_while_they_wait_to_be_inflated(echo):
    """G-086: and the connection cut in the middle of it."""
    message = framed(bomb(1 << 20), 1)
    for cuts in (False, True):
        with RawClient(echo.port) as client:
            streams = [
                send(client, message * count, method) for method, count in [("Length", 1), ("ClientStream", 5)] * 50
            ]
            client.send(*[RstStreamFrame(stream, error_code=8) for stream in streams[::2]])
            if not cuts:
                for stream in streams[1::2]:
                    assert messages(client.answer(stream, timeout=20).data) == [f"5 {5 << 20}".encode()]
                assert client.ask(b"x").data == framed(b"x")


@pytest.mark.memory
def test_bombs_cost_neither_memory_nor_the_time_of_others(fresh_echo):
    """G-057, G-156: 60 MiB a request; another client is answered all the while."""
    message = framed(bomb(60 << 20), 1)
    worst = [0.0]
    over = threading.Event()

    def watch():
        with RawClient(fresh_echo.port) as other:
            while not over.is_set():
                start = time.monotonic()
                assert other.ask(b"ping").status == 0
                worst[0] = max(worst[0], time.monotonic() - start)

    watcher = threading.Thread(target=watch)
    watcher.start()
    before, cpu, start = fresh_echo.resident_kib(), fresh_echo.cpu_seconds(), time.monotonic()
    peak = before
    try:
        for _ in range(10):
            with RawClient(fresh_echo.port) as client:
                # As many as fit the connection's window.
                streams = [send(client, message, "Length") for _ in range(10)]
                for stream in streams:
                    assert client.answer(stream, timeout=25).status == RESOURCE_EXHAUSTED
                    peak = max(peak, fresh_echo.resident_kib())
    finally:
        over.set()
        watcher.join()
    print(
        f"measured: 100 bombs of 60 MiB: +{peak - before} KiB, {(fresh_echo.cpu_seconds() - cpu) * 10:.1f} ms each, "
        f"another client waited {worst[0] * 1000:.0f} ms at most; {time.monotonic() - start:.1f} s"
    )
    assert peak - before < 24 << 10
    assert worst[0] < 2


# Answers


@pytest.mark.parametrize("accepted", ["gzip", "identity, deflate, gzip", "identity;q=0.5,gzip;q=1"])
def test_large_answer_is_compressed_for_who_takes_it(client, accepted):
    """G-040, G-063."""
    answer = client.ask(b"a" * 10_000, method="Squeeze", grpc_accept_encoding=accepted)
    assert answer.headers["grpc-encoding"] == "gzip" and answer.status == 0
    [(flag, data)] = parts(answer.data)
    assert flag == 1 and len(data) < 200 and gzip.decompress(data) == b"a" * 10_000


@pytest.mark.parametrize(
    "size, method, accepted",
    [
        (10_000, "Squeeze", None),
        (10_000, "Squeeze", "identity"),
        (10_000, "Squeeze", "deflate,zstd"),
        (10_000, "Squeeze", "gzip;q=0"),
        (10_000, "Unary", "gzip"),
        (1023, "Squeeze", "gzip"),
        (0, "Squeeze", "gzip"),
    ],
)
def test_other_answers_are_not_compressed(client, size, method, accepted):
    """G-040, G-063: the client does not take it, the method does not ask for it, the message is too small."""
    answer = client.ask(b"a" * size, method=method, grpc_accept_encoding=accepted)
    assert "grpc-encoding" not in answer.headers
    assert parts(answer.data) == [(0, b"a" * size)]


def test_answer_that_would_grow_is_sent_as_it_is(client):
    """G-040."""
    noise = random.Random(1).randbytes(20_000)
    answer = ask(client, framed(noise), "Squeeze", None, grpc_accept_encoding="gzip")
    assert parts(answer.data) == [(0, noise)]


def test_small_and_large_messages_of_one_stream(client):
    """G-077: the headers go first, and then each message by itself."""
    for count, size, flag in [(3, 100, 0), (3, 5000, 1), (1, 1 << 20, 1), (1, (1 << 20) + 1, 0)]:
        answer = client.ask(f"{count} {size} 0".encode(), method="SqueezeStream", grpc_accept_encoding="gzip")
        assert answer.headers["grpc-encoding"] == "gzip"
        assert [part[0] for part in parts(answer.data)] == [flag] * count
        for _, data in parts(answer.data):
            assert (gzip.decompress(data) if flag else data) == b"m" * size


def test_error_is_not_coded(client):
    """G-063, G-068."""
    answer = client.ask(b"5 0 - nothing", method="Fail", grpc_accept_encoding="gzip")
    assert answer.is_trailers_only and "grpc-encoding" not in answer.headers


def test_answers_beyond_a_turns_share_leave_as_they_are(client):
    """Compression takes a bounded part of a turn: with many large answers at once some are not compressed."""
    streams, frames = [], []
    for _ in range(100):
        streams.append(client.new_stream())
        block = client.encoder.encode(client.fields("SqueezeStream", grpc_accept_encoding="gzip"))
        frames.append(HeadersFrame(streams[-1], block, flags=["END_HEADERS"]))
        frames.append(DataFrame(streams[-1], framed(b"1 60000 0"), flags=["END_STREAM"]))
    client.send(*frames)
    flags = []
    for stream in streams:
        [(flag, data)] = parts(client.answer(stream).data)
        assert (gzip.decompress(data) if flag else data) == b"m" * 60_000
        flags.append(flag)
    print(f"measured: {sum(flags)} of {len(flags)} answers compressed")
    assert 0 < sum(flags) < len(flags)


@pytest.mark.parametrize("coding", [grpc.Compression.NoCompression, grpc.Compression.Gzip], ids=str)
def test_grpcio_takes_compressed_answers(echo, coding):
    """G-040, G-054."""
    with echo.channel() as channel:
        for size in [0, 1, 1024, 100_000, 1 << 20, 3 << 20]:
            message = random.Random(size).randbytes(size // 3) + b"x" * (size - size // 3)
            assert unary(channel, "Squeeze")(message, compression=coding) == message
        answers = list(server_stream(channel, "SqueezeStream")(b"50 20000 0"))
        assert answers == [b"m" * 20_000] * 50


def test_connections_carry_no_context(fresh_echo):
    """Contexts are the loops': connections that have compressed cost what others do."""
    sizes = {}
    for encoding in (None, "gzip"):
        clients = []
        before = fresh_echo.resident_kib()
        for _ in range(200):
            client = RawClient(fresh_echo.port)
            clients.append(client)
            data = framed(gzip.compress(b"x" * 2000), 1) if encoding else framed(b"x" * 2000)
            assert ask(client, data, "Squeeze", encoding, grpc_accept_encoding="gzip" if encoding else None).status == 0
        sizes[encoding] = (fresh_echo.resident_kib() - before) / 200
        for client in clients:
            client.socket.close()
    print(f"measured: KiB a connection, without and with compression: {sizes[None]:.1f}, {sizes['gzip']:.1f}")
    assert sizes["gzip"] < sizes[None] + 8
