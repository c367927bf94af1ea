"""A disk that takes its time: who sends too much is told so, and nobody else waits long."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import grpc
import pytest
from energykit.errors import ErrorDetails
from energykit.v1 import load_event_pb2_grpc
from energykit.v1.load_event_pb2 import StreamLoadEventsRequest, SubmitLoadEventsRequest

from .caller import CALIFORNIA, CALL_LIMIT, Demo, session
from .operator import Operator
from .server import Server

pytestmark = pytest.mark.heavy
FLOOD_SECONDS = 6


def stored(server: Server) -> int:
    with sqlite3.connect(f"file:{server.data}/energykit.sqlite3?mode=ro", uri=True) as store:
        return store.execute("SELECT count(*) FROM events").fetchone()[0]


class Flood:
    """Many batches of one client at once, as fast as they are answered."""

    def __init__(self, demo: Demo, server: Server, batch_events: int = 100, at_once: int = 400):
        self.outcomes: Counter[str] = Counter()
        self.delays: set[float] = set()
        self.stored = 0
        operator = Operator(demo)
        made, self.venue = operator.make_client(), operator.make_venue()
        operator.allow(made, self.venue)
        self.metadata = operator.caller(made).metadata
        self.token = operator.caller(made).get_guidance(self.venue).guidance.guidance_token
        self.channels = [
            grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(2)
        ]
        self.batch_events, self.at_once = batch_events, at_once
        self.thread = threading.Thread(target=self._run)
        self.end = time.monotonic() + FLOOD_SECONDS
        self.thread.start()

    def _run(self) -> None:
        stubs = [load_event_pb2_grpc.LoadEventServiceStub(channel) for channel in self.channels]
        begin, number, waiting = datetime.now(timezone.utc) - timedelta(days=20), 0, []
        while time.monotonic() < self.end or waiting:
            while len(waiting) < self.at_once and time.monotonic() < self.end:
                events = session(
                    self.token, device=f"d{number % 200}", begin=begin + timedelta(seconds=number),
                    count=self.batch_events, step=timedelta(milliseconds=1),
                )  # fmt: skip
                request = SubmitLoadEventsRequest(venue_id=self.venue, load_events=events)
                stub = stubs[number % len(stubs)]
                waiting.append(stub.SubmitLoadEvents.future(request, metadata=self.metadata, timeout=CALL_LIMIT))
                number += 1
            try:
                self.stored += waiting.pop(0).result().stored_count
                self.outcomes["stored"] += 1
            except grpc.RpcError as error:
                details = ErrorDetails.of(error)
                self.outcomes[details.reason] += 1
                if details.reason == "SERVICE_UNAVAILABLE":
                    self.delays.add(details.retry_delay.total_seconds())

    def finish(self) -> None:
        self.thread.join()
        for channel in self.channels:
            channel.close()


@pytest.mark.parametrize("slow", [60], indirect=True)
def test_a_flood_is_shed_and_holds_up_nobody_else(slow: Server) -> None:
    with Demo(slow) as demo:
        caller, venue, token = demo.caller(), demo.venues[CALIFORNIA], demo.token()
        flood = Flood(demo, slow)
        waits, count = [], 0
        chance = random.Random(5)
        while time.monotonic() < flood.end:
            begin = time.monotonic()
            count += caller.submit(venue, session(token, device=f"quiet {len(waits) % 20}")).stored_count
            waits.append(time.monotonic() - begin)
            time.sleep(chance.uniform(0, 0.1))
        flood.finish()
        print(f"measured: beside a flood on a disk of 60 ms, {len(waits)} small batches: median "
              f"{sorted(waits)[len(waits) // 2]:.2f} s, worst {max(waits):.2f} s; the flood: {dict(flood.outcomes)}")  # fmt: skip
        assert max(waits) < 2 and len(waits) >= 5
        # Shed, and told when to come back; what was stored is stored.
        assert flood.outcomes["SERVICE_UNAVAILABLE"] > 0 and flood.outcomes["stored"] > 0
        assert set(flood.outcomes) == {"SERVICE_UNAVAILABLE", "stored"} and flood.delays == {1.0}
        assert stored(slow) == count + flood.stored


@pytest.mark.parametrize("slow", [400], indirect=True)
def test_a_stream_that_is_faster_than_the_disk_is_held(slow: Server) -> None:
    """32 batches wait for their commit at most; the windows hold the rest, and all are answered in the end."""
    with Demo(slow) as demo:
        token, begin = demo.token(), datetime.now(timezone.utc) - timedelta(days=2)
        batches = [
            session(token, device="fast", begin=begin + timedelta(minutes=number), count=20, step=timedelta(seconds=1))
            for number in range(400)
        ]
        taken = 0  # by gRPC's own buffers, which ask for more where they have sent what they had

        def requests() -> Iterator[StreamLoadEventsRequest]:
            nonlocal taken
            for number, events in enumerate(batches):
                taken = number + 1
                yield StreamLoadEventsRequest(sequence=number, venue_id=demo.venues[CALIFORNIA], load_events=events)

        stub = load_event_pb2_grpc.LoadEventServiceStub(demo.channel)
        answers = stub.StreamLoadEvents(requests(), metadata=demo.caller().metadata, timeout=CALL_LIMIT * 3)
        ahead, order = [], []
        for answer in answers:
            ahead.append(taken - len(order))
            order.append(answer.sequence)
            assert answer.accepted.stored_count == 20
        batch_bytes = StreamLoadEventsRequest(load_events=batches[0]).ByteSize()
        print(f"measured: {max(ahead)} batches of {batch_bytes} bytes ahead of their answers at most")
        assert order == list(range(400))
        # 32 at work, 64 KiB in the stream's window, and as much again in the client's own buffers.
        assert 32 <= max(ahead) <= 32 + 3 * (65_536 // batch_bytes) + 8
        assert stored(slow) == 400 * 20
