"""What HTTP/2 asks of a server frame by frame, beside what test_broken.py has: order, windows, tables, streams that are over."""

import struct
import subprocess
import time

import pytest
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    HeadersFrame,
    PingFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)

from echo_server import EchoServer, eventually, unary
from raw_http2 import RawClient, framed, messages
from sanitizers import within
from test_broken import FIELDS, plain_block


def acknowledgements(client):
    return sum(isinstance(frame, SettingsFrame) and "ACK" in frame.flags for frame in client.frames)


@pytest.mark.parametrize("count", [1, 7, 50])
def test_each_settings_frame_is_acknowledged(echo, count):
    """G-002: as many acknowledgements as frames, and what the last of them said holds."""
    with RawClient(echo.port) as client:
        client.receive_until(lambda: acknowledgements(client) == 1, 5)
        client.send(*(SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: size + 10}) for size in range(count)))
        client.receive_until(lambda: acknowledgements(client) == 1 + count, 5)
        client.gives_credit = False
        stream = client.call(b"x" * 500)
        window = count - 1 + 10
        client.receive_until(lambda: len(client.answers[stream].data) == window, 5)
        client.receive(0.1)
        assert len(client.answers[stream].data) == window
        assert acknowledgements(client) == 1 + count


def test_ping_overtakes_what_waits(echo):
    """G-008: while megabytes wait for the client to read, the answer to a PING comes before them."""
    with RawClient(echo.port, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 1 << 24}) as client:
        client.send(WindowUpdateFrame(0, 1 << 24))
        client.call(b"200 65536", "ServerStream")
        client.receive_until(lambda: any(isinstance(frame, DataFrame) for frame in client.frames), 5)
        client.send(PingFrame(0, b"overtake"))
        client.receive_until(lambda: any(isinstance(frame, PingFrame) for frame in client.frames), 10)
        before = sum(len(frame.data) for frame in client.frames if isinstance(frame, DataFrame))
        # Not all of the 12.5 MiB: what the sockets hold cannot be overtaken.
        print(f"measured: {before >> 10} KiB came before the answer to the PING")
        assert before < 12 << 20


def test_stream_below_the_last_starts_no_call(echo):
    """G-007: nghttp2 ignores it; nothing is answered, and the connection goes on."""
    with RawClient(echo.port) as client:
        client.next_stream = 11
        assert client.ask(b"first").status == 0
        received = echo.stats()["received"]
        client.next_stream = 5
        stream = client.call(b"late", "Counted")
        client.next_stream = 13
        try:
            assert client.ask(b"next").status == 0
        except AssertionError:
            assert client.is_closed and client.goaways
        assert not client.answers[stream].blocks
        assert echo.stats()["received"] == received


@pytest.mark.parametrize("limit", [16_384, 20_000, 1 << 24])
def test_frames_obey_the_clients_maximum(echo, limit):
    """G-009: a frame is never larger than the client's SETTINGS_MAX_FRAME_SIZE."""
    settings = {SettingsFrame.MAX_FRAME_SIZE: limit if limit < 1 << 24 else limit - 1, SettingsFrame.INITIAL_WINDOW_SIZE: 1 << 24}
    with RawClient(echo.port, settings=settings) as client:
        client.send(WindowUpdateFrame(0, 1 << 24))
        client.receive_until(lambda: acknowledgements(client) == 1, 5)
        assert len(messages(client.ask(b"2 300000", "ServerStream").data)) == 2
        largest = max(len(frame.data) for frame in client.frames if isinstance(frame, DataFrame))
        assert largest <= limit


def test_table_is_kept_in_step_over_refused_streams():
    """G-011: fields that came with a stream that was refused are in the table for the next."""
    with EchoServer("--streams-per-connection", "2") as server, RawClient(server.port) as client:
        client.receive_until(lambda: acknowledgements(client) == 1, 5)
        waiting = [client.call(b"700", "Sleep") for _ in range(2)]
        time.sleep(0.05)
        refused = client.headers(client.fields(x_new_field="value that is in no table yet"))
        client.data(refused, framed(b"x"))
        answer = client.answer(refused)
        assert answer.reset == 7, "REFUSED_STREAM"
        for stream in waiting:
            assert client.answer(stream).status == 0
        # The encoder refers to its table now; what the server's decoder missed would end the connection.
        echoed = client.ask(b"", "Metadata", x_new_field="value that is in no table yet")
        assert echoed.status == 0
        assert echoed.headers["x-new-field"] == "value that is in no table yet"


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize("size, is_taken", [(15_000, True), (17_000, False)])
def test_limit_of_headers_holds_over_continuations(echo, parts, size, is_taken):
    """G-018, G-046: 16 KiB of names, values and 32 octets a field, in however many frames; the connection stays."""
    fields = [*FIELDS, *((b"x-%d" % number, b"v" * 64) for number in range((size - 350) // 100))]
    block = plain_block(fields)
    with RawClient(echo.port) as client:
        stream = client.new_stream()
        length = -(-len(block) // parts)
        pieces = [block[start : start + length] for start in range(0, len(block), length)]
        first = HeadersFrame(stream, pieces[0], flags=["END_HEADERS"] if len(pieces) == 1 else [])
        later = [ContinuationFrame(stream, piece) for piece in pieces[1:]]
        if later:
            later[-1].flags.add("END_HEADERS")
        client.send(first, *later)
        client.data(stream, framed(b"hello"))
        assert client.answer(stream).status == (0 if is_taken else 8)
        assert client.ask(b"next").status == 0


@pytest.mark.parametrize("ending", ["answered", "reset by the client", "refused"])
def test_frames_on_a_closed_stream_start_nothing(echo, ending):
    """G-019: DATA, HEADERS, WINDOW_UPDATE and RST_STREAM for it: no call, no answer; others are served."""
    with RawClient(echo.port) as client:
        if ending == "answered":
            stream = client.call(b"hello")
            client.answer(stream)
        elif ending == "refused":
            stream = client.call(b"hello", "Nothing")
            client.answer(stream)
        else:
            stream = client.headers(client.fields("SlowReader"))
            client.send(RstStreamFrame(stream, error_code=8))
        before = echo.stats()["received"]
        blocks = len(client.answers[stream].blocks)
        client.send(WindowUpdateFrame(stream, 100), RstStreamFrame(stream, error_code=8))
        client.send(DataFrame(stream, framed(b"late"), flags=["END_STREAM"]))
        try:
            assert client.ask(b"next").status == 0
        except AssertionError:
            # A connection error is an answer, too: STREAM_CLOSED.
            assert client.goaways and client.goaways[-1].error_code == 5
        assert len(client.answers[stream].blocks) == blocks
        assert echo.stats()["received"] == before


def test_data_behind_the_end_is_stream_closed(echo):
    """G-019: STREAM_CLOSED for the stream or the connection; the handler has seen what came before, once."""
    with RawClient(echo.port) as client:
        stream = client.headers(client.fields("SlowReader"))
        client.data(stream, framed(b"x"))
        client.send(DataFrame(stream, framed(b"late")))
        client.receive_until(lambda: client.answers[stream].reset is not None or client.goaways, 5)
        code = client.answers[stream].reset if client.answers[stream].reset is not None else client.goaways[-1].error_code
        assert code == 5


def test_sockets_do_not_wait_to_fill_packets(tmp_path):
    """G-029: TCP_NODELAY is set on what is accepted."""
    with EchoServer() as server:
        trace = tmp_path / "trace"
        tracer = subprocess.Popen(
            ["strace", "-f", "-e", "trace=setsockopt", "-o", str(trace), "-p", str(server.process.pid)],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            # strace says so when it has attached.
            assert "attached" in tracer.stderr.readline()
            with server.channel() as connection:
                assert unary(connection, "Unary")(b"x", timeout=within(10)) == b"x"
            eventually(lambda: "TCP_NODELAY, [1]" in trace.read_text(), 5, "TCP_NODELAY")
        finally:
            tracer.terminate()
            tracer.wait()


# Windows by need (G-095)


def credit(client, stream):
    return sum(
        frame.window_increment for frame in client.frames if isinstance(frame, WindowUpdateFrame) and frame.stream_id == stream
    )


def announce(client, size, method="Unary"):
    """Opens a stream, and sends the prefix of a message of `size` bytes and nothing of it."""
    stream = client.headers(client.fields(method))
    client.data(stream, struct.pack(">BI", 0, size), end_stream=False)
    return stream


@pytest.mark.parametrize("size, growth", [(60_000, 0), (100_000, 100_000 - 65_536), (4 << 20, (1 << 20) - 65_536)])
def test_window_grows_with_the_message(echo, size, growth):
    """G-095: a message above 64 KiB is not sent in as many round trips as it has windows."""
    with RawClient(echo.port) as client:
        stream = announce(client, size)
        if growth:
            client.receive_until(lambda: credit(client, stream) >= growth, 5)
        assert client.ask(b"meanwhile").status == 0
        assert growth <= credit(client, stream) <= growth + 5


def test_growth_has_a_bound_and_comes_back(echo):
    """G-095: a hundred announcements get 4 MiB in all; what they got is there again when they have ended."""
    with RawClient(echo.port) as client:
        for _ in range(3):
            streams = [announce(client, 4 << 20) for _ in range(100)]
            assert client.ask(b"meanwhile").status == 0
            total = sum(credit(client, stream) for stream in streams)
            assert (4 << 20) - 100 * 5 <= total <= (4 << 20) + 100 * 5
            client.send(*(RstStreamFrame(stream, error_code=8) for stream in streams))
            assert client.ask(b"after").status == 0


def test_grown_window_is_used_whole(echo):
    """G-095: a message of 1 MiB goes in one burst after its prefix, without waiting for credit again."""
    message = bytes(range(256)) * 3_600
    with RawClient(echo.port) as client:
        client.send(WindowUpdateFrame(0, 1 << 24))
        stream = announce(client, len(message))
        client.receive_until(lambda: credit(client, stream) > len(message) - 65_536 - 10, 5)
        for start in range(0, len(message), 16_384):
            client.data(stream, message[start : start + 16_384], end_stream=start + 16_384 >= len(message))
        assert messages(client.answer(stream).data) == [message]
