"""StreamLoadEvents: many batches on one stream, each answered on its own, in order, once it is durable."""

from __future__ import annotations

import itertools
import queue
import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from energykit.v1 import load_event_pb2_grpc
from energykit.v1.load_event_pb2 import LoadEvent, StreamLoadEventsRequest, StreamLoadEventsResponse

from .caller import CALIFORNIA, CALL_LIMIT, FULL, HAWAII, Demo, session
from .server import Server


def stream(demo: Demo, requests: Iterator[StreamLoadEventsRequest], client: int = FULL, limit: float = CALL_LIMIT):
    stub = load_event_pb2_grpc.LoadEventServiceStub(demo.channel)
    return stub.StreamLoadEvents(requests, metadata=demo.caller(client).metadata, timeout=limit)


def batch(demo: Demo, sequence: int, events: list[LoadEvent], **fields: object) -> StreamLoadEventsRequest:
    return StreamLoadEventsRequest(
        **{"sequence": sequence, "venue_id": demo.venues[CALIFORNIA], "load_events": events, **fields}
    )


def outcome(response: StreamLoadEventsResponse) -> str:
    return response.refused.reason if response.WhichOneof("outcome") == "refused" else "accepted"


def test_batches_are_answered_in_order_and_a_refusal_ends_nothing(demo: Demo) -> None:
    token = demo.token()
    events = session(token, device="stream 1", count=12)
    bad = session("nonsense", device="stream 2")
    too_large = LoadEvent(id="x" * 70_000)
    batches = [
        batch(demo, 7, events[:4]),
        batch(demo, 8, events[4:5]),
        batch(demo, 2**64 - 1, events[6:5:-1] + events[5:3:-1]),
        batch(demo, 0, bad),
        batch(demo, 0, events[7:8], venue_id=str(uuid.uuid4())),
        batch(demo, 1, events[7:8], venue_id="no"),
        batch(demo, 2, []),
        batch(demo, 3, [*session(token, device="stream 3"), too_large], allow_partial_success=True),
        batch(demo, 4, events[7:]),
        batch(demo, 4, events),
        batch(demo, 5, [events[3]], venue_id=demo.venues[HAWAII]),
    ]
    answers = list(stream(demo, iter(batches)))
    assert [answer.sequence for answer in answers] == [request.sequence for request in batches]
    assert [outcome(answer) for answer in answers] == [
        "accepted", "accepted", "accepted", "INVALID_LOAD_EVENT", "VENUE_UNAVAILABLE", "INVALID_REQUEST",
        "INVALID_LOAD_EVENT", "accepted", "accepted", "accepted", "INVALID_LOAD_EVENT",
    ]  # fmt: skip
    assert [(each.accepted.stored_count, each.accepted.duplicate_count) for each in answers[:3]] == [
        (4, 0), (1, 0), (2, 1),
    ]  # fmt: skip
    refused = answers[3].refused
    assert (refused.code, refused.rejected_count, len(refused.rejected)) == (3, 3, 3)
    assert {(each.field, each.reason) for each in refused.rejected} == {
        (f"load_events[{index}].guidance_token", "UNKNOWN_GUIDANCE_TOKEN") for index in range(3)
    }
    assert abs(refused.server_time.seconds - time.time()) < 60
    assert answers[4].refused.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert (answers[7].accepted.stored_count, answers[7].accepted.rejected_count) == (3, 1)
    assert [(each.field, each.reason) for each in answers[7].accepted.rejected] == [("load_events[3]", "MALFORMED")]
    assert (answers[8].accepted.stored_count, answers[9].accepted.duplicate_count) == (5, 12)


def test_answers_come_while_the_stream_is_open(demo: Demo) -> None:
    requests: queue.Queue[StreamLoadEventsRequest | None] = queue.Queue()
    call = stream(demo, iter(requests.get, None))
    events = session(demo.token(), device="stream 4", count=40)
    for number, event in enumerate(events):
        requests.put(batch(demo, number, [event]))
        answer = next(call)
        assert (answer.sequence, answer.accepted.stored_count) == (number, 1)
    requests.put(None)
    assert next(call, None) is None
    assert call.code() == grpc.StatusCode.OK


def test_an_empty_stream_ends_well(demo: Demo) -> None:
    assert list(stream(demo, iter(()))) == []


def test_a_fast_sender_is_held_and_loses_nothing(server: Server, demo: Demo) -> None:
    """Nobody reads for a while: what waits for answers is bounded (G-092)."""
    token, count, size = demo.token(), 600, 200
    taken = itertools.count()
    reached = [0]

    def requests() -> Iterator[StreamLoadEventsRequest]:
        for number in range(count):
            reached[0] = next(taken)
            yield batch(demo, number, session(token, device=f"stream {number % 50}", count=size), allow_partial_success=True)

    before = server.status_kib("VmRSS")
    call = stream(demo, requests(), limit=CALL_LIMIT * 3)
    time.sleep(2)
    grown = server.status_kib("VmRSS") - before
    answers = list(call)
    assert [answer.sequence for answer in answers] == list(range(count))
    assert sum(answer.accepted.stored_count for answer in answers) == count * size
    print(f"measured: {reached[0] + 1} batches of {size} sent, the server {grown} KiB larger before anything was read")


def test_a_large_batch_is_decoded_in_slices(demo: Demo) -> None:
    events = session(demo.token(), device="stream large", count=9_000)
    small = session(demo.token(), device="stream small")
    answers = list(stream(demo, iter([batch(demo, 1, events), batch(demo, 2, small)])))
    assert [(answer.sequence, answer.accepted.stored_count) for answer in answers] == [(1, 9_000), (2, 3)]


def test_what_does_not_parse_ends_the_stream(server: Server, demo: Demo) -> None:
    method = demo.channel.stream_stream(
        "/energykit.v1.LoadEventService/StreamLoadEvents",
        request_serializer=bytes,
        response_deserializer=StreamLoadEventsResponse.FromString,
    )
    good = batch(demo, 1, session(demo.token(), device="stream 9")).SerializeToString()
    call = method(iter([good, b"\xff\xff"]), metadata=demo.caller().metadata, timeout=CALL_LIMIT)
    with pytest.raises(grpc.RpcError):
        list(call)
    assert call.code() == grpc.StatusCode.INTERNAL


@pytest.mark.parametrize("how", ["cancel", "kill"])
def test_what_was_acknowledged_is_there_after_a_cut(data: Path, how: str) -> None:
    data.mkdir()
    acknowledged: set[int] = set()
    with Server(data) as server, Demo(server) as demo:
        token = demo.token()
        batches = [batch(demo, number, session(token, device=f"cut {number % 20}")) for number in range(3_000)]
        call = stream(demo, iter(batches), limit=CALL_LIMIT * 2)

        def read() -> None:
            try:
                for answer in call:
                    acknowledged.add(answer.sequence)
            except grpc.RpcError:
                pass

        reader = threading.Thread(target=read)
        reader.start()
        deadline = time.monotonic() + CALL_LIMIT
        while len(acknowledged) < 50 and time.monotonic() < deadline:
            time.sleep(0.001)
        call.cancel() if how == "cancel" else server.kill()
        reader.join(CALL_LIMIT)
        assert not reader.is_alive() and len(acknowledged) >= 50
        if how == "cancel":
            server.stop()
    with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
        stored = {uuid.UUID(bytes=row[0]) for row in store.execute("SELECT id FROM events")}
    for number in acknowledged:
        assert {uuid.UUID(event.id) for event in batches[number].load_events} <= stored
    with Server(data) as server, Demo(server) as demo:
        # As docs/api.md has it: all that was not acknowledged, again, in order.
        rest = [each for each in batches if each.sequence not in acknowledged]
        answers = list(stream(demo, iter(rest), limit=CALL_LIMIT * 3))
        assert [answer.sequence for answer in answers] == [each.sequence for each in rest]
        assert all(
            answer.accepted.stored_count + answer.accepted.duplicate_count == 3 for answer in answers
        )
        server.stop()
    with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
        assert store.execute("SELECT count(*) FROM events").fetchone() == (9_000,)
    print(f"measured: {len(acknowledged)} of 3,000 batches acknowledged before the cut ({how}), all found")
