"""StreamLoadEvents: many batches on one stream, each answered on its own, in order, once it is durable."""

from __future__ import annotations

import bisect
import itertools
import queue
import sqlite3
import struct
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import grpc
import pytest
from energykit.v1 import load_event_pb2_grpc
from energykit.v1.load_event_pb2 import LoadEvent, StreamLoadEventsRequest, StreamLoadEventsResponse

from .caller import CALIFORNIA, CALL_LIMIT, FULL, HAWAII, Demo, session
from .raw_http2 import (
    ACK, DATA, DEFAULT_WINDOW, END_HEADERS, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, SETTINGS, WINDOW_UPDATE, Frame,
    RawConnection, frame, message, split_messages,
)  # fmt: skip
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


class FastSender:
    """One stream by hand: sends all that the windows allow, and counts the batches that are ahead of their answers."""

    def __init__(self, demo: Demo, server: Server, batches: list[StreamLoadEventsRequest]):
        self.peer = RawConnection(server.address)
        self.stream = self.peer.new_stream()
        self.windows = {0: DEFAULT_WINDOW, self.stream: DEFAULT_WINDOW}
        messages = [message(each.SerializeToString()) for each in batches]
        self.ends = list(itertools.accumulate(map(len, messages)))  # where each batch ends
        self.left = memoryview(b"".join(messages))
        self.sent, self.data, self.status = 0, b"", None
        self.answers: list[StreamLoadEventsResponse] = []
        self.most_ahead = 0
        block = self.peer.header_block("/energykit.v1.LoadEventService/StreamLoadEvents", demo.keys[FULL])
        self.peer.send(frame(HEADERS, END_HEADERS, self.stream, block))

    def run(self, limit: float) -> None:
        deadline = time.monotonic() + limit
        while self.status is None and time.monotonic() < deadline:
            while frames := self.peer.read(0.02):  # all answers that have left count before more is sent
                for each in frames:
                    self._note(each)
            assert frames is not None, "the server has closed the connection"
            self._send()

    def _send(self) -> None:
        while self.left and (size := min(16_384, len(self.left), *self.windows.values())) > 0:
            flags = END_STREAM if size == len(self.left) else 0
            self.peer.send(frame(DATA, flags, self.stream, bytes(self.left[:size])))
            self.left = self.left[size:]
            self.sent += size
            self.windows = {stream: left - size for stream, left in self.windows.items()}
        self.most_ahead = max(self.most_ahead, bisect.bisect_right(self.ends, self.sent) - len(self.answers))

    def _note(self, each: Frame) -> None:
        if each.kind == WINDOW_UPDATE and each.stream in self.windows:
            self.windows[each.stream] += int.from_bytes(each.payload, "big")
        elif each.kind == SETTINGS and not each.flags & ACK:
            settings = dict(struct.iter_unpack(">HI", each.payload))
            self.windows[self.stream] += settings.get(INITIAL_WINDOW_SIZE, DEFAULT_WINDOW) - DEFAULT_WINDOW
        elif each.kind == DATA:
            found, self.data = split_messages(self.data + each.payload)
            self.answers += map(StreamLoadEventsResponse.FromString, found)
        elif each.kind == HEADERS:
            self.status = dict(self.peer.decoder.decode(each.payload)).get("grpc-status")


# Events of a batch, batches, and how many of them the server takes ahead of their answers: 32, or 2,000 events.
@pytest.mark.heavy
@pytest.mark.parametrize(("size", "count", "at_work"), [(5, 200, 32), (20, 80, 32), (150, 30, 14), (2_500, 4, 1)])
@pytest.mark.parametrize("slow", [400], indirect=True)
def test_a_fast_sender_is_held_and_loses_nothing(slow: Server, size: int, count: int, at_work: int) -> None:
    """Commits take a while: what is taken ahead of its answer is bounded, to the batch (G-092)."""
    with Demo(slow) as demo:
        token, begin = demo.token(), datetime.now(timezone.utc) - timedelta(days=2)
        batches = [
            batch(
                demo, number,
                session(token, device="fast", begin=begin + timedelta(minutes=number), count=size,
                        step=timedelta(milliseconds=10)),
            )
            for number in range(count)
        ]  # fmt: skip
        sender = FastSender(demo, slow, batches)
        try:
            sender.run(CALL_LIMIT * 3)
        finally:
            sender.peer.close()
        largest = max(5 + each.ByteSize() for each in batches)
        # What the stream's window holds is not yet taken; it grows where a message is larger than it is.
        unread = 65_536 // min(5 + each.ByteSize() for each in batches) if largest < 65_536 else 1
        print(f"measured: batches of {size} events, {largest} bytes: {sender.most_ahead} ahead at most,"
              f" {at_work} at work and {unread} in the window")  # fmt: skip
        assert at_work <= sender.most_ahead <= at_work + unread
        assert [answer.sequence for answer in sender.answers] == list(range(count)) and sender.status == "0"
        assert {outcome(answer) for answer in sender.answers} == {"accepted"}
        assert {answer.accepted.stored_count for answer in sender.answers} == {size}
        slow.stop()
    with sqlite3.connect(f"file:{slow.data}/energykit.sqlite3?mode=ro", uri=True) as store:
        stored = {uuid.UUID(bytes=row[0]) for row in store.execute("SELECT id FROM events")}
    assert stored == {uuid.UUID(event.id) for each in batches for event in each.load_events}


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
