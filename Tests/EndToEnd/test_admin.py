"""AdminService, method by method, by grpcio."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from energykit.v1 import admin_pb2

from .caller import CALIFORNIA, Demo, error_of, session
from .operator import DENIED, ENERGYKIT, GRANTED, LOAD_EVENTS, NONE_ACCESS, RESTRICTED, Operator, some_id
from .server import Server, wait_for


@pytest.fixture(scope="module")
def operator(demo: Demo) -> Operator:
    return Operator(demo)


def pages(operator: Operator, method: str, field: str, size: int, **fields: object) -> Iterator[object]:
    token = ""
    while True:
        answer = operator.call(method, page_size=size, page_token=token, **fields)
        assert len(getattr(answer, field)) <= size
        yield from getattr(answer, field)
        token = answer.next_page_token
        if not token:
            return


def refusal(operator: Operator, method: str, **fields: object) -> tuple[str, str, list[str]]:
    """Code, reason and the violated fields."""
    error = error_of(lambda: operator.call(method, **fields))
    return error.code.name, error.reason, [violation.field for violation in error.violations]


# Clients


def test_a_client_is_made_once_and_its_key_is_shown_once(operator: Operator) -> None:
    client_id = some_id()
    fields = {"client_id": client_id.upper(), "name": "Küche", "entitlements": [LOAD_EVENTS, ENERGYKIT, ENERGYKIT]}
    made = operator.call("CreateClient", **fields)
    assert made.client.id == client_id and made.client.name == "Küche" and not made.client.disabled
    assert list(made.client.entitlements) == [ENERGYKIT, LOAD_EVENTS]
    assert re.fullmatch(r"ek_[A-Za-z0-9_-]{43}", made.api_key)
    assert made.client.create_time.seconds > 0
    again = operator.call("CreateClient", **fields)
    assert again.client == made.client and again.api_key == ""
    assert operator.call("GetClient", client_id=client_id).client == made.client
    assert operator.demo.caller().with_key(made.api_key).list_venues() == []
    for other in ({"name": "Bad"}, {"entitlements": [ENERGYKIT]}):
        error = error_of(lambda other=other: operator.call("CreateClient", **{**fields, **other}))
        assert (error.code.name, error.reason) == ("ALREADY_EXISTS", "ALREADY_EXISTS")


def test_what_a_client_request_must_hold(operator: Operator) -> None:
    made = operator.make_client()
    for fields, path in [
        ({"name": ""}, "name"),
        ({"name": "x" * 257}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a", "client_id": "7"}, "client_id"),
        ({"name": "a", "entitlements": [ENERGYKIT, 0]}, "entitlements[1]"),
        ({"name": "a", "entitlements": [99]}, "entitlements[0]"),
    ]:
        assert refusal(operator, "CreateClient", **fields) == ("INVALID_ARGUMENT", "INVALID_REQUEST", [path])
    for fields, path in [
        ({"client_id": ""}, "client_id"),
        ({"client_id": made.id, "name": ""}, "name"),
        ({"client_id": made.id, "entitlements": [ENERGYKIT]}, "entitlements"),
        ({"client_id": made.id, "entitlements": [7], "replace_entitlements": True}, "entitlements[0]"),
    ]:
        assert refusal(operator, "UpdateClient", **fields) == ("INVALID_ARGUMENT", "INVALID_REQUEST", [path])


def test_only_what_is_named_changes(operator: Operator) -> None:
    made = operator.make_client("before", (ENERGYKIT, LOAD_EVENTS))
    same = operator.call("UpdateClient", client_id=made.id).client
    assert (same.name, len(same.entitlements), same.disabled) == ("before", 2, False)
    named = operator.call("UpdateClient", client_id=made.id, name="after").client
    assert (named.name, len(named.entitlements), named.disabled) == ("after", 2, False)
    emptied = operator.call("UpdateClient", client_id=made.id, replace_entitlements=True).client
    assert (emptied.name, len(emptied.entitlements), emptied.disabled) == ("after", 0, False)
    off = operator.call("UpdateClient", client_id=made.id, disabled=True).client
    assert off.disabled and operator.call("GetClient", client_id=made.id).client == off
    assert not operator.call("UpdateClient", client_id=made.id, disabled=False).client.disabled


def test_clients_are_listed_by_name_page_by_page(operator: Operator) -> None:
    made = {operator.make_client(f"page {number % 3}").id for number in range(10)}
    found = list(pages(operator, "ListClients", "clients", 3))
    keys = [(client.name.encode(), client.id) for client in found]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    assert made <= {client.id for client in found}
    assert len(operator.call("ListClients").clients) == len(found)
    assert refusal(operator, "ListClients", page_token="x")[2] == ["page_token"]
    assert refusal(operator, "ListClients", page_size=-1)[2] == ["page_size"]


def test_a_deleted_client_is_gone(operator: Operator) -> None:
    made, venue = operator.make_client(), operator.make_venue()
    operator.allow(made, venue)
    assert operator.caller(made).get_venue(venue).id == venue
    operator.call("DeleteClient", client_id=made.id)
    assert error_of(operator.caller(made).list_venues).reason == "UNAUTHENTICATED"
    assert refusal(operator, "GetClient", client_id=made.id)[:2] == ("NOT_FOUND", "NOT_FOUND")
    assert refusal(operator, "DeleteClient", client_id=made.id)[:2] == ("NOT_FOUND", "NOT_FOUND")
    assert list(operator.call("ListVenueAccess", venue_id=venue).entries) == []
    # The same id again is another client: nothing of the first is left.
    again = operator.call("CreateClient", client_id=made.id, name="again", entitlements=[ENERGYKIT])
    assert operator.demo.caller().with_key(again.api_key).list_venues() == []


def test_a_rotated_key_replaces_the_one_before(operator: Operator) -> None:
    made = operator.make_client()
    old = operator.caller(made)
    assert old.list_venues() == []
    new = old.with_key(operator.call("RotateClientKey", client_id=made.id).api_key)
    assert new.list_venues() == []
    assert error_of(old.list_venues).reason == "UNAUTHENTICATED"
    newer = new.with_key(operator.call("RotateClientKey", client_id=made.id, overlap={"seconds": 60}).api_key)
    assert newer.list_venues() == [] and new.list_venues() == []
    # A rotation without overlap ends those that another has left some time.
    newest = new.with_key(operator.call("RotateClientKey", client_id=made.id, overlap={}).api_key)
    assert newest.list_venues() == []
    for gone in (old, new, newer):
        assert error_of(gone.list_venues).reason == "UNAUTHENTICATED"
    for overlap in ({"seconds": -1}, {"seconds": 90 * 86400 + 1}, {"seconds": 1, "nanos": -1}):
        assert refusal(operator, "RotateClientKey", client_id=made.id, overlap=overlap)[2] == ["overlap"]
    assert refusal(operator, "RotateClientKey", client_id=some_id())[0] == "NOT_FOUND"


# Venues


def test_a_venue_is_made_once(operator: Operator) -> None:
    venue_id, home = some_id(), some_id()
    fields = {
        "venue_id": venue_id,
        "name": "Hütte",
        "home_id": home,
        "location": {"latitude": 37.774929, "longitude": -122.419416},
        "time_zone": "America/Los_Angeles",
        "grid_region": "CISO",
        "location_services_denied": True,
    }
    made = operator.call("CreateVenue", **fields).settings
    assert made.venue.id == venue_id and made.venue.home_id == home and made.venue.name == "Hütte"
    assert (made.location.latitude, made.location.longitude) == (37.77, -122.42)  # rounded
    assert made.region_supported and made.location_services_denied and made.incorporate_rate_plan
    assert made.rate_plan_id == "" and made.create_time.seconds > 0
    assert operator.call("CreateVenue", **fields).settings == made
    assert operator.call("GetVenueSettings", venue_id=venue_id).settings == made
    for other in ({"name": "x"}, {"grid_region": "MISO"}, {"location_services_denied": False}):
        error = error_of(lambda other=other: operator.call("CreateVenue", **{**fields, **other}))
        assert error.reason == "ALREADY_EXISTS"
    assert refusal(operator, "GetVenueSettings", venue_id=some_id())[:2] == ("NOT_FOUND", "NOT_FOUND")


def test_what_a_venue_request_must_hold(operator: Operator) -> None:
    good = {"name": "a", "time_zone": "America/Denver", "grid_region": "PSCO"}
    for bad, path in [
        ({"name": ""}, "name"),
        ({"venue_id": "x"}, "venue_id"),
        ({"home_id": "x"}, "home_id"),
        ({"time_zone": ""}, "time_zone"),
        ({"time_zone": "PST8"}, "time_zone"),
        ({"time_zone": "x" * 65}, "time_zone"),
        ({"grid_region": "x" * 65}, "grid_region"),
        ({"grid_region": "a b"}, "grid_region"),
        ({"location": {"latitude": 90.01, "longitude": 0}}, "location.latitude"),
        ({"location": {"latitude": 0, "longitude": -180.01}}, "location.longitude"),
        ({"location": {"latitude": float("nan"), "longitude": 0}}, "location.latitude"),
        ({"location": {"latitude": 0, "longitude": float("inf")}}, "location.longitude"),
    ]:
        assert refusal(operator, "CreateVenue", **{**good, **bad}) == ("INVALID_ARGUMENT", "INVALID_REQUEST", [path])


def test_only_what_is_named_of_a_venue_changes(operator: Operator) -> None:
    venue = operator.make_venue("before", home_id=some_id())
    before = operator.call("GetVenueSettings", venue_id=venue).settings

    def update(**fields: object) -> admin_pb2.VenueSettings:
        return operator.call("UpdateVenue", venue_id=venue, **fields).settings

    assert update() == before
    named = update(name="after")
    before.venue.name = "after"
    assert named == before
    assert update(home_id="").venue.home_id == ""
    assert update(time_zone="America/Denver").venue.time_zone == "America/Denver"
    assert update(grid_region="MISO").venue.grid_region == "MISO"
    assert update(location_services_denied=True).location_services_denied
    assert not update(incorporate_rate_plan=False).incorporate_rate_plan
    plan = operator.call("GetVenueSettings", venue_id=operator.demo.venues[CALIFORNIA]).settings.rate_plan_id
    linked = update(rate_plan_id=plan)
    assert linked.rate_plan_id == plan and linked.venue.has_rate_plan
    assert refusal(operator, "UpdateVenue", venue_id=venue, rate_plan_id="none")[:2] == ("NOT_FOUND", "NOT_FOUND")
    assert refusal(operator, "UpdateVenue", venue_id=venue, time_zone="Mars")[2] == ["time_zone"]
    unlinked = update(rate_plan_id="")
    assert unlinked.rate_plan_id == "" and not unlinked.venue.has_rate_plan
    assert operator.call("GetVenueSettings", venue_id=venue).settings == unlinked
    assert refusal(operator, "UpdateVenue", venue_id=some_id(), name="x")[0] == "NOT_FOUND"


def test_venues_are_listed_while_some_are_added(operator: Operator) -> None:
    made = {operator.make_venue(f"many {number:03d}") for number in range(60)}
    seen: list[tuple[bytes, str]] = []
    for count, settings in enumerate(pages(operator, "ListVenueSettings", "settings", 7)):
        seen.append((settings.venue.name.encode(), settings.venue.id))
        if count % 10 == 0:
            operator.make_venue(f"many {count:03d} added")
    assert seen == sorted(seen) and len(set(seen)) == len(seen)
    assert made <= {venue for _, venue in seen}


def test_a_deleted_venue_is_gone_with_its_events(operator: Operator) -> None:
    made, venue = operator.make_client(), operator.make_venue()
    operator.allow(made, venue)
    caller = operator.caller(made)
    events = session(caller.get_guidance(venue).guidance.guidance_token)
    assert caller.submit(venue, events).stored_count == 3
    operator.call("DeleteVenue", venue_id=venue)
    assert error_of(lambda: caller.get_venue(venue)).reason == "VENUE_UNAVAILABLE"
    assert refusal(operator, "DeleteVenue", venue_id=venue)[:2] == ("NOT_FOUND", "NOT_FOUND")
    # The same id again is another venue: the same events are new there.
    operator.make_venue(venue_id=venue)
    assert error_of(lambda: caller.get_venue(venue)).reason == "VENUE_UNAVAILABLE"
    operator.allow(made, venue)
    assert caller.submit(venue, events).stored_count == 3


def test_a_deleted_device_is_gone_with_its_events(operator: Operator) -> None:
    made, other, venue = operator.make_client(), operator.make_client(), operator.make_venue()
    batches = {}
    for client in (made, other):
        operator.allow(client, venue)
        caller = operator.caller(client)
        token = caller.get_guidance(venue).guidance.guidance_token
        for device in ("first", "second"):
            batches[client, device] = session(token, device=device)
            assert caller.submit(venue, batches[client, device]).stored_count == 3
    operator.call("DeleteDevice", venue_id=venue, client_id=made.id, device_id="first")
    for (client, device), events in batches.items():
        answer = operator.caller(client).submit(venue, events)
        is_gone = client == made and device == "first"
        assert (answer.stored_count, answer.duplicate_count) == ((3, 0) if is_gone else (0, 3))
    assert refusal(operator, "DeleteDevice", venue_id=venue, client_id=made.id, device_id="third")[0] == "NOT_FOUND"
    assert refusal(operator, "DeleteDevice", venue_id=venue, client_id=made.id, device_id="-")[2] == ["device_id"]


# Access


def test_access_is_set_and_listed(operator: Operator) -> None:
    clients = [operator.make_client() for _ in range(3)]
    venues = [operator.make_venue() for _ in range(3)]
    wanted = {}
    for client, access in zip(clients, (GRANTED, DENIED, RESTRICTED), strict=True):
        for venue in venues:
            operator.allow(client, venue, access)
            wanted[venue, client.id] = access

    def listed(size: int = 2, **fields: object) -> dict:
        entries = list(pages(operator, "ListVenueAccess", "entries", size, **fields))
        keys = [(entry.venue_id, entry.client_id) for entry in entries]
        assert keys == sorted(set(keys))
        return {(entry.venue_id, entry.client_id): entry.access for entry in entries}

    for venue in venues:
        assert listed(venue_id=venue) == {key: access for key, access in wanted.items() if key[0] == venue}
    for client in clients:
        assert listed(client_id=client.id) == {key: access for key, access in wanted.items() if key[1] == client.id}
    assert listed(venue_id=venues[0], client_id=clients[1].id) == {(venues[0], clients[1].id): DENIED}
    operator.allow(clients[0], venues[0], NONE_ACCESS)
    assert listed(venue_id=venues[0], client_id=clients[0].id) == {}
    assert refusal(operator, "ListVenueAccess")[2] == ["venue_id"]
    assert refusal(operator, "ListVenueAccess", venue_id=some_id())[0] == "NOT_FOUND"
    assert refusal(operator, "SetVenueAccess", venue_id=venues[0], client_id=clients[0].id)[2] == ["access"]
    assert refusal(operator, "SetVenueAccess", venue_id=some_id(), client_id=clients[0].id, access=GRANTED)[0] == "NOT_FOUND"
    assert refusal(operator, "SetVenueAccess", venue_id=venues[0], client_id=some_id(), access=GRANTED)[0] == "NOT_FOUND"


# Regions


def test_regions_are_listed(operator: Operator) -> None:
    regions = {region.code: region for region in operator.call("ListGridRegions").regions}
    assert list(regions) == sorted(regions)
    california = regions["CISO"]
    assert california.name == "California Independent System Operator"
    assert california.guidance_interval.end.seconds > california.guidance_interval.start.seconds
    assert california.latest_issue_time.seconds > 0 and california.quality != 0


def test_a_place_is_a_location_or_a_postal_code(operator: Operator) -> None:
    assert refusal(operator, "ResolveGridRegion")[2] == ["place"]
    assert refusal(operator, "ResolveGridRegion", postal_code="9410")[2] == ["postal_code"]
    assert refusal(operator, "ResolveGridRegion", location={"latitude": 99})[2] == ["location.latitude"]
    error = error_of(lambda: operator.call("ResolveGridRegion", postal_code="94103"))
    assert error.code == grpc.StatusCode.UNIMPLEMENTED and "postal codes" in error.message


SAN_FRANCISCO = {"latitude": 37.7749, "longitude": -122.4194}
HONOLULU = {"latitude": 21.3069, "longitude": -157.8583}


@pytest.mark.parametrize(
    ("latitude", "longitude", "region", "zone"),
    [
        (37.7749, -122.4194, "CISO", "America/Los_Angeles"),
        (29.7604, -95.3698, "ERCO", "America/Chicago"),
        (40.7128, -74.0060, "NYIS", "America/New_York"),
        (21.3069, -157.8583, "", ""),  # Honolulu
        (61.2181, -149.9003, "", ""),  # Anchorage
        (18.4655, -66.1057, "", ""),  # San Juan
        (43.6532, -79.3832, "", ""),  # Toronto
        (32.5149, -117.0382, "", ""),  # Tijuana
        (-122.4194 + 90, 37.7749, "", ""),  # turned about
        (37.7749, 122.4194, "", ""),  # a forgotten sign
    ],
)
def test_a_location_has_a_region(operator: Operator, latitude: float, longitude: float, region: str, zone: str) -> None:
    answer = operator.call("ResolveGridRegion", location={"latitude": latitude, "longitude": longitude})
    assert (answer.grid_region, answer.time_zone, answer.region_supported) == (region, zone, bool(region))
    assert answer.basis


def test_a_venue_gets_what_its_location_says(operator: Operator) -> None:
    made = operator.call("CreateVenue", name="by place", location=SAN_FRANCISCO).settings
    assert (made.venue.grid_region, made.venue.time_zone) == ("CISO", "America/Los_Angeles")
    assert made.region_supported

    def update(**fields: object) -> admin_pb2.VenueSettings:
        return operator.call("UpdateVenue", venue_id=made.venue.id, **fields).settings

    # What is said goes before what is found, and can be given back.
    own = update(grid_region="MY-REGION", time_zone="America/Denver")
    assert (own.venue.grid_region, own.venue.time_zone) == ("MY-REGION", "America/Denver")
    back = update(grid_region="", time_zone="")
    assert (back.venue.grid_region, back.venue.time_zone) == ("CISO", "America/Los_Angeles")
    moved = update(location={"latitude": 29.7604, "longitude": -95.3698})
    assert (moved.venue.grid_region, moved.venue.time_zone) == ("ERCO", "America/Chicago")
    assert (moved.location.latitude, moved.location.longitude) == (29.76, -95.37)
    # Elsewhere the zone has to be said; a region does not make it supported.
    assert refusal(operator, "UpdateVenue", venue_id=made.venue.id, location=HONOLULU)[2] == ["time_zone"]
    island = update(location=HONOLULU, time_zone="Pacific/Honolulu", grid_region="CISO")
    assert not island.region_supported and island.venue.grid_region == "CISO"
    assert not update(grid_region="ERCO").region_supported
    client = operator.make_client()
    operator.allow(client, made.venue.id)
    error = error_of(lambda: operator.caller(client).get_guidance(made.venue.id))
    assert (error.reason, error.metadata) == ("UNSUPPORTED_REGION", {"region": "ERCO"})
    # Clients are never told where it is.
    assert b"21.3" not in operator.caller(client).get_venue(made.venue.id).SerializeToString()
    assert [field.name for field in type(operator.caller(client).get_venue(made.venue.id)).DESCRIPTOR.fields] == [
        "id", "name", "home_id", "time_zone", "grid_region", "has_rate_plan",
    ]  # fmt: skip


# Who may, and what is noted


def test_changes_at_the_same_time_come_one_after_another(operator: Operator) -> None:
    client_id = some_id()
    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(lambda _: operator.call("CreateClient", client_id=client_id, name="one"), range(32)))
    assert sum(bool(answer.api_key) for answer in made) == 1
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: operator.call("UpdateClient", client_id=client_id, **[{"name": "n"}, {"disabled": True}][n % 2]), range(32)))
    client = operator.call("GetClient", client_id=client_id).client
    assert client.name == "n" and client.disabled


def test_each_change_is_one_line_of_the_log_without_secrets(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        operator = Operator(demo)
        made, venue = operator.make_client("Secret name"), operator.make_venue("Secret home")
        operator.allow(made, venue)
        rotated = operator.call("RotateClientKey", client_id=made.id).api_key
        operator.call("UpdateClient", client_id=made.id, disabled=True)
        operator.call("UpdateVenue", venue_id=venue, name="Another secret", location_services_denied=True)
        operator.call("GetClient", client_id=made.id)
        error_of(lambda: operator.call("DeleteClient", client_id=some_id()))
        text = server.log_text()
    lines = [line for line in text.splitlines() if "admin change" in line]
    assert [re.search(r"method=(\w+)", line)[1] for line in lines] == [
        "CreateClient", "CreateVenue", "SetVenueAccess", "RotateClientKey", "UpdateClient", "UpdateVenue",
    ]  # fmt: skip
    for line, what in zip(
        lines[2:], ["granted", '"overlap of 0 s"', "disabled", '"name, location_services_denied"'], strict=True
    ):
        assert line.endswith(f"what={what}"), line
    assert f"client={made.id}" in lines[0] and f"venue={venue}" in lines[1] and "by=operator" in lines[0]
    for secret in (made.key, rotated, "Secret", "secret"):
        assert secret not in text


def test_the_admin_key_is_read_again_on_sighup(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        old, new = Operator(demo), Operator(demo, "another-admin-key-of-the-test")
        old.call("ListClients")
        (data / "admin.key").write_text(new.key + "\n")
        os.kill(server.pid, signal.SIGHUP)
        assert wait_for(lambda: "admin key read anew" in server.log_text())
        new.call("ListClients")
        assert error_of(lambda: old.call("ListClients")).reason == "UNAUTHENTICATED"
        (data / "admin.key").write_text("short\n")
        os.kill(server.pid, signal.SIGHUP)
        assert wait_for(lambda: "the admin key cannot be used" in server.log_text())
        new.call("ListClients")


def test_what_was_changed_is_there_after_a_restart(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        operator = Operator(demo)
        made, venue = operator.make_client(), operator.make_venue(location={"latitude": 40.014, "longitude": -105.271})
        operator.allow(made, venue, RESTRICTED)
        kept = operator.call("RotateClientKey", client_id=made.id, overlap={"seconds": 3600}).api_key
        gone = operator.make_client()
        operator.call("UpdateClient", client_id=gone.id, disabled=True)
        settings = operator.call("GetVenueSettings", venue_id=venue)
    with Server(data) as server, Demo(server) as demo:
        operator = Operator(demo)
        assert operator.call("GetVenueSettings", venue_id=venue) == settings
        for key in (made.key, kept):
            assert demo.caller().with_key(key).get_venue(venue).id == venue
        assert error_of(demo.caller().with_key(gone.key).list_venues).reason == "UNAUTHENTICATED"
