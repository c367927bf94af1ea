"""PlanLoad: against the guidance that the same caller gets, and what it refuses."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone

import grpc
import pytest
from energykit.v1 import guidance_pb2, guidance_pb2_grpc

from .caller import CALIFORNIA, CALL_LIMIT, HAWAII, NONE, SHIFT, Demo, clear_of_the_hour, error_of

STEP = timedelta(minutes=5)


@pytest.fixture(autouse=True)
def _clear_of_the_hour() -> None:
    clear_of_the_hour()


def request(demo: Demo, start: datetime, length: timedelta, duration: timedelta, *, contiguous: bool, venue: int = CALIFORNIA):
    made = guidance_pb2.PlanLoadRequest(venue_id=demo.venues[venue], suggested_action=SHIFT, contiguous=contiguous)
    made.window.start.FromDatetime(start.astimezone(timezone.utc).replace(tzinfo=None))
    made.window.end.FromDatetime((start + length).astimezone(timezone.utc).replace(tzinfo=None))
    made.duration.FromTimedelta(duration)
    return made


def plan(demo: Demo, asked: guidance_pb2.PlanLoadRequest, client: int = 0) -> guidance_pb2.PlanLoadResponse:
    caller = demo.caller(client)
    stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(caller.channel)
    return stub.PlanLoad(asked, metadata=caller.metadata, timeout=CALL_LIMIT)


def soon() -> datetime:
    """A whole quarter of an hour to come."""
    now = datetime.now(timezone.utc)
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(minutes=15 * (now.minute // 15 + 1))


def rating_at(guidance: guidance_pb2.ElectricityGuidance, moment: datetime) -> float:
    for value in guidance.values:
        if value.interval.start.ToDatetime(timezone.utc) <= moment < value.interval.end.ToDatetime(timezone.utc):
            return value.rating
    raise AssertionError(f"no value at {moment}")


def steps(start: datetime, length: timedelta) -> list[datetime]:
    return [start + STEP * index for index in range(length // STEP)]


@pytest.mark.parametrize("hours", [1, 3, 8])
@pytest.mark.parametrize("contiguous", [True, False])
def test_no_plan_is_better(demo: Demo, hours: int, contiguous: bool) -> None:
    """Tried at every five minutes of the next twelve hours; values are whole steps of those."""
    start, window, duration = soon(), timedelta(hours=12), timedelta(hours=hours)
    found = plan(demo, request(demo, start, window, duration, contiguous=contiguous))
    guidance = demo.caller().get_guidance(demo.venues[CALIFORNIA]).guidance
    assert found.guidance_token == guidance.guidance_token
    ratings = [rating_at(guidance, moment) for moment in steps(start, window)]
    count = duration // STEP
    if contiguous:
        best = min(sum(ratings[first : first + count]) for first in range(len(ratings) - count + 1)) / count
        assert len(found.intervals) == 1
    else:
        best = sum(sorted(ratings)[:count]) / count
    assert found.mean_rating == pytest.approx(best, abs=1e-9)
    assert found.immediate_mean_rating.value == pytest.approx(sum(ratings[:count]) / count, abs=1e-9)
    assert found.mean_rating <= found.immediate_mean_rating.value
    assert found.window_covered
    spans = [(each.start.ToDatetime(timezone.utc), each.end.ToDatetime(timezone.utc)) for each in found.intervals]
    assert sum((end - begin for begin, end in spans), timedelta()) == duration
    assert all(start <= begin < end <= start + window for begin, end in spans)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
    chosen = [rating_at(guidance, moment) for begin, end in spans for moment in steps(begin, end - begin)]
    assert sum(chosen) / count == pytest.approx(best, abs=1e-9)


def test_a_window_that_goes_on_beyond_the_guidance(demo: Demo) -> None:
    found = plan(demo, request(demo, soon(), timedelta(days=30), timedelta(hours=2), contiguous=True))
    assert not found.window_covered
    assert len(found.intervals) == 1


def test_a_window_that_has_opened_counts_from_now(demo: Demo) -> None:
    start = datetime.now(timezone.utc) - timedelta(hours=5)
    found = plan(demo, request(demo, start, timedelta(hours=7), timedelta(hours=9), contiguous=False))
    [only] = found.intervals
    assert abs((only.start.ToDatetime(timezone.utc) - datetime.now(timezone.utc)).total_seconds()) < CALL_LIMIT
    assert only.end.ToDatetime(timezone.utc) == pytest.approx(start + timedelta(hours=7), abs=timedelta(milliseconds=1))


@pytest.mark.parametrize(
    ("start", "length", "duration"),
    [
        (timedelta(hours=-3), timedelta(hours=2), timedelta(hours=1)),
        (timedelta(days=20), timedelta(hours=2), timedelta(hours=1)),
        (timedelta(hours=1), timedelta(days=20), timedelta(days=10)),
    ],
    ids=["over", "beyond the guidance", "longer than the guidance"],
)
def test_what_guidance_does_not_cover(demo: Demo, start: timedelta, length: timedelta, duration: timedelta) -> None:
    error = error_of(
        lambda: plan(demo, request(demo, datetime.now(timezone.utc) + start, length, duration, contiguous=False))
    )
    assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "GUIDANCE_UNAVAILABLE")
    assert timedelta(seconds=5) <= error.retry_delay <= timedelta(seconds=60)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda asked: asked.ClearField("window"), "window"),
        (lambda asked: asked.window.ClearField("start"), "window.start"),
        (lambda asked: asked.window.ClearField("end"), "window.end"),
        (lambda asked: asked.window.end.CopyFrom(asked.window.start), "window"),
        (lambda asked: setattr(asked.window.end, "seconds", 1), "window"),
        (lambda asked: setattr(asked.window.end, "seconds", 2**62), "window.end"),
        (lambda asked: asked.ClearField("duration"), "duration"),
        (lambda asked: setattr(asked.duration, "seconds", 0), "duration"),
        (lambda asked: setattr(asked.duration, "seconds", -5), "duration"),
        (lambda asked: setattr(asked.duration, "seconds", 2**62), "duration"),
        (lambda asked: setattr(asked.duration, "nanos", -1), "duration"),
        (lambda asked: setattr(asked, "suggested_action", 0), "suggested_action"),
        (lambda asked: setattr(asked, "venue_id", "home"), "venue_id"),
    ],
)
def test_a_malformed_request_names_its_field(demo: Demo, change, field: str) -> None:
    asked = request(demo, soon(), timedelta(hours=4), timedelta(hours=1), contiguous=True)
    change(asked)
    error = error_of(lambda: plan(demo, asked))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert [violation.field for violation in error.violations] == [field]


def test_the_order_of_checks(demo: Demo) -> None:
    """Entitlement before the request, region after it."""
    asked = request(demo, soon(), timedelta(hours=4), timedelta(hours=1), contiguous=True, venue=HAWAII)
    assert error_of(lambda: plan(demo, asked)).reason == "UNSUPPORTED_REGION"
    asked.ClearField("window")
    assert error_of(lambda: plan(demo, asked)).reason == "INVALID_REQUEST"
    assert error_of(lambda: plan(demo, asked, NONE)).reason == "PERMISSION_DENIED"
