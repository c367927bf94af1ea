"""`--session-rules lenient`: full power where a session begins and ends, as Apple's own sample sends it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from energykit.v1 import load_event_pb2_grpc
from energykit.v1.load_event_pb2 import LoadEvent, StreamLoadEventsRequest

from .caller import CALIFORNIA, CALL_LIMIT, Demo, error_of, session
from .server import Server
from .test_metrics import Figures

ZEROED = "energykit_load_events_zeroed_total"


@pytest.fixture
def lenient(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data", "--session-rules", "lenient", "--admin-http", "127.0.0.1:0") as server:
        yield server


def at_full_power(demo: Demo, device: str) -> list[LoadEvent]:
    events = session(demo.token(), device=device)
    for event in events:
        event.electric_vehicle.power_milliwatts = 7_200_000
    return events


def test_power_at_the_ends_is_taken_as_zero_and_counted(lenient: Server) -> None:
    figures = Figures(lenient)
    with Demo(lenient) as demo:
        venue = demo.venues[CALIFORNIA]
        events = at_full_power(demo, "charger-1")
        assert demo.caller().submit(venue, events).stored_count == len(events)
        assert figures.value(ZEROED) == 2

        # What was stored has the zeros: with them the event is the same, with another power in the middle it is not.
        for event in (events[0], events[-1]):
            event.electric_vehicle.power_milliwatts = 0
        assert demo.caller().submit(venue, events).duplicate_count == len(events)
        events[1].electric_vehicle.power_milliwatts = 0
        error = error_of(lambda: demo.caller().submit(venue, events))
        assert [violation.reason for violation in error.violations] == ["ID_REUSED"]
        assert figures.value(ZEROED) == 2

        # On a stream as well. A first reading above zero is no less taken as zero.
        events = at_full_power(demo, "charger-2")
        events[0].electric_vehicle.energy_milliwatt_hours = 1_000
        stub = load_event_pb2_grpc.LoadEventServiceStub(demo.channel)
        request = StreamLoadEventsRequest(venue_id=venue, load_events=events)
        answers = list(stub.StreamLoadEvents(iter([request]), metadata=demo.caller().metadata, timeout=CALL_LIMIT))
        assert [answer.accepted.stored_count for answer in answers] == [3]
        assert figures.value(ZEROED) == 4


def test_strict_rules_refuse_it_field_by_field(demo: Demo) -> None:
    error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], at_full_power(demo, "charger-1")))
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert [(violation.field, violation.reason) for violation in error.violations] == [
        ("load_events[0].electric_vehicle.power_milliwatts", "NONZERO_AT_BEGIN"),
        ("load_events[2].electric_vehicle.power_milliwatts", "NONZERO_AT_END"),
    ]
