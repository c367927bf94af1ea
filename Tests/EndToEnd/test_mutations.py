"""A valid batch with one thing wrong: refused for just that, and nothing of it stored. Batches are made from seeds."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

import grpc
import pytest
from energykit.v1 import common_pb2, load_event_pb2
from energykit.v1.load_event_pb2 import ElectricVehicleStatusEvent, LoadEvent, SubmitLoadEventsRequest

from .caller import OTHER, Caller, Demo, error_of
from .operator import Operator

SEEDS = range(5)  # of each mutation
BEGIN, ACTIVE, END = 1, 2, 3
EV, HVAC = load_event_pb2.DEVICE_TYPE_ELECTRIC_VEHICLE, load_event_pb2.DEVICE_TYPE_HVAC
IMPORTED = common_pb2.ELECTRICITY_FLOW_DIRECTION_IMPORTED
EXPORTED = common_pb2.ELECTRICITY_FLOW_DIRECTION_EXPORTED


@dataclass
class Draft:
    """What is sent, and with it what the mutations draw from."""

    chance: random.Random
    tokens: dict[str, str]
    load: list[LoadEvent] = field(default_factory=list)
    status: list[ElectricVehicleStatusEvent] = field(default_factory=list)
    before: list[LoadEvent] = field(default_factory=list)  # sent on their own, before

    def request(self, venue: str) -> SubmitLoadEventsRequest:
        return SubmitLoadEventsRequest(venue_id=venue, load_events=self.load, vehicle_status_events=self.status)

    def pick(self, fits: Callable[[LoadEvent], bool] = lambda event: True) -> tuple[int, LoadEvent] | None:
        found = [(index, event) for index, event in enumerate(self.load) if fits(event)]
        return self.chance.choice(found) if found else None

    def pick_status(self) -> tuple[int, ElectricVehicleStatusEvent] | None:
        return self.chance.choice(list(enumerate(self.status))) if self.status else None

    def session_of(self, event: LoadEvent) -> list[LoadEvent]:
        """In the order of time, those that were sent before among them."""
        own = [each for each in self.before + self.load if each.session_id == event.session_id]
        return sorted(own, key=time_of)

    def hold_back(self, keep: Callable[[LoadEvent], bool]) -> None:
        """Sends before what is not kept."""
        self.before = sorted((event for event in self.load if not keep(event)), key=time_of)
        self.load = [event for event in self.load if keep(event)]


def time_of(event: LoadEvent) -> int:
    return event.timestamp.ToMilliseconds()


def is_vehicle(event: LoadEvent) -> bool:
    return event.HasField("electric_vehicle")


def draft(seed: int, name: str, tokens: dict[str, str]) -> Draft:
    chance = random.Random(f"{seed} {name}")
    draft = Draft(chance, tokens)
    for number in range(chance.randint(2, 4)):
        kind = (EV, EV, HVAC)[number % 3]
        add_session(draft, f"d{seed} {number}", kind, chance.choice([IMPORTED, EXPORTED]))
    chance.shuffle(draft.load)
    return draft


def add_session(draft: Draft, device: str, kind: int, direction: int) -> None:
    chance, session_id, energy = draft.chance, str(uuid.UUID(int=draft.chance.getrandbits(128))), 0
    moment = datetime.now(timezone.utc) - timedelta(days=chance.uniform(2, 10))
    count, is_named = chance.randint(4, 8), chance.random() < 0.5
    for place in range(count):
        state = BEGIN if place == 0 else END if place == count - 1 else ACTIVE
        event = LoadEvent(
            id=str(uuid.UUID(int=chance.getrandbits(128))), session_id=session_id, session_state=state,
            was_following_guidance=chance.random() < 0.5, guidance_token=draft.tokens["own"],
        )  # fmt: skip
        event.timestamp.FromMilliseconds(int(moment.timestamp() * 1000))
        if is_named:
            event.device.id, event.device.name, event.device.type = device, "A device", kind
        else:
            event.device_id = device
        if kind == HVAC:
            event.hvac.stage_percent = chance.randint(1, 100) if state == ACTIVE else 0
        else:
            event.electric_vehicle.state_of_charge_percent = chance.randint(0, 100)
            event.electric_vehicle.direction = direction
            event.electric_vehicle.power_milliwatts = chance.randint(1, 10**9) if state == ACTIVE else 0
            event.electric_vehicle.energy_milliwatt_hours = energy
        draft.load.append(event)
        if kind == EV and chance.random() < 0.3:
            add_status(draft, device, session_id if chance.random() < 0.5 else "", event)
        moment += timedelta(milliseconds=chance.randint(2, 3_600_000))
        energy += chance.randint(2, 10**7)


def add_status(draft: Draft, device: str, session_id: str, beside: LoadEvent) -> None:
    event = ElectricVehicleStatusEvent(id=str(uuid.UUID(int=draft.chance.getrandbits(128))), session_id=session_id)
    event.timestamp.CopyFrom(beside.timestamp)
    event.device.id, event.device.name, event.device.type = device, "A car", EV
    event.charging_active = draft.chance.choice([0, 1, 99])
    event.state_of_charge_percent, event.battery_energy_milliwatt_hours = 50, 10**7
    draft.status.append(event)


# A mutation changes the draft and says where the fault is and why, or nothing where the draft has no place for it.
Found = tuple[str, str] | None
MUTATIONS: dict[str, Callable[[Draft], Found]] = {}


def mutation(function: Callable[[Draft], Found]) -> Callable[[Draft], Found]:
    MUTATIONS[function.__name__.replace("_", " ")] = function
    return function


def of_field(
    name: str, path: str, values: list[object], reason: str, fits: Callable[[LoadEvent], bool] = lambda event: True
) -> None:
    """Sets a field of a load event to one of the values; `None` clears it."""

    def change(draft: Draft) -> Found:
        if (found := draft.pick(fits)) is None:
            return None
        index, event = found
        set_path(event, path, draft.chance.choice(values))
        return f"load_events[{index}].{path}", reason

    MUTATIONS[name] = change


def of_status(name: str, path: str, values: list[object], reason: str, at: str | None = None) -> None:
    def change(draft: Draft) -> Found:
        if (found := draft.pick_status()) is None:
            return None
        index, event = found
        set_path(event, path, draft.chance.choice(values))
        return f"vehicle_status_events[{index}].{at or path}", reason

    MUTATIONS["status: " + name] = change


def set_path(message: object, path: str, value: object) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        message = getattr(message, parent)
    if value is None:
        message.ClearField(name)
    else:
        setattr(message, name, value)


def is_active(event: LoadEvent) -> bool:
    return event.session_state == ACTIVE


def is_named(event: LoadEvent) -> bool:
    return event.HasField("device")


NO_UUID = ["", "no", "0123abcd-4567-89ef-0123-45678", "g" * 36, " " * 36]
NO_ID = ["", "-a", "a-", " a", "a" * 65, "a_b", "ä", "a\tb"]
of_field("id", "id", NO_UUID, "MALFORMED")
of_field("session", "session_id", NO_UUID, "MALFORMED", lambda event: event.session_state != BEGIN)
of_field("no time", "timestamp", [None], "MALFORMED")
of_field("state", "session_state", [0, 4, 99], "MALFORMED", lambda event: event.session_state != BEGIN)
of_field("direction", "electric_vehicle.direction", [0, 3, 99], "MALFORMED", is_vehicle)
of_field("type of device", "device.type", [0, 3, 99], "MALFORMED", is_named)
of_field("id of device", "device.id", NO_ID, "INVALID_DEVICE", is_named)
of_field("device id", "device_id", NO_ID, "INVALID_DEVICE", lambda event: not is_named(event))
of_field("vehicle's type", "device.type", [HVAC], "INVALID_DEVICE", lambda event: is_named(event) and is_vehicle(event))
of_field("stage's type", "device.type", [EV], "INVALID_DEVICE", lambda event: is_named(event) and not is_vehicle(event))
of_field("no token", "guidance_token", ["", "no", str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))],
         "UNKNOWN_GUIDANCE_TOKEN")  # fmt: skip
CHARGE, POWER, ENERGY = (
    f"electric_vehicle.{name}" for name in ("state_of_charge_percent", "power_milliwatts", "energy_milliwatt_hours")
)
of_field("charge", CHARGE, [-1, 101, 2**31 - 1, -(2**31)], "OUT_OF_RANGE", is_vehicle)
of_field("power", POWER, [-1, 10**12, 2**63 - 1, -(2**63)], "OUT_OF_RANGE", is_vehicle)
of_field("energy", ENERGY, [-1, 10**15, 2**63 - 1, -(2**63)], "OUT_OF_RANGE", is_vehicle)
of_field("stage", "hvac.stage_percent", [-1, 101], "OUT_OF_RANGE", lambda event: not is_vehicle(event))
for state, reason in [(BEGIN, "NONZERO_AT_BEGIN"), (END, "NONZERO_AT_END")]:
    of_field(f"power, {reason}", POWER, [1, 10**12 - 1], reason,
             lambda event, state=state: is_vehicle(event) and event.session_state == state)  # fmt: skip
    of_field(f"stage, {reason}", "hvac.stage_percent", [1, 100], reason,
             lambda event, state=state: not is_vehicle(event) and event.session_state == state)  # fmt: skip
of_field("energy, NONZERO_AT_BEGIN", ENERGY, [1, 10**15 - 1], "NONZERO_AT_BEGIN",
         lambda event: is_vehicle(event) and event.session_state == BEGIN)  # fmt: skip
of_status("id", "id", NO_UUID, "MALFORMED")
of_status("no time", "timestamp", [None], "MALFORMED")
of_status("no device", "device", [None], "MALFORMED")
of_status("no status", "charging_active", [None], "MALFORMED", "status")
of_status("type of device", "device.type", [0, 3], "MALFORMED")
of_status("device", "device.id", NO_ID, "INVALID_DEVICE")
of_status("a heat pump", "device.type", [HVAC], "INVALID_DEVICE")
of_status("charge", "state_of_charge_percent", [-1, 101], "OUT_OF_RANGE")
of_status("energy", "battery_energy_milliwatt_hours", [-1, 10**15], "OUT_OF_RANGE")
of_status("session", "session_id", ["no", " "], "MALFORMED")
of_status("unknown session", "session_id", [str(uuid.UUID(int=5))], "SESSION_OUT_OF_ORDER")


@mutation
def token_of_another(draft: Draft) -> Found:
    index, event = draft.pick()
    event.guidance_token = draft.tokens[draft.chance.choice(["other client", "other venue"])]
    return f"load_events[{index}].guidance_token", "UNKNOWN_GUIDANCE_TOKEN"


@mutation
def no_measurement(draft: Draft) -> Found:
    index, event = draft.pick()
    event.ClearField(event.WhichOneof("measurement"))
    return f"load_events[{index}].measurement", "MALFORMED"


@mutation
def no_identity(draft: Draft) -> Found:
    index, event = draft.pick()
    event.ClearField(event.WhichOneof("identity"))
    return f"load_events[{index}].identity", "MALFORMED"


@mutation
def too_old(draft: Draft) -> Found:
    index, event = draft.pick(lambda event: event.session_state == BEGIN)
    event.timestamp.FromDatetime(datetime.now(timezone.utc) - timedelta(days=draft.chance.uniform(30.01, 20_000)))
    return f"load_events[{index}].timestamp", "TIMESTAMP_OUT_OF_RANGE"


@mutation
def too_far_ahead(draft: Draft) -> Found:
    index, event = draft.pick(lambda event: event.session_state == END)
    event.timestamp.FromDatetime(datetime.now(timezone.utc) + timedelta(minutes=draft.chance.uniform(5.5, 10**6)))
    return f"load_events[{index}].timestamp", "TIMESTAMP_OUT_OF_RANGE"


@mutation
def a_status_too_far_ahead(draft: Draft) -> Found:
    if (found := draft.pick_status()) is None:
        return None
    index, event = found
    event.timestamp.FromDatetime(datetime.now(timezone.utc) + timedelta(minutes=draft.chance.uniform(5.5, 10**6)))
    return f"vehicle_status_events[{index}].timestamp", "TIMESTAMP_OUT_OF_RANGE"


@mutation
def a_range_that_is_no_number(draft: Draft) -> Found:
    if (found := draft.pick(is_vehicle)) is None:
        return None
    index, event = found
    name = draft.chance.choice(["estimated_range_meters", "battery_temperature_celsius"])
    getattr(event.electric_vehicle.performance_metrics, name).value = draft.chance.choice([float("nan"), float("inf")])
    return f"load_events[{index}].electric_vehicle.performance_metrics.{name}", "OUT_OF_RANGE"


@mutation
def a_second_begin(draft: Draft) -> Found:
    index, event = draft.pick(is_active)
    event.session_state = BEGIN
    if is_vehicle(event):
        event.electric_vehicle.power_milliwatts = event.electric_vehicle.energy_milliwatt_hours = 0
    else:
        event.hvac.stage_percent = 0
    return f"load_events[{index}].session_state", "SESSION_OUT_OF_ORDER"


@mutation
def of_no_session(draft: Draft) -> Found:
    index, event = draft.pick(lambda event: event.session_state != BEGIN)
    event.session_id = str(uuid.UUID(int=draft.chance.getrandbits(128)))
    return f"load_events[{index}].session_state", "SESSION_OUT_OF_ORDER"


@mutation
def after_the_end(draft: Draft) -> Found:
    index, event = draft.pick(is_active)
    end = time_of(draft.session_of(event)[-1])
    event.timestamp.FromMilliseconds(end + draft.chance.randint(1, 1000))
    return f"load_events[{index}].session_state", "SESSION_OUT_OF_ORDER"


@mutation
def earlier_than_what_was_sent(draft: Draft) -> Found:
    _, one = draft.pick(is_active)
    sent = draft.session_of(one)[:2]  # at least an active one is left
    draft.hold_back(lambda event: event not in sent)
    draft.status = [event for event in draft.status if not event.session_id]
    index, event = draft.pick(lambda event: event.session_id == one.session_id and is_active(event))
    event.timestamp.FromMilliseconds(time_of(sent[-1]) - 1)
    return f"load_events[{index}].timestamp", "NOT_MONOTONIC"


@mutation
def less_energy_than_before(draft: Draft) -> Found:
    found = draft.pick(lambda event: is_vehicle(event) and draft.session_of(event).index(event) >= 2)
    if found is None:
        return None
    index, event = found
    session = draft.session_of(event)
    former = session[session.index(event) - 1].electric_vehicle.energy_milliwatt_hours
    event.electric_vehicle.energy_milliwatt_hours = draft.chance.randint(0, former - 1)
    return f"load_events[{index}].{ENERGY}", "NOT_MONOTONIC"


@mutation
def of_another_device(draft: Draft) -> Found:
    index, event = draft.pick(lambda event: event.session_state != BEGIN)
    if is_named(event):
        event.device.id += "x"
        return f"load_events[{index}].device.id", "SESSION_MISMATCH"
    event.device_id += "x"
    return f"load_events[{index}].device_id", "SESSION_MISMATCH"


@mutation
def of_another_direction(draft: Draft) -> Found:
    found = draft.pick(lambda event: is_vehicle(event) and event.session_state != BEGIN)
    if found is None:
        return None
    index, event = found
    event.electric_vehicle.direction = EXPORTED if event.electric_vehicle.direction == IMPORTED else IMPORTED
    return f"load_events[{index}].electric_vehicle.direction", "SESSION_MISMATCH"


@mutation
def under_an_id_that_is_known(draft: Draft) -> Found:
    _, other = draft.pick()
    draft.hold_back(lambda event: event.session_id != other.session_id)
    draft.status = [event for event in draft.status if not event.session_id]
    index, event = draft.pick(is_active)
    event.id = other.id
    event.timestamp.CopyFrom(other.timestamp)
    return f"load_events[{index}].id", "ID_REUSED"


def mutated(seed: int, name: str, tokens: dict[str, str]) -> tuple[Draft, Draft, tuple[str, str]]:
    """The batch as it should be, with the mutation, and where that is; from the first draft that has a place for it."""
    for attempt in range(50):
        good, bad = (draft(seed, f"{name} {attempt}", tokens) for _ in range(2))
        found = MUTATIONS[name](bad)
        if found is not None:
            # What the mutation sends before, and leaves out, the good one does as well.
            before = {event.id for event in bad.before}
            good.hold_back(lambda event: event.id not in before)
            statuses = {event.id for event in bad.status}
            if len(bad.status) < len(good.status):
                good.status = [event for event in good.status if event.id in statuses]
            return good, bad, found
    raise AssertionError(f"no draft has a place for: {name}")


@pytest.fixture(scope="module")
def operator(demo: Demo) -> Operator:
    return Operator(demo)


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_one_thing_wrong_refuses_the_batch_for_just_that(demo: Demo, operator: Operator, name: str) -> None:
    client, venue = operator.make_client(), operator.make_venue()
    operator.allow(client, venue)
    stranger = operator.make_client()
    operator.allow(stranger, venue)
    caller: Caller = operator.caller(client)
    operator.allow(client, demo.venues[OTHER])
    tokens = {
        "own": caller.get_guidance(venue).guidance.guidance_token,
        "other venue": caller.get_guidance(demo.venues[OTHER]).guidance.guidance_token,
        "other client": operator.caller(stranger).get_guidance(venue).guidance.guidance_token,
    }
    for seed in SEEDS:
        good, bad, found = mutated(seed, name, tokens)
        if bad.before:
            assert caller.submit(venue, bad.before).stored_count == len(bad.before)
        error = error_of(lambda: caller.submit_request(bad.request(venue)))
        assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_LOAD_EVENT")
        assert [(each.field, each.reason) for each in error.violations] == [found], seed
        assert error.metadata["violations"] == "1"
        answer = caller.submit_request(good.request(venue))
        count = len(good.load) + len(good.status)
        assert (answer.stored_count, answer.duplicate_count) == (count, 0), seed


def test_every_reason_is_drawn() -> None:
    reasons = {mutated(0, name, dict.fromkeys(("own", "other venue", "other client"), "t"))[2][1] for name in MUTATIONS}
    assert reasons == {
        "MALFORMED", "INVALID_DEVICE", "TIMESTAMP_OUT_OF_RANGE", "UNKNOWN_GUIDANCE_TOKEN", "OUT_OF_RANGE",
        "NONZERO_AT_BEGIN", "NONZERO_AT_END", "SESSION_OUT_OF_ORDER", "NOT_MONOTONIC", "SESSION_MISMATCH", "ID_REUSED",
    }  # fmt: skip
