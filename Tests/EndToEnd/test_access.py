"""Who may call what: keys, entitlements, the operator's key, venues."""

from __future__ import annotations

import base64
import uuid
from pathlib import Path

import grpc
import pytest
from energykit.v1 import admin_pb2, load_event_pb2
from google.rpc import error_details_pb2, status_pb2

from .caller import BASE, CALIFORNIA, FULL, NONE, Caller, Demo, error_of, session
from .operator import DENIED, Made, Operator
from .raw_http2 import RawConnection
from .server import Server

SUBMIT = "/energykit.v1.LoadEventService/SubmitLoadEvents"

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
    """G-069."""
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


def test_who_was_denied_a_venue_is_told_which(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        venue = demo.venues[CALIFORNIA]
        Operator(demo).allow(Made(server.demo["clients"][FULL]["id"], demo.keys[FULL]), venue, DENIED)
        caller, token = demo.caller(FULL), demo.token(BASE)
        calls = {
            "GetVenue": lambda: caller.get_venue(venue),
            "GetGuidance": lambda: caller.get_guidance(venue),
            "StreamGuidance": lambda: list(caller.stream_guidance(venue)),
            "SubmitLoadEvents": lambda: caller.submit(venue, session(token)),
        }
        for name, call in calls.items():
            error = error_of(call)
            assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "PERMISSION_DENIED"), name
            assert error.metadata.get("venue") == venue, name
        assert demo.caller(BASE).get_venue(venue).id == venue


@pytest.mark.parametrize("limit", [2048, 4096, 1 << 20])
def test_details_fit_the_header_list_that_the_client_takes(demo: Demo, server: Server, limit: int) -> None:
    """G-074, G-075."""
    request = load_event_pb2.SubmitLoadEventsRequest(venue_id=demo.venues[CALIFORNIA])
    for event in session(demo.token(), count=60):
        event.device_id = "-"
        request.load_events.append(event)
    with RawConnection(server.address, header_list=limit) as connection:
        stream = connection.call(SUBMIT, demo.keys[FULL], request.SerializeToString())
        answer = connection.answers([stream], 10)[stream]
    trailers = answer.headers[-1]
    assert answer.grpc_status == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    size = sum(len(name) + len(value) + 32 for name, value in trailers.items())
    assert size <= limit
    encoded = trailers["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(base64.b64decode(encoded + "=" * (-len(encoded) % 4)))
    info, violations = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    assert status.details[0].Unpack(info) and status.details[1].Unpack(violations)
    assert info.metadata["violations"] == "60"  # their full number, however many fit
    assert 0 < len(violations.field_violations) <= 60
    print(f"measured: {len(violations.field_violations)} of 60 violations in {size} bytes of {limit}")
