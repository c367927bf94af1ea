"""What open streams and later calls see of changes of keys, entitlements, access and venues."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from certificates import Authority
from energykit.errors import ErrorDetails
from energykit.v1 import admin_pb2, load_event_pb2, load_event_pb2_grpc
from sanitizers import within

from .caller import CALIFORNIA, Caller, Demo, error_of, session
from .operator import DENIED, GRANTED, NONE_ACCESS, RESTRICTED, Made, Operator, some_id
from .server import Server

LIMIT = 1.0  # seconds, from the answer that told of the change


class Home:
    """A client that may use a venue, and its open stream."""

    def __init__(self, operator: Operator):
        self.operator = operator
        self.client: Made = operator.make_client()
        self.venue = operator.make_venue()
        operator.allow(self.client, self.venue)
        self.caller = operator.caller(self.client)
        self.stream = self.caller.stream_guidance(self.venue)
        self.first = next(self.stream).guidance

    def end(self, change: Callable[[], object]) -> tuple[ErrorDetails, float]:
        """How the stream ends after `change`, and how many seconds after it was answered."""
        change()
        answered = time.monotonic()
        with pytest.raises(grpc.RpcError) as raised:
            while True:
                next(self.stream)
        return ErrorDetails.of(raised.value), time.monotonic() - answered

    def call(self, method: str, **fields: object):
        return self.operator.call(method, **fields)


@pytest.fixture(scope="module")
def operator(demo: Demo) -> Operator:
    return Operator(demo)


ENDS: dict[str, tuple[Callable[[Home], object], str]] = {
    "client disabled": (lambda h: h.call("UpdateClient", client_id=h.client.id, disabled=True), "UNAUTHENTICATED"),
    "client deleted": (lambda h: h.call("DeleteClient", client_id=h.client.id), "UNAUTHENTICATED"),
    "key rotated": (lambda h: h.call("RotateClientKey", client_id=h.client.id), "UNAUTHENTICATED"),
    "entitlement taken": (
        lambda h: h.call("UpdateClient", client_id=h.client.id, replace_entitlements=True), "PERMISSION_DENIED",
    ),
    "access denied": (lambda h: h.operator.allow(h.client, h.venue, DENIED), "PERMISSION_DENIED"),
    "access taken": (lambda h: h.operator.allow(h.client, h.venue, NONE_ACCESS), "VENUE_UNAVAILABLE"),
    "venue deleted": (lambda h: h.call("DeleteVenue", venue_id=h.venue), "VENUE_UNAVAILABLE"),
    "location services off": (
        lambda h: h.call("UpdateVenue", venue_id=h.venue, location_services_denied=True), "LOCATION_SERVICES_DENIED",
    ),
    "no region": (lambda h: h.call("UpdateVenue", venue_id=h.venue, grid_region=""), "UNSUPPORTED_REGION"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_stream_ends_within_a_second(operator: Operator, name: str) -> None:
    change, reason = ENDS[name]
    home = Home(operator)
    other = Home(operator)
    error, seconds = home.end(lambda: change(home))
    print(f"measured: {name}: the stream ended {seconds * 1000:.1f} ms after the answer with {error.reason}")
    assert error.reason == reason
    assert seconds < within(LIMIT)
    # Nor does a later call get through, and nobody else noticed.
    assert error_of(lambda: home.caller.get_guidance(home.venue)).reason == reason
    assert other.caller.get_guidance(other.venue).guidance.guidance_token
    assert other.stream.is_active()
    other.stream.cancel()


def test_a_hundred_streams_of_one_client_end_within_a_second(operator: Operator) -> None:
    home = Home(operator)
    streams = [home.caller.stream_guidance(home.venue) for _ in range(100)]
    for stream in streams:
        next(stream)
    operator.call("UpdateClient", client_id=home.client.id, disabled=True)
    answered = time.monotonic()
    for stream in [home.stream, *streams]:
        with pytest.raises(grpc.RpcError) as raised:
            next(stream)
        assert raised.value.code() == grpc.StatusCode.UNAUTHENTICATED
    seconds = time.monotonic() - answered
    print(f"measured: 101 streams ended {seconds * 1000:.1f} ms after the answer")
    assert seconds < within(LIMIT)


def test_the_old_key_works_until_the_overlap_ends(operator: Operator) -> None:
    home = Home(operator)
    new = home.caller.with_key(
        operator.call("RotateClientKey", client_id=home.client.id, overlap={"seconds": 2}).api_key
    )
    rotated = time.monotonic()
    mine = new.stream_guidance(home.venue)
    next(mine)
    assert home.caller.get_venue(home.venue).id == home.venue and home.stream.is_active()
    with pytest.raises(grpc.RpcError) as raised:
        while True:
            next(home.stream)
    seconds = time.monotonic() - rotated - 2
    print(f"measured: the old key's stream ended {seconds * 1000:.1f} ms after the overlap")
    assert ErrorDetails.of(raised.value).reason == "UNAUTHENTICATED"
    assert -0.5 < seconds < within(LIMIT)
    assert error_of(lambda: home.caller.get_venue(home.venue)).reason == "UNAUTHENTICATED"
    assert new.get_venue(home.venue).id == home.venue and mine.is_active()
    mine.cancel()


def test_a_guest_keeps_the_stream_and_may_not_submit(operator: Operator) -> None:
    home = Home(operator)
    operator.allow(home.client, home.venue, RESTRICTED)
    error = error_of(lambda: home.caller.submit(home.venue, session(home.first.guidance_token)))
    assert (error.reason, [violation.reason for violation in error.violations]) == ("INVALID_LOAD_EVENT", ["RESTRICTED"])
    assert home.stream.is_active()
    operator.allow(home.client, home.venue, GRANTED)
    assert home.caller.submit(home.venue, session(home.first.guidance_token)).stored_count == 3
    assert home.stream.is_active()
    home.stream.cancel()


def test_a_stream_follows_its_venue(operator: Operator) -> None:
    home = Home(operator)
    other = operator.demo.regions[1]
    assert home.first.grid_region == "CISO" and len(home.first.options) == 0

    def next_after(**fields: object):
        operator.call("UpdateVenue", venue_id=home.venue, **fields)
        answered = time.monotonic()
        message = next(home.stream).guidance
        print(f"measured: {fields}: new guidance {(time.monotonic() - answered) * 1000:.1f} ms after the answer")
        assert message.venue_id == home.venue
        return message

    moved = next_after(grid_region=other)
    assert moved.grid_region == other and moved.guidance_token != home.first.guidance_token
    assert home.caller.get_guidance(home.venue).guidance.guidance_token == moved.guidance_token
    back = next_after(grid_region="CISO")
    assert back.grid_region == "CISO"
    plan = operator.call("GetVenueSettings", venue_id=operator.demo.venues[CALIFORNIA]).settings.rate_plan_id
    planned = next_after(rate_plan_id=plan)
    assert len(planned.options) == 2
    # Without a word in the ratings the plan is still there.
    assert len(next_after(incorporate_rate_plan=False).options) == 1
    # It follows what is new there as well, and nothing of where it was.
    operator.demo.publish_forecast(CALIFORNIA)
    assert next(home.stream).guidance.grid_region == "CISO"
    home.stream.cancel()


def test_changes_that_are_none_of_its_business_leave_a_stream_alone(operator: Operator) -> None:
    home = Home(operator)
    operator.call("UpdateVenue", venue_id=home.venue, name="another name", home_id=some_id())
    operator.call("UpdateClient", client_id=home.client.id, name="another name")
    operator.allow(home.client, operator.make_venue(), DENIED)
    operator.allow(operator.make_client(), home.venue, DENIED)
    time.sleep(0.3)
    assert home.stream.is_active()
    assert home.caller.get_venue(home.venue).name == "another name"
    home.stream.cancel()


# Streams of load events


def test_a_stream_of_events_ends_with_its_client_and_follows_the_venue(operator: Operator) -> None:
    home = Home(operator)
    token = home.first.guidance_token
    requests: queue.Queue[load_event_pb2.StreamLoadEventsRequest | None] = queue.Queue()
    stub = load_event_pb2_grpc.LoadEventServiceStub(operator.demo.channel)
    stream = stub.StreamLoadEvents(iter(requests.get, None), metadata=home.caller.metadata, timeout=30)

    def answer() -> str:
        requests.put(load_event_pb2.StreamLoadEventsRequest(venue_id=home.venue, load_events=session(token)))
        outcome = next(stream)
        return outcome.refused.reason if outcome.WhichOneof("outcome") == "refused" else "accepted"

    assert answer() == "accepted"
    operator.allow(home.client, home.venue, DENIED)
    assert answer() == "PERMISSION_DENIED"
    operator.allow(home.client, home.venue, RESTRICTED)
    assert answer() == "INVALID_LOAD_EVENT"
    operator.allow(home.client, home.venue)
    operator.call("UpdateClient", client_id=home.client.id, name="another name")
    assert answer() == "accepted"
    operator.call("UpdateClient", client_id=home.client.id, disabled=True)
    answered = time.monotonic()
    with pytest.raises(grpc.RpcError) as raised:
        next(stream)
    seconds = time.monotonic() - answered
    requests.put(None)
    print(f"measured: a stream of events ended {seconds * 1000:.1f} ms after the answer")
    assert ErrorDetails.of(raised.value).reason == "UNAUTHENTICATED" and seconds < within(LIMIT)


# Client certificates


def test_a_certificate_that_names_a_client_stands_for_its_key(data: Path, tmp_path: Path) -> None:
    """G-026."""
    authority = Authority(tmp_path)
    pair = authority.issue_server()
    flags = ["--tls-cert", str(pair.chain_path), "--tls-key", str(pair.key_path), "--tls-client-ca", str(authority.path)]
    with Server(data, *flags, "--listen", "127.0.0.1:0", listen="tls+127.0.0.1:0") as server:
        clear = server.next_line().removeprefix("listening on ")
        with Demo(server) as demo, grpc.insecure_channel(clear) as channel:
            demo.channel.close()
            demo.channel = channel
            operator = Operator(demo)
            client, other, venue = operator.make_client(), operator.make_client(), operator.make_venue()
            operator.allow(client, venue)

            def secured(*uris: str) -> grpc.Channel:
                mine = authority.issue_client(some_id(), uris=list(uris))
                credentials = grpc.ssl_channel_credentials(authority.pem, mine.key_bytes, mine.chain)
                return grpc.secure_channel(
                    server.address, credentials, options=[("grpc.use_local_subchannel_pool", 1)]
                )

            named = f"energykit:client:{client.id}"
            with secured(named) as channel:
                by_certificate = Caller(channel, None)
                assert [each.id for each in by_certificate.list_venues()] == [venue]
                stream = by_certificate.stream_guidance(venue)
                next(stream)
                # Where there are both, the key decides.
                assert by_certificate.with_key(other.key).list_venues() == []
                assert error_of(by_certificate.with_key("ek_" + "A" * 43).list_venues).reason == "UNAUTHENTICATED"
                # Not for the operator.
                by_name = Operator(demo)
                by_name.stub = type(by_name.stub)(channel)
                error = error_of(lambda: by_name.stub.ListClients(admin_pb2.ListClientsRequest(), timeout=20))
                assert error.reason == "PERMISSION_DENIED"
                operator.call("RotateClientKey", client_id=client.id)
                assert by_certificate.list_venues()[0].id == venue and stream.is_active()
                operator.call("UpdateClient", client_id=client.id, disabled=True)
                answered = time.monotonic()
                with pytest.raises(grpc.RpcError) as raised:
                    next(stream)
                print(f"measured: by certificate: ended {(time.monotonic() - answered) * 1000:.1f} ms after the answer")
                assert ErrorDetails.of(raised.value).reason == "UNAUTHENTICATED"
                assert error_of(by_certificate.list_venues).reason == "UNAUTHENTICATED"
            operator.call("UpdateClient", client_id=client.id, disabled=False)
            for uris in (
                [f"energykit:client:{some_id()}"],
                ["energykit:client:7"],
                ["https://example.com/" + client.id],
                [named, f"energykit:client:{other.id}"],
            ):
                with secured(*uris) as channel:
                    assert error_of(Caller(channel, None).list_venues).reason == "UNAUTHENTICATED", uris
                    assert Caller(channel, client.key).with_key(other.key).list_venues() == []

