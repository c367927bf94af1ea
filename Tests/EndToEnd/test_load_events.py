"""Load events: all or nothing, once, and every fault named."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import grpc
import pytest
from energykit.v1 import common_pb2, load_event_pb2
from energykit.v1.load_event_pb2 import ElectricVehicleStatusEvent, LoadEvent, SubmitLoadEventsRequest

from .caller import BASE, CALIFORNIA, FULL, HAWAII, OTHER, Demo, error_of, session

BAD = 3  # where the faulty event stands in its batch
COUNT = 6


def far(event: LoadEvent, delta: timedelta) -> None:
    event.timestamp.FromDatetime(datetime.now(timezone.utc) + delta)


def set_field(path: str, value: object) -> Callable[[LoadEvent], None]:
    def change(event: LoadEvent) -> None:
        *parents, name = path.split(".")
        target = event
        for parent in parents:
            target = getattr(target, parent)
        setattr(target, name, value)

    return change


# What is wrong with event 3, the reason, and the field below load_events[3].
FAULTS: dict[str, tuple[Callable[[LoadEvent], None], str, str]] = {
    "id is no UUID": (set_field("id", "first"), "MALFORMED", "id"),
    "id is missing": (lambda event: event.ClearField("id"), "MALFORMED", "id"),
    "session is no UUID": (set_field("session_id", "s"), "MALFORMED", "session_id"),
    "no time": (lambda event: event.ClearField("timestamp"), "MALFORMED", "timestamp"),
    "no state": (set_field("session_state", 0), "MALFORMED", "session_state"),
    "unknown state": (set_field("session_state", 9), "MALFORMED", "session_state"),
    "no measurement": (lambda event: event.ClearField("electric_vehicle"), "MALFORMED", "measurement"),
    "no direction": (set_field("electric_vehicle.direction", 0), "MALFORMED", "electric_vehicle.direction"),
    "no device": (lambda event: event.ClearField("device"), "MALFORMED", "identity"),
    "device id": (set_field("device.id", "-charger"), "INVALID_DEVICE", "device.id"),
    "device id too long": (set_field("device.id", "a" * 65), "INVALID_DEVICE", "device.id"),
    "an air conditioner that measures a car": (set_field("device.type", 2), "INVALID_DEVICE", "device.type"),
    "an hour ahead": (lambda event: far(event, timedelta(hours=1)), "TIMESTAMP_OUT_OF_RANGE", "timestamp"),
    "31 days old": (lambda event: far(event, timedelta(days=-31)), "TIMESTAMP_OUT_OF_RANGE", "timestamp"),
    "no token": (set_field("guidance_token", ""), "UNKNOWN_GUIDANCE_TOKEN", "guidance_token"),
    "token is no UUID": (set_field("guidance_token", "token"), "UNKNOWN_GUIDANCE_TOKEN", "guidance_token"),
    "a made-up token": (
        set_field("guidance_token", str(uuid.UUID(int=7))),
        "UNKNOWN_GUIDANCE_TOKEN",
        "guidance_token",
    ),
    "101 percent": (
        set_field("electric_vehicle.state_of_charge_percent", 101),
        "OUT_OF_RANGE",
        "electric_vehicle.state_of_charge_percent",
    ),
    "negative power": (
        set_field("electric_vehicle.power_milliwatts", -1),
        "OUT_OF_RANGE",
        "electric_vehicle.power_milliwatts",
    ),
    "energy too large": (
        set_field("electric_vehicle.energy_milliwatt_hours", 10**15),
        "OUT_OF_RANGE",
        "electric_vehicle.energy_milliwatt_hours",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_one_bad_event_refuses_the_batch_and_stores_nothing(demo: Demo, name: str) -> None:
    change, reason, field = FAULTS[name]
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = session(demo.token(), device="Garage charger 7", count=COUNT)
    good = LoadEvent()
    good.CopyFrom(events[BAD])
    change(events[BAD])

    error = error_of(lambda: caller.submit(venue, events))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_LOAD_EVENT")
    assert int(error.metadata["violations"]) == len(error.violations) >= 1
    path = f"load_events[{BAD}]"
    assert all(violation.field.startswith(path) for violation in error.violations)
    found = [(violation.field, violation.reason) for violation in error.violations]
    assert (f"{path}.{field}", reason) in found
    assert all(violation.description.startswith(violation.reason) for violation in error.violations)

    events[BAD].CopyFrom(good)
    answer = caller.submit(venue, events)
    assert (answer.stored_count, answer.duplicate_count) == (COUNT, 0)


@pytest.mark.parametrize("index, reason", [(0, "NONZERO_AT_BEGIN"), (COUNT - 1, "NONZERO_AT_END")])
def test_power_is_zero_at_begin_and_end(demo: Demo, index: int, reason: str) -> None:
    events = session(demo.token(), count=COUNT)
    events[index].electric_vehicle.power_milliwatts = 1
    error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], events))
    path = f"load_events[{index}].electric_vehicle.power_milliwatts"
    assert [(each.field, each.reason) for each in error.violations] == [(path, reason)]


def test_every_fault_is_reported(demo: Demo) -> None:
    events = session(demo.token(), count=COUNT)
    events[1].id = "no"
    events[2].guidance_token = str(uuid.uuid4())
    events[4].electric_vehicle.state_of_charge_percent = -1
    error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], events))
    assert [(each.field, each.reason) for each in error.violations] == [
        ("load_events[1].id", "MALFORMED"),
        ("load_events[2].guidance_token", "UNKNOWN_GUIDANCE_TOKEN"),
        ("load_events[4].electric_vehicle.state_of_charge_percent", "OUT_OF_RANGE"),
    ]


def test_every_fault_of_one_event_is_reported(demo: Demo) -> None:
    """What one rule says of an event does not hide what the others say."""
    token, stranger = demo.token(), str(uuid.uuid4())
    events = session(token, count=COUNT)
    events[1].electric_vehicle.power_milliwatts = -1
    events[1].timestamp.FromSeconds(0)
    events[1].guidance_token = stranger
    events[2].device.type = load_event_pb2.DEVICE_TYPE_HVAC
    events[2].electric_vehicle.state_of_charge_percent = 101
    events[3].session_id = str(uuid.uuid4())
    events[3].guidance_token = stranger
    plugged_in = ElectricVehicleStatusEvent(id="no", charger_plugged_in={})
    plugged_in.device.CopyFrom(events[0].device)
    plugged_in.timestamp.FromSeconds(int(time.time()) + 600)
    request = SubmitLoadEventsRequest(
        venue_id=demo.venues[CALIFORNIA], load_events=events, vehicle_status_events=[plugged_in]
    )
    error = error_of(lambda: demo.caller().submit_request(request))
    assert [(each.field, each.reason) for each in error.violations] == [
        ("load_events[1].electric_vehicle.power_milliwatts", "OUT_OF_RANGE"),
        ("load_events[1].timestamp", "TIMESTAMP_OUT_OF_RANGE"),
        ("load_events[1].guidance_token", "UNKNOWN_GUIDANCE_TOKEN"),
        ("load_events[2].electric_vehicle.state_of_charge_percent", "OUT_OF_RANGE"),
        ("load_events[2].device.type", "INVALID_DEVICE"),
        ("load_events[3].guidance_token", "UNKNOWN_GUIDANCE_TOKEN"),
        ("load_events[3].session_state", "SESSION_OUT_OF_ORDER"),
        ("vehicle_status_events[0].id", "MALFORMED"),
        ("vehicle_status_events[0].timestamp", "TIMESTAMP_OUT_OF_RANGE"),
    ]
    assert error.metadata["violations"] == "9" and error.metadata["server_time"]


def test_a_begin_that_is_refused_answers_for_its_session(demo: Demo) -> None:
    """Its other events hear of nothing that follows from it."""
    caller, venue, token = demo.caller(), demo.venues[CALIFORNIA], demo.token()
    now = datetime.now(timezone.utc)
    assert caller.submit(venue, session(token, device="refused begin", begin=now - timedelta(hours=1))[:2]).stored_count
    early = session(token, device="refused begin", begin=now - timedelta(hours=2), count=9)
    error = error_of(lambda: caller.submit(venue, early))
    assert [(each.field, each.reason) for each in error.violations] == [
        ("load_events[0].timestamp", "SESSION_OUT_OF_ORDER")
    ]


def test_sessions_that_meet_in_one_moment_come_in_any_order(demo: Demo) -> None:
    token, begin = demo.token(), datetime.now(timezone.utc) - timedelta(hours=3)
    hours = [session(token, device="back to back", begin=begin + timedelta(hours=n), count=3, step=timedelta(minutes=30))
             for n in range(3)]  # fmt: skip
    assert hours[0][-1].timestamp == hours[1][0].timestamp
    events = [event for hour in reversed(hours) for event in hour]
    assert demo.caller().submit(demo.venues[CALIFORNIA], events).stored_count == 9


def status(device: str, seconds_ago: int = 60, **fields: object) -> ElectricVehicleStatusEvent:
    event = ElectricVehicleStatusEvent(id=str(uuid.uuid4()), charger_plugged_in={})
    for name, value in fields.items():
        if isinstance(value, dict):
            getattr(event, name).SetInParent()
        else:
            setattr(event, name, value)
    event.timestamp.FromSeconds(int(time.time()) - seconds_ago)
    event.device.id, event.device.name, event.device.type = device, "Car", load_event_pb2.DEVICE_TYPE_ELECTRIC_VEHICLE
    return event


def test_status_events_need_no_token_but_their_session_has_begun(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = session(demo.token(), device="a car")
    known, unknown = events[0].session_id, str(uuid.uuid4())
    statuses = [
        status("a car", session_id=known),
        status("a car", charging_active=99, session_id=known),  # reasons are stored as they are sent
        status("a car", charging_idle=0),
        status("a car", charger_unplugged={}),
    ]
    request = SubmitLoadEventsRequest(venue_id=venue, load_events=events, vehicle_status_events=statuses)
    assert caller.submit_request(request).stored_count == len(events) + len(statuses)
    assert caller.submit_request(request).duplicate_count == len(events) + len(statuses)
    orphan = SubmitLoadEventsRequest(
        venue_id=venue, vehicle_status_events=[status("a car"), status("a car", session_id=unknown)]
    )
    error = error_of(lambda: caller.submit_request(orphan))
    assert [(each.field, each.reason) for each in error.violations] == [
        ("vehicle_status_events[1].session_id", "SESSION_OUT_OF_ORDER")
    ]


def test_a_venue_outside_of_the_region_takes_status_events_only(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[HAWAII]
    assert caller.submit_request(
        SubmitLoadEventsRequest(venue_id=venue, vehicle_status_events=[status("a car in Hawaii")])
    ).stored_count == 1  # fmt: skip
    error = error_of(lambda: caller.submit(venue, session(demo.token(), device="a charger in Hawaii")))
    assert {each.reason for each in error.violations} == {"UNKNOWN_GUIDANCE_TOKEN"}


def test_partial_success_stores_the_good_and_names_the_others(demo: Demo) -> None:
    caller, venue, token = demo.caller(), demo.venues[CALIFORNIA], demo.token()
    good, bad = session(token, device="good part", count=4), session(token, device="bad part", count=4)
    bad[0].electric_vehicle.power_milliwatts = 5
    bad[2].id = "no"
    far(bad[3], timedelta(hours=1))
    request = SubmitLoadEventsRequest(venue_id=venue, load_events=[*bad, *good], allow_partial_success=True)
    for stored, duplicate in [(4, 0), (0, 4)]:
        answer = caller.submit_request(request)
        assert (answer.stored_count, answer.duplicate_count, answer.rejected_count) == (stored, duplicate, 4)
        assert [(each.field, each.reason) for each in answer.rejected] == [
            ("load_events[0].electric_vehicle.power_milliwatts", "NONZERO_AT_BEGIN"),
            ("load_events[1].session_state", "SESSION_OUT_OF_ORDER"),
            ("load_events[2].id", "MALFORMED"),
            ("load_events[3].timestamp", "TIMESTAMP_OUT_OF_RANGE"),
        ]
    error = error_of(lambda: caller.submit_request(SubmitLoadEventsRequest(venue_id=venue, load_events=request.load_events)))
    assert error.metadata["violations"] == "3", "a begin that is refused answers for its session"


def test_a_refusal_with_many_faults_fits_the_trailers(demo: Demo) -> None:
    """G-075."""
    events = session(str(uuid.uuid4()), count=1000)
    error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], events))
    assert error.reason == "INVALID_LOAD_EVENT"
    assert error.metadata["violations"] == "1000"
    assert 10 <= len(error.violations) < 1000
    print(f"measured: {len(error.violations)} of 1000 violations fit the trailers")


@pytest.mark.parametrize("count", [0, 10_001])
def test_a_batch_has_one_to_ten_thousand_events(demo: Demo, count: int) -> None:
    events = session(demo.token(), count=max(count, 2), step=timedelta(milliseconds=1))[:count]
    error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], events))
    assert error.reason == "INVALID_LOAD_EVENT"
    assert [(each.field, each.reason) for each in error.violations] == [("load_events", "MALFORMED")]


def test_ten_thousand_events_are_stored(demo: Demo) -> None:
    request = SubmitLoadEventsRequest(
        venue_id=demo.venues[OTHER],
        load_events=session(demo.token(FULL, OTHER), count=10_000, step=timedelta(milliseconds=1)),
    )
    start = time.perf_counter()
    answer = demo.caller().submit_request(request)
    print(f"measured: 10,000 events in one batch in {(time.perf_counter() - start) * 1000:.0f} ms")
    assert answer.stored_count == 10_000


def test_a_repeated_batch_counts_as_duplicates(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = session(demo.token())
    assert caller.submit(venue, events).stored_count == 3
    again = caller.submit(venue, events)
    assert (again.stored_count, again.duplicate_count) == (0, 3)
    for event in events:
        event.id = event.id.upper()
        event.timestamp.nanos += 999_999  # less than a millisecond
    again = caller.submit(venue, events)
    assert (again.stored_count, again.duplicate_count) == (0, 3)


def test_the_same_id_and_time_with_other_content_is_refused(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[CALIFORNIA]
    events = session(demo.token())
    caller.submit(venue, events)
    events[1].electric_vehicle.energy_milliwatt_hours += 1
    error = error_of(lambda: caller.submit(venue, events))
    assert [(each.field, each.reason) for each in error.violations] == [("load_events[1].id", "ID_REUSED")]


def test_a_token_is_good_for_its_own_client_and_venue_only(demo: Demo) -> None:
    pairs = [(client, venue) for client in (FULL, BASE) for venue in (CALIFORNIA, OTHER)]
    tokens = {pair: demo.token(*pair) for pair in pairs}
    assert len(set(tokens.values())) == len(pairs)
    for owner, token in tokens.items():
        for client, venue in pairs:
            events = session(token, device=f"charger-{client}{venue}")
            submit = lambda: demo.caller(client).submit(demo.venues[venue], events)  # noqa: E731
            if owner == (client, venue):
                assert submit().stored_count == 3
            else:
                assert {each.reason for each in error_of(submit).violations} == {"UNKNOWN_GUIDANCE_TOKEN"}
    error = error_of(lambda: demo.caller().submit(demo.venues[HAWAII], session(tokens[(FULL, CALIFORNIA)])))
    assert {each.reason for each in error.violations} == {"UNKNOWN_GUIDANCE_TOKEN"}


def test_export_and_device_ids_of_older_apps_are_taken(demo: Demo) -> None:
    events = session(demo.token())
    for event in events:
        event.device_id = "wall box 3"
        event.electric_vehicle.direction = common_pb2.ELECTRICITY_FLOW_DIRECTION_EXPORTED
    assert demo.caller().submit(demo.venues[CALIFORNIA], events).stored_count == 3
