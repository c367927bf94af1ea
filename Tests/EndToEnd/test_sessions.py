"""Load sessions: their order is judged across calls, connections, restarts and crashes."""

from __future__ import annotations

import csv
import random
import sqlite3
import threading
import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import grpc
import pytest
from energykit.v1 import common_pb2, load_event_pb2
from energykit.v1.load_event_pb2 import LoadEvent, SubmitLoadEventsRequest

from .caller import BASE, CALIFORNIA, FULL, Caller, Demo, error_of, session
from .server import Server

SAMPLE = Path(__file__).parent / "data" / "ev_sessions.csv"
BEGIN, ACTIVE, END = 1, 2, 3


def reasons(call) -> set[str]:
    return {violation.reason for violation in error_of(call).violations}


def test_an_event_without_a_begin_is_refused(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = session(demo.token(), device="order 1", count=4)
    error = error_of(lambda: caller.submit(venue, events[1:]))
    assert error.code == grpc.StatusCode.INVALID_ARGUMENT
    assert [(each.field, each.reason) for each in error.violations] == [
        (f"load_events[{index}].session_state", "SESSION_OUT_OF_ORDER") for index in range(3)
    ]
    for event in events:
        assert caller.submit(venue, [event]).stored_count == 1
        assert caller.submit(venue, [event]).duplicate_count == 1
    later = LoadEvent()
    later.CopyFrom(events[2])
    later.id = str(uuid.uuid4())
    assert reasons(lambda: caller.submit(venue, [later])) == {"SESSION_OUT_OF_ORDER"}


def test_a_backlog_may_come_in_any_order(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = [event for device in "ABC" for event in session(demo.token(), device=f"backlog {device}", count=50)]
    random.Random(7).shuffle(events)
    assert caller.submit(venue, events).stored_count == 150
    random.Random(8).shuffle(events)
    assert caller.submit(venue, events).duplicate_count == 150


def test_two_clients_of_a_venue_do_not_touch_each_other(demo: Demo) -> None:
    venue = demo.venues[CALIFORNIA]
    events = {client: session(demo.token(client), device="shared", count=5) for client in (FULL, BASE)}
    for mine, other in zip(events[FULL], events[BASE], strict=True):
        other.id, other.session_id = mine.id, mine.session_id
        other.timestamp.CopyFrom(mine.timestamp)
    for place in range(5):
        for client in (FULL, BASE):
            assert demo.caller(client).submit(venue, [events[client][place]]).stored_count == 1
    for client in (FULL, BASE):
        assert demo.caller(client).submit(venue, events[client]).duplicate_count == 5


def test_of_many_connections_that_race_on_a_session_one_wins(server: Server, demo: Demo) -> None:
    venue, token = demo.venues[CALIFORNIA], demo.token()
    count, rounds = 12, 15
    plans = []
    for number in range(rounds):
        session_id, rivals = str(uuid.uuid4()), []
        for rival in range(count):
            begin = session(token, device=f"race {number}")[0]
            begin.session_id = session_id
            begin.electric_vehicle.state_of_charge_percent = rival
            rivals.append(begin)
        plans.append(rivals)
    won = [0] * rounds
    lost: list[set[str]] = []
    barrier = threading.Barrier(count)
    lock = threading.Lock()

    def race(rival: int) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(server.address, options=options) as channel:
            caller = Caller(channel, demo.keys[FULL])
            for number in range(rounds):
                barrier.wait(30)
                try:
                    stored = caller.submit(venue, [plans[number][rival]]).stored_count
                    with lock:
                        won[number] += stored
                except grpc.RpcError as error:
                    with lock:
                        lost.append({error.code().name})

    threads = [threading.Thread(target=race, args=(rival,)) for rival in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert won == [1] * rounds
    assert lost == [{"INVALID_ARGUMENT"}] * (rounds * (count - 1))


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_restart_between_any_two_events_changes_nothing(data: Path, how: str) -> None:
    data.mkdir()
    events: list[LoadEvent] = []
    for place in range(6):
        with Server(data) as server, Demo(server) as demo:
            caller, venue = demo.caller(), demo.venues[CALIFORNIA]
            if not events:
                begin = datetime.now(timezone.utc) - timedelta(hours=1)
                events = session(demo.token(), count=6, begin=begin, step=timedelta(minutes=5))
            if place == 0:
                assert reasons(lambda: caller.submit(venue, events[1:])) == {"SESSION_OUT_OF_ORDER"}
            assert caller.submit(venue, events[: place + 1]).stored_count == 1
            stale = LoadEvent()
            stale.CopyFrom(events[0])
            stale.id = str(uuid.uuid4())
            assert reasons(lambda: caller.submit(venue, [stale])) == {"SESSION_OUT_OF_ORDER"}
            if place > 0:
                late = LoadEvent()
                late.CopyFrom(events[place])
                late.id, late.session_state = str(uuid.uuid4()), ACTIVE
                late.timestamp.FromDatetime(events[place].timestamp.ToDatetime() - timedelta(seconds=1))
                expected = "SESSION_OUT_OF_ORDER" if place == 5 else "NOT_MONOTONIC"
                assert reasons(lambda: caller.submit(venue, [late])) == {expected}
            server.kill() if how == "kill" else server.stop()
    with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
        assert store.execute("SELECT count(*) FROM events").fetchone() == (6,)
        assert store.execute("SELECT count(*), sum(is_open) FROM load_sessions").fetchone() == (1, 0)


@dataclass
class RealSession:
    device: str
    begin: datetime
    end: datetime
    milliwatt_hours: int

    def events(self, token: str, shift: timedelta) -> list[LoadEvent]:
        """Begin, a reading each half hour, end."""
        session_id, steps = str(uuid.uuid4()), max(1, int((self.end - self.begin) / timedelta(minutes=30)))
        events = []
        for step in range(steps + 1):
            moment = self.begin + (self.end - self.begin) * step / steps + shift
            event = LoadEvent(
                id=str(uuid.uuid4()),
                session_id=session_id,
                session_state=BEGIN if step == 0 else END if step == steps else ACTIVE,
                guidance_token=token,
                device_id=self.device,
                electric_vehicle=load_event_pb2.ElectricVehicleMeasurement(
                    state_of_charge_percent=50,
                    direction=common_pb2.ELECTRICITY_FLOW_DIRECTION_IMPORTED,
                    energy_milliwatt_hours=self.milliwatt_hours * step // steps,
                ),
            )
            event.timestamp.FromMilliseconds(int(moment.timestamp() * 1000))
            events.append(event)
        return events


def real_sessions() -> list[RealSession]:
    """In order of their ends. Who charges two cars at once has two devices."""
    free: dict[str, list[datetime]] = defaultdict(list)
    sessions = []
    with SAMPLE.open() as file:
        for row in sorted(csv.DictReader(file, delimiter=";"), key=lambda row: row["plugged_in"]):
            begin, end = (
                datetime.fromisoformat(row[name]).replace(tzinfo=timezone.utc) for name in ("plugged_in", "plugged_out")
            )
            lanes = free[row["user"]]
            lane = next((place for place, since in enumerate(lanes) if since <= begin), len(lanes))
            lanes[lane : lane + 1] = [end]
            energy = round(float(row["kwh"]) * 1_000_000)
            sessions.append(RealSession(f"{row['user']} {lane}", begin, end, energy))
    return sessions


def test_real_charging_sessions_are_all_accepted(data: Path) -> None:
    """The sessions of some apartment buildings (data/README.md), as if they had ended a day ago."""
    data.mkdir()
    sessions = real_sessions()
    shift = datetime.now(timezone.utc) - timedelta(days=1) - max(each.end for each in sessions)
    with Server(data) as server, Demo(server) as demo:
        caller, venue, token = demo.caller(), demo.venues[CALIFORNIA], demo.token()
        events = [event for each in sessions for event in each.events(token, shift)]
        events.sort(key=lambda event: event.timestamp.ToMilliseconds())
        chance = random.Random(11)
        sent = 0
        while sent < len(events):
            count = chance.randint(1, 900)
            batch = SubmitLoadEventsRequest(venue_id=venue, load_events=events[sent : sent + count])
            answer = caller.submit_request(batch)
            assert (answer.stored_count, answer.rejected_count) == (len(batch.load_events), 0)
            if chance.random() < 0.3:
                assert caller.submit_request(batch).duplicate_count == len(batch.load_events)
            sent += count
        assert server.stop() == 0
    with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
        total = sum(each.milliwatt_hours for each in sessions)
        assert store.execute("SELECT count(*) FROM events").fetchone() == (len(events),)
        assert store.execute("SELECT sum(energy) FROM events WHERE session_state = 3").fetchone() == (total,)
        found = store.execute("SELECT count(*), sum(last_energy), sum(is_open) FROM load_sessions").fetchone()
        assert found == (len(sessions), total, 0)
    print(f"measured: {len(sessions)} real sessions, {len(events)} events, {total / 1e6:.1f} kWh, all accepted")
