"""Who may call what: keys, entitlements, the operator's key, venues."""

from __future__ import annotations

import uuid

import grpc
import pytest
from energykit.v1 import admin_pb2

from .caller import CALIFORNIA, FULL, NONE, Caller, Demo, error_of, session

MADE_UP = "ek_" + "A" * 43


def client_calls(demo: Demo, caller: Caller) -> dict:
    venue = demo.venues[CALIFORNIA]
    return {
        "ListVenues": caller.list_venues,
        "GetVenue": lambda: caller.get_venue(venue),
        "GetGuidance": lambda: caller.get_guidance(venue),
        "StreamGuidance": lambda: next(caller.stream_guidance(venue)),
        "SubmitLoadEvents": lambda: caller.submit(venue, session(str(uuid.uuid4()))),
    }


@pytest.mark.parametrize(
    "key", [None, "", MADE_UP, "ek_short", "nonsense", MADE_UP * 20], ids=lambda key: repr(key)[:20]
)
def test_without_a_known_key_every_call_is_unauthenticated(demo: Demo, key: str | None) -> None:
    caller = demo.caller().with_key(key)
    calls = {**client_calls(demo, caller), "PublishGridSignal": lambda: caller.publish_signal(demo.forecast())}
    errors = {name: error_of(call) for name, call in calls.items()}
    assert {(error.code, error.reason) for error in errors.values()} == {
        (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
    }
    assert len({error.message for error in errors.values()}) == 1  # one text: nothing is given away


def test_another_scheme_than_bearer_is_unauthenticated(demo: Demo) -> None:
    class Basic(Caller):
        @property
        def metadata(self):
            return (("authorization", f"Basic {self.key}"),)

    error = error_of(Basic(demo.channel, demo.keys[FULL]).list_venues)
    assert error.code == grpc.StatusCode.UNAUTHENTICATED


def test_a_client_without_the_entitlement_is_refused(demo: Demo) -> None:
    for name, call in client_calls(demo, demo.caller(NONE)).items():
        error = error_of(call)
        assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED"), name
        assert error.metadata.get("entitlement"), name


def test_the_admin_key_opens_no_client_service(demo: Demo) -> None:
    for name, call in client_calls(demo, demo.admin).items():
        error = error_of(call)
        assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED"), name


def test_a_client_key_does_not_open_the_admin_service(demo: Demo) -> None:
    for key in demo.keys:
        error = error_of(lambda: demo.caller().with_key(key).publish_signal(admin_pb2.PublishGridSignalRequest()))
        assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED")


def test_an_unknown_venue_is_unavailable(demo: Demo) -> None:
    caller, unknown = demo.caller(), str(uuid.uuid4())
    token = demo.token()
    for call in (
        lambda: caller.get_venue(unknown),
        lambda: caller.get_guidance(unknown),
        lambda: list(caller.stream_guidance(unknown)),
        lambda: caller.submit(unknown, session(token)),
    ):
        error = error_of(call)
        assert (error.code, error.reason) == (grpc.StatusCode.NOT_FOUND, "VENUE_UNAVAILABLE")


def test_a_venue_id_is_a_uuid_in_either_case(demo: Demo) -> None:
    caller = demo.caller()
    assert caller.get_venue(demo.venues[CALIFORNIA].upper()).id == demo.venues[CALIFORNIA]
    error = error_of(lambda: caller.get_guidance("garage"))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert [violation.field for violation in error.violations] == ["venue_id"]


def test_all_venues_are_listed_by_name(demo: Demo) -> None:
    venues = demo.caller().list_venues()
    assert [venue.name for venue in venues] == sorted(venue.name for venue in venues)
    assert {venue.id for venue in venues} == set(demo.venues)
    assert sum(venue.has_rate_plan for venue in venues) == 1
