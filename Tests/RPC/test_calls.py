"""The four kinds of call as grpcio makes them."""

import asyncio
import threading
import time

import grpc
import pytest
from sanitizers import within

from echo_server import SERVICE, bidirectional, client_stream, eventually, server_stream, unary

MESSAGES = [b"", b"x", b"hello" * 100, bytes(range(256)) * 1000]


@pytest.mark.parametrize("method", ["Unary", "UnaryAsync"])
@pytest.mark.parametrize("message", MESSAGES, ids=len)
def test_unary_call_is_answered(echo, method, message):
    """G-050, G-062, G-065, G-066."""
    with echo.channel() as connection:
        answer, call = unary(connection, method).with_call(message)
        assert answer == message
        assert call.code() == grpc.StatusCode.OK


def test_server_stream_comes_whole_and_in_order(echo):
    """G-065, G-088."""
    with echo.channel() as connection:
        assert list(server_stream(connection, "ServerStream")(b"500 1000")) == [b"m" * 1000] * 500


def test_empty_server_stream_is_ok(echo):
    """G-068."""
    with echo.channel() as connection:
        assert list(server_stream(connection, "ServerStream")(b"0 0")) == []


@pytest.mark.parametrize("count", [0, 1, 3, 1000])
def test_client_stream_is_read_to_its_end(echo, count):
    """G-085, G-092."""
    with echo.channel() as connection:
        answer = client_stream(connection, "ClientStream")(iter([b"abcd"] * count))
        assert answer == f"{count} {4 * count}".encode()


def test_client_stream_of_large_messages_flows(echo):
    """G-092: messages above the stream's window, with credit for each being assembled."""
    with echo.channel() as connection:
        answer = client_stream(connection, "ClientStream")(iter([b"x" * (3 << 20)] * 8))
        assert answer == f"8 {24 << 20}".encode()


def test_bidirectional_stream_answers_while_it_reads(echo):
    """G-085."""
    with echo.channel() as connection:
        proceed = threading.Semaphore(1)

        def requests():
            for index in range(50):
                assert proceed.acquire(timeout=within(5))
                yield str(index).encode()

        answers = []
        for answer in bidirectional(connection, "Bidi")(requests()):
            answers.append(answer)
            proceed.release()
        assert answers == [str(index).encode() for index in range(50)]


def test_server_goes_on_after_the_half_close(echo):
    """G-085."""
    with echo.channel() as connection:
        answers = list(bidirectional(connection, "HalfClose")(iter([b"a", b"b"])))
        assert answers == [b"2 0", b"2 1", b"2 2"]


def test_status_before_the_half_close_ends_the_call(echo):
    """G-072: the server refuses while the client still sends."""
    with echo.channel() as connection:
        stop = threading.Event()

        def requests():
            while not stop.wait(0.01):
                yield b"x" * 1000

        call = bidirectional(connection, "Refuse")(requests())
        assert call.code() == grpc.StatusCode.PERMISSION_DENIED
        stop.set()
        assert unary(connection, "Unary")(b"next") == b"next"


def test_thousand_calls_at_once_on_one_connection(echo):
    """G-017, G-093."""

    async def run():
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
        async with grpc.aio.insecure_channel(echo.address, options=options) as connection:
            call = connection.unary_unary(SERVICE + "Sleep")
            start = time.monotonic()
            answers = await asyncio.gather(*(call(b"100") for _ in range(1000)))
            print(f"measured: 1,000 calls at once on one connection: {time.monotonic() - start:.2f} s")
            return answers

    assert asyncio.run(run()) == [b"slept"] * 1000


def test_all_four_kinds_by_aio(echo):
    """G-065, G-085."""

    async def run():
        async with grpc.aio.insecure_channel(echo.address) as connection:
            assert await connection.unary_unary(SERVICE + "Unary")(b"a") == b"a"
            stream = connection.unary_stream(SERVICE + "ServerStream")(b"3 2 5")
            assert [message async for message in stream] == [b"mm"] * 3
            assert await connection.stream_unary(SERVICE + "ClientStream")(iter([b"a", b"b"])) == b"2 2"
            both = connection.stream_stream(SERVICE + "Bidi")()
            for text in (b"a", b"b"):
                await both.write(text)
                assert await both.read() == text
            await both.done_writing()
            assert await both.read() == grpc.aio.EOF
            assert await both.code() == grpc.StatusCode.OK

    asyncio.run(run())


# Deadlines and cancellation


def test_deadline_ends_a_unary_call_and_its_handler(echo):
    """G-036, G-038, G-086."""
    before = echo.stats()
    with echo.channel() as connection, pytest.raises(grpc.RpcError) as error:
        unary(connection, "Sleep")(b"20000", timeout=0.3)
    assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    eventually(lambda: echo.stats()["cancelled"] > before["cancelled"], 1, "the handler is cancelled")


def test_deadline_ends_a_stream_and_its_handler(echo):
    """G-038, G-086."""
    before = echo.stats()
    with echo.channel() as connection:
        call = server_stream(connection, "ServerStream")(b"1000 10 20", timeout=0.3)
        with pytest.raises(grpc.RpcError) as error:
            for _ in call:
                pass
        assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    eventually(lambda: echo.stats()["cancelled"] > before["cancelled"], 1, "the handler is cancelled")


def test_deadline_over_before_the_call_arrives(echo):
    """G-036."""
    with echo.channel() as connection, pytest.raises(grpc.RpcError) as error:
        unary(connection, "Sleep")(b"1000", timeout=0)
    assert error.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize("request_bytes", [b"100000 10 20", b"100000 100000 0"], ids=["waiting", "writing"])
def test_cancellation_reaches_the_handler(echo, request_bytes):
    """G-021, G-086: also one that waits for room to write."""
    before = echo.stats()
    with echo.channel() as connection:
        call = server_stream(connection, "ServerStream")(request_bytes)
        next(call)
        call.cancel()
        seconds = eventually(lambda: echo.stats()["cancelled"] > before["cancelled"], 1, "the handler is cancelled")
        print(f"measured: cancellation to handler's end: {1000 * seconds:.0f} ms")
        with pytest.raises(grpc.RpcError) as error:
            for _ in call:
                pass
        assert error.value.code() == grpc.StatusCode.CANCELLED
        assert unary(connection, "Unary")(b"next") == b"next"


def test_cancellation_reaches_a_handler_that_waits_for_requests(echo):
    """G-086."""
    before = echo.stats()
    release = threading.Event()

    def requests():
        yield b"one"
        release.wait(10)

    with echo.channel() as connection:
        call = bidirectional(connection, "Bidi")(requests())
        assert next(call) == b"one"
        call.cancel()
        eventually(lambda: echo.stats()["cancelled"] > before["cancelled"], 1, "the handler is cancelled")
        release.set()


# Sizes


def test_message_of_the_limit_is_taken_and_one_more_is_not(echo):
    """G-056."""
    limit = 4 << 20
    with echo.channel() as connection:
        assert len(unary(connection, "Unary")(b"x" * limit)) == limit
        with pytest.raises(grpc.RpcError) as error:
            unary(connection, "Unary")(b"x" * (limit + 1))
        assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert str(limit) in error.value.details() and str(limit + 1) in error.value.details()
        assert unary(connection, "Unary")(b"next") == b"next"


def test_limit_of_one_method(echo):
    """G-056."""
    with echo.channel() as connection:
        assert unary(connection, "Small")(b"x" * 16) == b"x" * 16
        with pytest.raises(grpc.RpcError) as error:
            unary(connection, "Small")(b"x" * 17)
        assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_answer_of_64_mebibytes(echo):
    """G-088, G-092."""
    with echo.channel() as connection:
        start = time.monotonic()
        (message,) = server_stream(connection, "ServerStream")(f"1 {64 << 20}".encode())
        assert message == b"m" * (64 << 20)
        print(f"measured: one message of 64 MiB: {time.monotonic() - start:.2f} s")


# Metadata


def test_metadata_goes_both_ways(echo):
    """G-042, G-043, G-044, G-045."""
    sent = [("x-text", "a b~!"), ("x-twice", "1"), ("x-twice", "2"), ("x-bytes-bin", bytes(range(256))), ("x-none-bin", b"")]
    with echo.channel() as connection:
        answer, call = unary(connection, "Metadata").with_call(b"", metadata=sent)
        for received in (call.initial_metadata(), call.trailing_metadata()):
            received = [(key, value) for key, value in received if key.startswith("x-")]
            assert received == sent
    lines = answer.decode().splitlines()
    assert "user-agent=" in answer.decode()
    assert not [line for line in lines if line.startswith(("grpc-", ":", "te=", "content-type="))]


def test_metadata_above_the_limit_costs_the_call_only(echo):
    """G-046, G-018."""
    with echo.channel(**{"grpc.max_metadata_size": 64 << 10, "grpc.absolute_max_metadata_size": 64 << 10}) as connection:
        with pytest.raises(grpc.RpcError) as error:
            unary(connection, "Unary")(b"x", metadata=[("x-large", "v" * (17 << 10))])
        assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert unary(connection, "Unary")(b"next") == b"next"


# Errors


def status_of(call):
    with pytest.raises(grpc.RpcError) as error:
        call()
    return error.value


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code != grpc.StatusCode.OK], ids=lambda code: code.name)
def test_every_status_reaches_the_client(echo, code):
    """G-066, G-068."""
    with echo.channel() as connection:
        error = status_of(lambda: unary(connection, "Fail")(f"{code.value[0]} 0 - why".encode()))
        assert (error.code(), error.details()) == (code, "why")


@pytest.mark.parametrize("method", ["Fail", "FailLate"])
@pytest.mark.parametrize("text", ["", "100 % läuft ⚡", "a\r\nb", " spaces "])
def test_message_details_and_pushback_reach_the_client(echo, method, text):
    """G-067, G-074, G-076."""
    with echo.channel() as connection:
        error = status_of(lambda: list(server_stream(connection, method)(f"10 500 1500 {text}".encode())))
        assert (error.code(), error.details()) == (grpc.StatusCode.ABORTED, text)
        trailers = dict(error.trailing_metadata())
        assert trailers["grpc-status-details-bin"] == b"\xd7" * 500
        assert trailers["grpc-retry-pushback-ms"] == "1500"


def test_trailers_are_cut_to_what_every_client_takes(echo):
    """G-075."""
    with echo.channel() as connection:
        error = status_of(lambda: unary(connection, "Fail")(b"9 3000 - " + "ü".encode() * 9000))
        assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
        assert 100 < len(error.details()) < 9000 and set(error.details()) == {"ü"}
        assert dict(error.trailing_metadata())["grpc-status-details-bin"] == b"\xd7" * 3000
        error = status_of(lambda: unary(connection, "Fail")(b"9 9000 - why"))
        assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "why")
        assert "grpc-status-details-bin" not in dict(error.trailing_metadata())


def test_thrown_error_says_nothing_of_the_inside(echo):
    """G-069, G-073."""
    with echo.channel() as connection:
        error = status_of(lambda: unary(connection, "Throw")(b""))
        assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, "the method failed")


@pytest.mark.parametrize("path", [SERVICE + "Absent", "/grpc.echo.v1.Absent/Unary", "/a/b/c", "/grpc.echo.v1.echo/Unary"])
def test_unknown_method_or_service(echo, path):
    """G-031, G-047."""
    with echo.channel() as connection:
        error = status_of(lambda: connection.unary_unary(path)(b"x" * 100_000))
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED
        assert "unknown" in error.details()


def test_second_request_of_a_unary_call(echo):
    """G-058, G-059."""
    with echo.channel() as connection:
        error = status_of(lambda: connection.stream_unary(SERVICE + "Unary")(iter([b"a", b"b"])))
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED
        error = status_of(lambda: connection.stream_unary(SERVICE + "Unary")(iter([])))
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED


# One message for many calls


def test_broadcast_reaches_every_subscriber_with_its_own_prefix(echo):
    """G-096: 20 connections with 50 calls each, over both loops."""
    connections = [echo.channel() for _ in range(20)]
    first = f"first {time.monotonic()}".encode()
    unary(connections[0], "Publish")(first)
    calls = {}
    for index, connection in enumerate(connections):
        for number in range(50):
            name = f"{index}/{number}".encode()
            calls[name] = server_stream(connection, "Subscribe")(name, timeout=within(20))
    for name, call in calls.items():
        # Joined before or after the first publication: either way the newest comes first.
        assert next(call) == name + b":" + first
    start = time.monotonic()
    unary(connections[0], "Publish")(b"second")
    for name, call in calls.items():
        assert next(call) == name + b":second"
    print(f"measured: one message to 1,000 grpcio calls: {1000 * (time.monotonic() - start):.0f} ms")
    unary(connections[0], "FinishAll")(b"14 0 - over")
    for call in calls.values():
        assert call.code() == grpc.StatusCode.UNAVAILABLE
    for connection in connections:
        connection.close()
