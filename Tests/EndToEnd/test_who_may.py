"""Every method by every kind of caller at every kind of venue: which check answers, and with which code and reason.

The rules are in `expected`, in the order in which the server checks (docs/architecture.md, Order of checks); the rest
makes callers and venues of each kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import grpc
import pytest
from energykit.errors import ErrorDetails
from energykit.v1 import (
    admin_pb2,
    guidance_pb2,
    guidance_pb2_grpc,
    load_event_pb2,
    load_event_pb2_grpc,
    venue_pb2,
    venue_pb2_grpc,
)

from .caller import CALL_LIMIT, SHIFT, Caller, Demo, session
from .operator import DENIED, ENERGYKIT, GRANTED, LOAD_EVENTS, RESTRICTED, Made, Operator, some_id

NO_KEY, WRONG_KEY, DISABLED, NO_ENTITLEMENT, BASE, BOTH, ADMIN = CALLERS = [
    "no key", "wrong key", "disabled", "no entitlement", "base", "both", "admin",
]  # fmt: skip
MALFORMED, ABSENT, NO_ACCESS, DECLINED, GUEST, LOCATION_OFF, HAWAIIAN, USABLE = VENUES = [
    "malformed id", "absent", "none", "denied", "restricted", "location off", "Hawaii", "granted",
]  # fmt: skip

CODES = {code.value[0]: code.name for code in grpc.StatusCode}
OK = ("OK", "")
UNAUTHENTICATED = ("UNAUTHENTICATED", "UNAUTHENTICATED")
PERMISSION_DENIED = ("PERMISSION_DENIED", "PERMISSION_DENIED")
INVALID_REQUEST = ("INVALID_ARGUMENT", "INVALID_REQUEST")
VENUE_UNAVAILABLE = ("NOT_FOUND", "VENUE_UNAVAILABLE")
LOCATION_SERVICES_DENIED = ("FAILED_PRECONDITION", "LOCATION_SERVICES_DENIED")
UNSUPPORTED_REGION = ("FAILED_PRECONDITION", "UNSUPPORTED_REGION")
INVALID_LOAD_EVENT = ("INVALID_ARGUMENT", "INVALID_LOAD_EVENT")
NOT_FOUND = ("NOT_FOUND", "NOT_FOUND")

LISTING = ["ListVenues"]
ABOUT_A_VENUE = ["GetVenue", "GetGuidance", "StreamGuidance", "PlanLoad", "SubmitLoadEvents", "StreamLoadEvents"]
NEEDS_GUIDANCE = ["GetGuidance", "StreamGuidance", "PlanLoad"]
SUBMITS = ["SubmitLoadEvents", "StreamLoadEvents"]
# What may be asked of a venue without changing it for the other cells.
OPERATORS = ["GetVenueSettings", "UpdateVenue", "ListVenueAccess"]
METHODS = LISTING + ABOUT_A_VENUE + OPERATORS


def expected(method: str, caller: str, venue: str) -> tuple[str, str]:
    # The key.
    if caller in (NO_KEY, WRONG_KEY, DISABLED):
        return UNAUTHENTICATED
    if (caller == ADMIN) != (method in OPERATORS):
        return PERMISSION_DENIED
    # The entitlement.
    if caller == NO_ENTITLEMENT:
        return PERMISSION_DENIED
    if method in LISTING:
        return OK
    # The shape of the request.
    if venue == MALFORMED:
        return INVALID_REQUEST
    # The venue and access to it. The operator sees all venues.
    if caller == ADMIN:
        return NOT_FOUND if venue == ABSENT else OK
    if venue in (ABSENT, NO_ACCESS):
        return VENUE_UNAVAILABLE
    if venue == DECLINED:
        return PERMISSION_DENIED
    # Location services, then the region.
    if method in NEEDS_GUIDANCE and venue == LOCATION_OFF:
        return LOCATION_SERVICES_DENIED
    if method in NEEDS_GUIDANCE and venue == HAWAIIAN:
        return UNSUPPORTED_REGION
    # The events: a guest may not, and there are no tokens for Hawaii.
    if method in SUBMITS and venue in (GUEST, HAWAIIAN):
        return INVALID_LOAD_EVENT
    return OK


@dataclass
class World:
    """A client of each kind and a venue of each kind, with the access that the kind says."""

    operator: Operator
    keys: dict[str, str | None]
    venues: dict[str, str]
    tokens: dict[tuple[str, str], str]

    @classmethod
    def made(cls, operator: Operator) -> World:
        clients: dict[str, Made] = {
            DISABLED: operator.make_client(entitlements=(ENERGYKIT, LOAD_EVENTS)),
            NO_ENTITLEMENT: operator.make_client(entitlements=()),
            BASE: operator.make_client(),
            BOTH: operator.make_client(entitlements=(ENERGYKIT, LOAD_EVENTS)),
        }
        venues = {kind: operator.make_venue(kind) for kind in VENUES if kind not in (MALFORMED, ABSENT, HAWAIIAN)}
        venues |= {MALFORMED: "home", ABSENT: some_id(), HAWAIIAN: operator.make_venue(
            HAWAIIAN, time_zone="Pacific/Honolulu", grid_region="", location={"latitude": 21.3, "longitude": -157.86}
        )}  # fmt: skip
        access = {DECLINED: DENIED, GUEST: RESTRICTED, LOCATION_OFF: GRANTED, HAWAIIAN: GRANTED, USABLE: GRANTED}
        tokens = {}
        for kind, client in clients.items():
            for venue, level in access.items():
                operator.allow(client, venues[venue], level)
            if kind in (BASE, BOTH):
                for venue in (GUEST, LOCATION_OFF, USABLE):
                    guidance = operator.caller(client).get_guidance(venues[venue]).guidance
                    tokens[kind, venue] = guidance.guidance_token
        operator.call("UpdateClient", client_id=clients[DISABLED].id, disabled=True)
        operator.call("UpdateVenue", venue_id=venues[LOCATION_OFF], location_services_denied=True)
        keys = {NO_KEY: None, WRONG_KEY: "ek_" + "A" * 43, ADMIN: operator.key}
        keys |= {kind: client.key for kind, client in clients.items()}
        return cls(operator, keys, venues, tokens)

    def call(self, method: str, caller: str, venue: str) -> object:
        channel, venue_id = self.operator.demo.channel, self.venues[venue]
        who = Caller(channel, self.keys[caller])
        if method in OPERATORS:
            request = getattr(admin_pb2, f"{method}Request")(venue_id=venue_id)
            return getattr(self.operator.stub, method)(request, metadata=who.metadata, timeout=CALL_LIMIT)
        if method == "ListVenues":
            stub = venue_pb2_grpc.EnergyVenueServiceStub(channel)
            return stub.ListVenues(venue_pb2.ListVenuesRequest(), metadata=who.metadata, timeout=CALL_LIMIT)
        if method == "GetVenue":
            return who.get_venue(venue_id)
        if method == "GetGuidance":
            return who.get_guidance(venue_id)
        if method == "PlanLoad":
            stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(channel)
            request = guidance_pb2.PlanLoadRequest(venue_id=venue_id, suggested_action=SHIFT)
            request.window.start.GetCurrentTime()
            request.window.end.seconds = request.window.start.seconds + 6 * 3600
            request.duration.seconds = 3600
            return stub.PlanLoad(request, metadata=who.metadata, timeout=CALL_LIMIT)
        if method == "StreamGuidance":
            stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(channel)
            request = guidance_pb2.StreamGuidanceRequest(venue_id=venue_id, suggested_action=SHIFT)
            stream = stub.StreamGuidance(request, metadata=who.metadata, timeout=CALL_LIMIT)
            try:
                return next(stream)
            finally:
                stream.cancel()
        events = session(self.tokens.get((caller, venue), some_id()))
        if method == "StreamLoadEvents":
            stub = load_event_pb2_grpc.LoadEventServiceStub(channel)
            request = load_event_pb2.StreamLoadEventsRequest(venue_id=venue_id, load_events=events)
            stream = stub.StreamLoadEvents(iter([request]), metadata=who.metadata, timeout=CALL_LIMIT)
            (answer,) = list(stream)
            if answer.WhichOneof("outcome") == "refused":
                raise Refused(answer.refused)
            return answer
        return who.submit_request(load_event_pb2.SubmitLoadEventsRequest(venue_id=venue_id, load_events=events))


@pytest.fixture(scope="module")
def world(demo: Demo) -> World:
    return World.made(Operator(demo))


class Refused(Exception):
    """The answer to one batch of a stream, where it is not accepted."""

    def __init__(self, error: load_event_pb2.BatchError):
        super().__init__(error.message)
        self.error = error


def outcome(call: Callable[[], object]) -> tuple[tuple[str, str], ErrorDetails | None]:
    try:
        call()
        return OK, None
    except Refused as refused:
        return (CODES[refused.error.code], refused.error.reason), None
    except grpc.RpcError as error:
        details = ErrorDetails.of(error)
        return (details.code.name, details.reason), details


@pytest.mark.parametrize("method", METHODS)
def test_each_caller_at_each_venue(world: World, method: str) -> None:
    wrong = []
    for caller in CALLERS:
        for venue in VENUES:
            found, details = outcome(lambda caller=caller, venue=venue: world.call(method, caller, venue))
            if found != expected(method, caller, venue):
                wrong.append(f"{method} by {caller} at {venue}: {found}, not {expected(method, caller, venue)}")
            elif method in OPERATORS or caller == ADMIN:
                assert details is None or details.metadata == {}
            elif details is None:
                continue
            elif found == PERMISSION_DENIED and venue == DECLINED and caller in (BASE, BOTH):
                assert details.metadata == {"venue": world.venues[venue]}
            elif found == PERMISSION_DENIED and caller == NO_ENTITLEMENT:
                assert details.metadata == {"entitlement": "com.apple.developer.energykit"}
            elif found == INVALID_LOAD_EVENT:
                reasons = {violation.reason for violation in details.violations}
                assert reasons == ({"RESTRICTED"} if venue == GUEST else {"UNKNOWN_GUIDANCE_TOKEN"})
    assert not wrong, "\n".join(wrong)
    print(f"measured: {len(CALLERS) * len(VENUES)} cells of {method}")


def test_absent_and_inaccessible_venues_are_told_apart_by_nothing(world: World) -> None:
    for method in ABOUT_A_VENUE:
        if method == "StreamLoadEvents":
            continue  # answers each batch by itself
        answers = []
        for venue in (ABSENT, NO_ACCESS):
            with pytest.raises(grpc.RpcError) as raised:
                world.call(method, BOTH, venue)
            trailers = {each.key: each.value for each in raised.value.trailing_metadata()}
            answers.append((raised.value.code(), raised.value.details(), trailers))
        assert answers[0] == answers[1], method


def test_every_bad_key_gets_the_same_answer(world: World) -> None:
    answers = set()
    for caller in (NO_KEY, WRONG_KEY, DISABLED):
        for method in METHODS:
            with pytest.raises(grpc.RpcError) as raised:
                world.call(method, caller, USABLE)
            trailers = tuple(sorted((each.key, each.value) for each in raised.value.trailing_metadata()))
            answers.add((raised.value.code(), raised.value.details(), trailers))
    assert len(answers) == 1


# All of AdminService, by a request that says nothing: what the operator hears, who is let in alone.
UNIMPLEMENTED = ("UNIMPLEMENTED", "")
TO_THE_OPERATOR = {
    "CreateClient": INVALID_REQUEST,
    "GetClient": INVALID_REQUEST,
    "ListClients": OK,
    "UpdateClient": INVALID_REQUEST,
    "DeleteClient": INVALID_REQUEST,
    "RotateClientKey": INVALID_REQUEST,
    "CreateVenue": INVALID_REQUEST,
    "GetVenueSettings": INVALID_REQUEST,
    "ListVenueSettings": OK,
    "UpdateVenue": INVALID_REQUEST,
    "DeleteVenue": INVALID_REQUEST,
    "DeleteDevice": INVALID_REQUEST,
    "SetVenueAccess": INVALID_REQUEST,
    "ListVenueAccess": INVALID_REQUEST,
    "CreateRatePlan": UNIMPLEMENTED,
    "ListRatePlans": UNIMPLEMENTED,
    "DeleteRatePlan": UNIMPLEMENTED,
    "PublishGridSignal": INVALID_REQUEST,
    "PublishGridEvent": UNIMPLEMENTED,
    "ListGridEvents": UNIMPLEMENTED,
    "ListGridRegions": OK,
    "ResolveGridRegion": INVALID_REQUEST,
}


@pytest.mark.parametrize("method", [each.name for each in admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods])
def test_the_operators_calls_are_the_operators(world: World, method: str) -> None:
    """Whatever is asked: others are turned away by their key, before the request is looked at."""
    wanted = TO_THE_OPERATOR[method]
    for caller in CALLERS:
        who = Caller(world.operator.demo.channel, world.keys[caller])
        request = getattr(admin_pb2, f"{method}Request")()
        found, _ = outcome(
            lambda who=who, request=request: getattr(world.operator.stub, method)(
                request, metadata=who.metadata, timeout=CALL_LIMIT
            )
        )
        if wanted == UNIMPLEMENTED:
            assert found[0] == "UNIMPLEMENTED", caller
        elif caller in (NO_KEY, WRONG_KEY, DISABLED):
            assert found == UNAUTHENTICATED, caller
        elif caller != ADMIN:
            assert found == PERMISSION_DENIED, caller
        else:
            assert found == wanted


@pytest.mark.parametrize("method", ["GetVenueSettings", "UpdateVenue", "DeleteVenue", "DeleteDevice", "SetVenueAccess"])
@pytest.mark.parametrize("venue", [MALFORMED, ABSENT])
def test_the_operator_hears_what_a_venue_is_not(world: World, method: str, venue: str) -> None:
    request = getattr(admin_pb2, f"{method}Request")(venue_id=world.venues[venue])
    if method in ("DeleteDevice", "SetVenueAccess"):
        request.client_id = some_id()
    if method == "DeleteDevice":
        request.device_id = "charger-1"
    if method == "SetVenueAccess":
        request.access = GRANTED
    found, details = outcome(
        lambda: getattr(world.operator.stub, method)(
            request, metadata=(("authorization", f"Bearer {world.operator.key}"),), timeout=CALL_LIMIT
        )
    )
    assert found == (INVALID_REQUEST if venue == MALFORMED else NOT_FOUND)
    if venue == MALFORMED:
        assert [violation.field for violation in details.violations] == ["venue_id"]
