"""A venue that is deleted goes with all its events; one that is made again under its id loses none of its own."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import grpc
import pytest
from energykit.errors import ErrorDetails
from energykit.v1 import admin_pb2, load_event_pb2_grpc
from energykit.v1.load_event_pb2 import StreamLoadEventsRequest

from .caller import CALL_LIMIT, Caller, Demo, session
from .operator import Made, Operator, some_id
from .server import Server


def rows(server: Server, sql: str, *values: object) -> int:
    with sqlite3.connect(f"file:{server.data}/energykit.sqlite3?mode=ro", uri=True) as connection:
        return connection.execute(sql, values).fetchone()[0]


def events_of(server: Server, venue: str) -> int:
    return rows(server, "SELECT count(*) FROM events WHERE venue_id = ?", uuid.UUID(venue).bytes)


def sessions_of(server: Server, venue: str) -> int:
    return rows(server, "SELECT count(*) FROM load_sessions WHERE venue_id = ?", uuid.UUID(venue).bytes)


class Home:
    def __init__(self, demo: Demo):
        self.operator = Operator(demo)
        self.client: Made = self.operator.make_client()
        self.venue = some_id()
        self.make()

    @property
    def caller(self) -> Caller:
        return self.operator.caller(self.client)

    def make(self) -> int:
        """Makes the venue, waiting while one that had its id is erased. Returns how often it had to ask."""
        deadline = time.monotonic() + CALL_LIMIT
        for attempt in range(1, 10_000):
            try:
                self.operator.make_venue(venue_id=self.venue)
                self.operator.allow(self.client, self.venue)
                return attempt
            except grpc.RpcError as error:
                details = ErrorDetails.of(error)
                assert (details.code, details.reason) == (grpc.StatusCode.ABORTED, "IN_PROGRESS")
                assert details.retry_delay and details.retry_delay >= timedelta(seconds=1)
                assert time.monotonic() < deadline
                time.sleep(0.005)
        raise AssertionError("never made")

    def token(self) -> str:
        return self.caller.get_guidance(self.venue).guidance.guidance_token

    def fill(self, batch_count: int) -> None:
        token, begin = self.token(), datetime.now(timezone.utc) - timedelta(days=2)
        for number in range(batch_count):
            events = session(
                token, device=f"old {number}", begin=begin + timedelta(hours=number), count=10_000,
                step=timedelta(milliseconds=100),
            )  # fmt: skip
            assert self.caller.submit(self.venue, events).stored_count == 10_000

    def begin_deletion(self) -> grpc.Future:
        """Returns once the venue is gone; its events are still there, if they are many."""
        request = admin_pb2.DeleteVenueRequest(venue_id=self.venue)
        metadata = (("authorization", f"Bearer {self.operator.key}"),)
        deletion = self.operator.stub.DeleteVenue.future(request, metadata=metadata, timeout=CALL_LIMIT)
        while True:
            try:
                self.operator.call("GetVenueSettings", venue_id=self.venue)
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.NOT_FOUND
                return deletion


@pytest.mark.heavy
@pytest.mark.parametrize("flags", [(), ("--daily-events", "10000000")], ids=["", "daily"])
def test_nothing_that_was_on_its_way_stays_behind(tmp_path: Path, flags: tuple[str, ...]) -> None:
    with Server(tmp_path / "data", *flags) as server, Demo(server) as demo:
        home = Home(demo)
        for number in range(6):
            if number:
                home.make()
            token, begin = home.token(), datetime.now(timezone.utc) - timedelta(hours=20)
            stored = [0] * 4

            def send(sender: int) -> None:
                def requests() -> Iterator[StreamLoadEventsRequest]:
                    for index in range(40):
                        events = session(
                            token, device=f"device {sender}", begin=begin + timedelta(minutes=10 * index), count=400
                        )
                        yield StreamLoadEventsRequest(sequence=index, venue_id=home.venue, load_events=events)

                with grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                    stub = load_event_pb2_grpc.LoadEventServiceStub(channel)
                    answers = stub.StreamLoadEvents(requests(), metadata=home.caller.metadata, timeout=CALL_LIMIT)
                    stored[sender] = sum(answer.accepted.stored_count for answer in answers)

            senders = [threading.Thread(target=send, args=(sender,)) for sender in range(4)]
            for sender in senders:
                sender.start()
            while not events_of(server, home.venue):
                time.sleep(0.001)
            time.sleep(0.02 * number)
            home.operator.call("DeleteVenue", venue_id=home.venue)
            left = events_of(server, home.venue), sessions_of(server, home.venue)
            for sender in senders:
                sender.join()
            assert left == (0, 0)
            assert (events_of(server, home.venue), sessions_of(server, home.venue)) == (0, 0)
            assert 0 < sum(stored) < 4 * 40 * 400


@pytest.mark.heavy
def test_a_venue_made_again_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server, Demo(server) as demo:
        home = Home(demo)
        home.fill(10)
        events = session(home.token(), device="new")
        home.caller.submit(home.venue, events)
        deletion = home.begin_deletion()
        assert home.make() > 1, "the erasure was over before the venue could be made"
        # Those of before are gone: the same events are new.
        assert home.caller.submit(home.venue, events).stored_count == 3
        deletion.result()
        assert (events_of(server, home.venue), sessions_of(server, home.venue)) == (3, 1)


@pytest.mark.heavy
def test_a_crash_amid_a_deletion_takes_nothing_of_a_venue_made_again(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server, Demo(server) as demo:
        home = Home(demo)
        home.fill(10)
        home.begin_deletion()
        server.kill()
    with Server(tmp_path / "data") as server, Demo(server) as demo:
        operator = Operator(demo)
        home.operator = operator
        home.make()
        events = session(home.token(), device="new")
        assert home.caller.submit(home.venue, events).stored_count == 3
        assert rows(server, "SELECT count(*) FROM erasures") == 0
        assert (events_of(server, home.venue), sessions_of(server, home.venue)) == (3, 1)
