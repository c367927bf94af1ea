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
from .operator import Operator
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
    user: str
    begin: datetime
    end: datetime | None  # None: the source does not say
    milliwatt_hours: int
    device: str = ""

    @property
    def last(self) -> datetime:
        return self.end or self.begin

    def events(self, token: str, shift: timedelta) -> list[LoadEvent]:
        """Begin, a reading each half hour, end. Without an end: one reading, and the session stays open."""
        session_id, steps = str(uuid.uuid4()), max(1, int((self.last - self.begin) / timedelta(minutes=30)))
        events = []
        for step in range(steps + 1):
            moment = self.begin + (self.last - self.begin) * step / steps + shift
            event = LoadEvent(
                id=str(uuid.uuid4()),
                session_id=session_id,
                session_state=BEGIN if step == 0 else END if step == steps and self.end else ACTIVE,
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
    def time_of(text: str) -> datetime | None:
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc) if text else None

    with SAMPLE.open() as file:
        return [
            RealSession(
                row["user"], time_of(row["plugged_in"]), time_of(row["plugged_out"]), round(float(row["kwh"]) * 1_000_000)
            )
            for row in csv.DictReader(file, delimiter=";")
        ]


def name_devices(sessions: list[RealSession]) -> None:
    """Who charges two cars at once has two devices."""
    free: dict[str, list[datetime]] = defaultdict(list)
    for each in sorted(sessions, key=lambda each: each.begin):
        lanes = free[each.user]
        lane = next((place for place, since in enumerate(lanes) if since <= each.begin), len(lanes))
        lanes[lane : lane + 1] = [each.last]
        each.device = f"{each.user} {lane}"


def replay(caller: Caller, venue: str, token: str, sessions: list[RealSession], chance: random.Random) -> int:
    """In the order of time, as if the last had ended a day ago, in batches of any size, some of them twice."""
    name_devices(sessions)
    shift = datetime.now(timezone.utc) - timedelta(days=1) - max(each.last for each in sessions)
    events = [event for each in sessions for event in each.events(token, shift)]
    events.sort(key=lambda event: event.timestamp.ToMilliseconds())
    sent = 0
    while sent < len(events):
        count = chance.randint(1, 3_000)
        batch = SubmitLoadEventsRequest(venue_id=venue, load_events=events[sent : sent + count])
        answer = caller.submit_request(batch)
        assert (answer.stored_count, answer.rejected_count) == (len(batch.load_events), 0)
        if chance.random() < 0.2:
            assert caller.submit_request(batch).duplicate_count == len(batch.load_events)
        sent += count
    return len(events)


def check_totals(data: Path, sessions: list[RealSession], event_count: int) -> None:
    """What is stored is what the source says."""
    total, ended = sum(each.milliwatt_hours for each in sessions), [each for each in sessions if each.end]
    with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
        assert store.execute("SELECT count(*) FROM events").fetchone() == (event_count,)
        found = store.execute("SELECT count(*), sum(energy) FROM events WHERE session_state = 3").fetchone()
        assert found == (len(ended), sum(each.milliwatt_hours for each in ended))
        found = store.execute("SELECT count(*), sum(last_energy) FROM load_sessions").fetchone()
        assert found == (len(sessions), total)
    print(f"measured: {len(sessions)} real sessions, {event_count} events, {total / 1e6:.1f} kWh, all accepted")


def test_real_charging_sessions_are_all_accepted(data: Path) -> None:
    """Those of one month (data/README.md)."""
    month = datetime(2019, 11, 1, tzinfo=timezone.utc), datetime(2019, 11, 29, tzinfo=timezone.utc)
    sessions = [each for each in real_sessions() if each.end and month[0] <= each.begin and each.end < month[1]]
    assert len(sessions) == 1012
    with Server(data) as server, Demo(server) as demo:
        venue = demo.venues[CALIFORNIA]
        count = replay(demo.caller(), venue, demo.token(), sessions, random.Random(11))
        assert server.stop() == 0
    check_totals(data, sessions, count)


@pytest.mark.heavy
def test_a_year_of_real_charging_sessions_is_all_accepted(data: Path) -> None:
    """All that there are: 17 days a venue, so that each part lies within the 30 days that events may be old."""
    parts: dict[int, list[RealSession]] = defaultdict(list)
    sessions = real_sessions()
    first = min(each.begin for each in sessions)
    for each in sessions:
        parts[(each.last - first).days // 17].append(each)
    assert (len(sessions), len([each for each in sessions if not each.end])) == (6878, 34)
    with Server(data) as server, Demo(server) as demo:
        operator, count = Operator(demo), 0
        client = operator.make_client()
        caller = operator.caller(client)
        for number, part in sorted(parts.items()):
            venue = operator.make_venue(f"part {number}")
            operator.allow(client, venue)
            token = caller.get_guidance(venue).guidance.guidance_token
            count += replay(caller, venue, token, part, random.Random(number))
        assert server.stop() == 0
    check_totals(data, sessions, count)
