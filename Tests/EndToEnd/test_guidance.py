"""Guidance: at once, again when a forecast is published, not twice to who has it."""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import grpc
import pytest
from energykit.v1 import guidance_pb2
from sanitizers import within

from .caller import BASE, CALIFORNIA, FULL, HAWAII, OTHER, SHIFT, Demo, clear_of_the_hour, error_of, session
from .server import Server


class Subscription:
    """Collects the messages of a stream on a thread of its own."""

    def __init__(self, stream):
        self.stream = stream
        self.messages: queue.Queue[guidance_pb2.ElectricityGuidance | grpc.RpcError] = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        try:
            for response in self.stream:
                self.messages.put(response.guidance)
        except grpc.RpcError as error:
            self.messages.put(error)

    def next(self, limit: float = 10) -> guidance_pb2.ElectricityGuidance:
        message = self.messages.get(timeout=within(limit))
        assert not isinstance(message, grpc.RpcError), message
        return message

    def is_silent(self, seconds: float) -> bool:
        try:
            self.messages.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.cancel()


@pytest.fixture(autouse=True)
def _clear_of_the_hour() -> None:
    clear_of_the_hour()


@pytest.mark.parametrize("venue", [CALIFORNIA, OTHER])
def test_the_first_guidance_comes_at_once(demo: Demo, venue: int) -> None:
    caller = demo.caller()
    caller.list_venues()  # the connection is there
    start = time.perf_counter()
    with Subscription(caller.stream_guidance(demo.venues[venue])) as subscription:
        guidance = subscription.next()
        elapsed = time.perf_counter() - start
    print(f"measured: first guidance after {elapsed * 1000:.1f} ms, {len(guidance.values)} values")
    assert elapsed < within(1)
    assert guidance.venue_id == demo.venues[venue]
    assert guidance.grid_region == demo.regions[venue]
    assert guidance.suggested_action == SHIFT


@pytest.mark.parametrize("venue", [CALIFORNIA, OTHER])
def test_values_cover_the_day_ahead_in_order(demo: Demo, venue: int) -> None:
    guidance = demo.caller().get_guidance(demo.venues[venue]).guidance
    now = time.time()
    spans = [(value.interval.start.seconds, value.interval.end.seconds) for value in guidance.values]
    assert all(start < end for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:]))
    assert spans[0][0] <= now < spans[0][1]
    assert (guidance.interval.start.seconds, guidance.interval.end.seconds) == (spans[0][0], spans[-1][1])
    assert 24 * 3600 <= spans[-1][1] - spans[0][0] <= 49 * 3600
    assert all(0 <= value.rating <= 1 for value in guidance.values)
    assert min(value.rating for value in guidance.values) < max(value.rating for value in guidance.values)
    has_plan = guidance_pb2.GUIDANCE_OPTION_GUIDANCE_INCORPORATES_RATE_PLAN in guidance.options
    assert has_plan == (venue == CALIFORNIA)
    hours = (spans[-1][1] - spans[0][0]) / 3600
    print(f"measured: {len(spans)} values over {hours:.0f} h for {demo.regions[venue]}")


def test_the_stream_and_the_single_answer_are_the_same(demo: Demo) -> None:
    caller = demo.caller()
    with Subscription(caller.stream_guidance(demo.venues[CALIFORNIA])) as subscription:
        streamed = subscription.next()
    assert caller.get_guidance(demo.venues[CALIFORNIA]).guidance == streamed


def test_a_published_forecast_reaches_the_subscribers_of_its_region(demo: Demo) -> None:
    caller = demo.caller()
    with (
        Subscription(caller.stream_guidance(demo.venues[CALIFORNIA])) as here,
        Subscription(demo.caller(BASE).stream_guidance(demo.venues[CALIFORNIA])) as beside,
        Subscription(caller.stream_guidance(demo.venues[OTHER])) as elsewhere,
    ):
        first, _, _ = here.next(), beside.next(), elsewhere.next()
        start = time.perf_counter()
        answer = demo.publish_forecast(CALIFORNIA)
        second = here.next()
        elapsed = time.perf_counter() - start
        third = beside.next()
        assert answer.guidance_changed
        assert answer.stored_count == 48
        assert second.guidance_token != first.guidance_token
        assert list(second.values) != list(first.values)
        assert third.guidance_token != second.guidance_token  # a token is for one client
        assert list(third.values) == list(second.values)
        assert caller.get_guidance(demo.venues[CALIFORNIA]).guidance == second
        assert elsewhere.is_silent(0.5)
    print(f"measured: publish to the subscriber {elapsed * 1000:.1f} ms")


def test_a_forecast_issued_in_the_future_is_refused_and_stands_in_nobodys_way(demo: Demo) -> None:
    before = demo.token()
    for ahead in (3600, 100 * 365 * 86400):
        request = demo.forecast(CALIFORNIA)
        request.issue_time.seconds += ahead
        error = error_of(lambda: demo.admin.publish_signal(request))
        assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
        assert [violation.field for violation in error.violations] == ["issue_time"]
    assert demo.token() == before
    assert demo.publish_forecast(CALIFORNIA).guidance_changed
    assert demo.token() != before


def test_who_has_the_current_guidance_hears_nothing_until_it_changes(demo: Demo) -> None:
    caller = demo.caller()
    known = demo.token()
    assert not caller.get_guidance(demo.venues[CALIFORNIA], known_guidance_token=known).HasField("guidance")
    stream = caller.stream_guidance(demo.venues[CALIFORNIA], known_guidance_token=known)
    with Subscription(stream) as subscription:
        assert subscription.is_silent(0.7)
        demo.publish_forecast(CALIFORNIA)
        assert subscription.next().guidance_token != known
    assert caller.get_guidance(demo.venues[CALIFORNIA], known_guidance_token=known).HasField("guidance")


def test_a_token_of_another_client_is_not_known(demo: Demo) -> None:
    foreign = demo.token(BASE)
    assert demo.caller(FULL).get_guidance(demo.venues[CALIFORNIA], known_guidance_token=foreign).HasField("guidance")


def test_an_explanation_comes_with_every_value(demo: Demo) -> None:
    answer = demo.caller().get_guidance(demo.venues[CALIFORNIA], explain=True)
    assert len(answer.explanations) == len(answer.guidance.values)
    for value, explanation in zip(answer.guidance.values, answer.explanations):
        assert explanation.interval == value.interval


def test_hawaii_is_an_unsupported_region(demo: Demo) -> None:
    caller, venue = demo.caller(), demo.venues[HAWAII]
    for call in (lambda: caller.get_guidance(venue), lambda: list(caller.stream_guidance(venue))):
        error = error_of(call)
        assert (error.code, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "UNSUPPORTED_REGION")
        assert error.metadata.get("region") == demo.regions[HAWAII]


def test_an_action_is_needed(demo: Demo) -> None:
    error = error_of(lambda: demo.caller().get_guidance(demo.venues[CALIFORNIA], suggested_action=0))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert [violation.field for violation in error.violations] == ["suggested_action"]


def test_a_token_outlives_its_key_and_the_key_its_tokens(data: Path) -> None:
    """A start makes a new key after 90 days; the old one checks for 40 days more, then its secret is gone."""
    day = 86_400

    def keys() -> list[int]:
        with sqlite3.connect(f"file:{data}/energykit.sqlite3?mode=ro", uri=True) as store:
            return [row[0] for row in store.execute("SELECT id FROM master_keys ORDER BY id")]

    def begin(offset: int) -> datetime:
        return datetime.now(timezone.utc) + timedelta(seconds=offset) - timedelta(minutes=1)

    with Server(data) as server:
        server.stop()
    offset = 89 * day
    with Server(data, "--clock-offset", str(offset)) as server, Demo(server) as demo:
        token = demo.token()
        assert keys() == [0]
    for days, device, expected in [(92, "first", [0, 1]), (120, "second", [0, 1])]:
        with Server(data, "--clock-offset", str(days * day)) as server, Demo(server) as demo:
            assert keys() == expected
            events = session(token, device=device, begin=begin(days * day))
            assert demo.caller().submit(demo.venues[CALIFORNIA], events).stored_count == 3
            assert demo.token() != token
    with Server(data, "--clock-offset", str(133 * day)) as server, Demo(server) as demo:
        assert keys() == [1]
        events = session(token, device="third", begin=begin(133 * day))
        error = error_of(lambda: demo.caller().submit(demo.venues[CALIFORNIA], events))
        assert {each.reason for each in error.violations} == {"UNKNOWN_GUIDANCE_TOKEN"}
        assert demo.caller().submit(demo.venues[CALIFORNIA], session(demo.token(), begin=begin(133 * day))).stored_count


def test_a_token_outlives_a_restart(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        token = demo.token()
        assert server.stop() == 0
    with Server(data) as server, Demo(server) as demo:
        caller, venue = demo.caller(), demo.venues[CALIFORNIA]
        assert caller.submit(venue, session(token)).stored_count == 3
        assert not caller.get_guidance(venue, known_guidance_token=token).HasField("guidance")
        assert demo.token() == token
