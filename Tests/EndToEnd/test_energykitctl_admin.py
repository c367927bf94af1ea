"""energykitctl as its operator's hand on a real energykitd: clients, venues, access, from nothing to guidance."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from concurrent import futures

import pytest
from energykit.v1 import admin_pb2, admin_pb2_grpc, guidance_pb2, load_event_pb2
from google.protobuf import json_format

from .caller import Demo, session
from .ctl import Ctl, Running
from .server import Server


@pytest.fixture(scope="module")
def admin(server: Server) -> Ctl:
    return Ctl("--demo", str(server.data / "demo.json"))


class Fleet:
    """A client and a venue that the operator has just made."""

    def __init__(self, admin: Ctl, server: Server):
        self.admin, self.address = admin, server.address
        self.client, self.venue = str(uuid.uuid4()), str(uuid.uuid4())
        create = ["client", "create", "Wallbox fleet", "--entitlement", "all", "--id", self.client]
        self.key = admin.json(*create)[0]["apiKey"]
        place = ["--time-zone", "America/Los_Angeles", "--grid-region", "CISO", "--location", "37.77,-122.42"]
        admin.good("venue", "create", f"Haus {self.venue}", *place, "--id", self.venue)

    def grant(self, access: str = "granted") -> None:
        self.admin.good("venue", "access", "set", self.venue, self.client, access)

    def ctl(self, key: str | None = None) -> Ctl:
        return Ctl("--address", self.address, ENERGYKIT_API_KEY=key or self.key)


@pytest.fixture
def fleet(admin: Ctl, server: Server) -> Iterator[Fleet]:
    yield Fleet(admin, server)


def test_a_new_client_at_a_new_venue_gets_guidance_and_stores_events(fleet: Fleet) -> None:
    ctl = fleet.ctl()
    assert ctl.good("venues") == "no venues\n" and ctl.json("venues") == []
    assert ctl.refused(4, "guidance", fleet.venue).startswith("VENUE_UNAVAILABLE: ")
    fleet.grant()
    assert [row["id"] for row in ctl.json("venues")] == [fleet.venue]
    guidance = ctl.message(guidance_pb2.GetGuidanceResponse, "guidance", fleet.venue).guidance
    batch = load_event_pb2.SubmitLoadEventsRequest(venue_id=fleet.venue, load_events=session(guidance.guidance_token))
    submit = ["submit", "-", "--json"]
    assert json.loads(ctl.good(*submit, text=json_format.MessageToJson(batch)))["storedCount"] == 3
    fleet.grant("restricted")
    refused = ctl.run("submit", "-", text=json_format.MessageToJson(batch))
    assert refused.returncode == 6 and "RESTRICTED" in refused.stdout
    fleet.grant("denied")
    assert ctl.refused(3, "guidance", fleet.venue).startswith("PERMISSION_DENIED: ")
    access = fleet.admin.json("venue", "access", "list", "--venue", fleet.venue)
    expected = admin_pb2.VenueAccessEntry(venue_id=fleet.venue, client_id=fleet.client, access=3)
    assert [json_format.ParseDict(row, admin_pb2.VenueAccessEntry()) for row in access] == [expected]


def test_creating_the_same_again_is_harmless(fleet: Fleet, admin: Ctl) -> None:
    create = ["client", "create", "Wallbox fleet", "--entitlement", "all", "--id", fleet.client]
    assert admin.json(*create)[0]["apiKey"] == ""
    assert "made before" in admin.good(*create)
    assert admin.refused(6, "client", "create", "another", "--id", fleet.client).startswith("ALREADY_EXISTS: ")


def test_keys_change_with_and_without_an_overlap(fleet: Fleet, admin: Ctl) -> None:
    rotate = ["client", "rotate-key", fleet.client]
    second = admin.json(*rotate, "--overlap", "1h")[0]["apiKey"]
    assert fleet.ctl().json("venues") == fleet.ctl(second).json("venues") == []
    third = admin.good(*rotate).split()[-1]
    assert fleet.ctl(third).json("venues") == []
    for old in (fleet.key, second):
        assert fleet.ctl(old).refused(3, "venues").startswith("UNAUTHENTICATED: ")


def test_a_client_is_disabled_renamed_and_deleted(fleet: Fleet, admin: Ctl) -> None:
    fleet.grant()
    with Running(fleet.ctl(), ["guidance", fleet.venue, "--watch", "--json"]) as watch:
        watch.line()
        admin.good("client", "update", fleet.client, "--disable")
        code, errors = watch.wait()
        assert code == 3 and errors.startswith("energykitctl: UNAUTHENTICATED: ")
    assert fleet.ctl().refused(3, "venues").startswith("UNAUTHENTICATED: ")
    card = admin.good("client", "update", fleet.client, "--enable", "--name", "Flotte ß", "--no-entitlements")
    assert "Flotte ß" in card and "enabled" in card
    assert fleet.ctl().refused(3, "venues").startswith("PERMISSION_DENIED: ")
    assert admin.good("client", "delete", fleet.client) == f"deleted {fleet.client}\n"
    assert admin.refused(4, "client", "get", fleet.client).startswith("NOT_FOUND: ")


def test_a_venue_is_changed_and_deleted(fleet: Fleet, admin: Ctl) -> None:
    update = ["venue", "update", fleet.venue]
    changed = admin.message(
        admin_pb2.UpdateVenueResponse, *update, "--name", "Neu", "--home", fleet.client, "--incorporate-rate-plan", "off"
    ).settings
    assert (changed.venue.name, changed.venue.home_id, changed.incorporate_rate_plan) == ("Neu", fleet.client, False)
    assert changed == admin.message(admin_pb2.GetVenueSettingsResponse, "venue", "get", fleet.venue).settings
    assert admin.message(admin_pb2.UpdateVenueResponse, *update, "--home", "").settings.venue.home_id == ""
    fleet.grant()
    admin.good(*update, "--location-services", "off")
    assert fleet.ctl().refused(6, "guidance", fleet.venue).startswith("LOCATION_SERVICES_DENIED: ")
    assert admin.good("venue", "delete", fleet.venue) == f"deleted {fleet.venue}\n"
    assert admin.refused(4, "venue", "get", fleet.venue).startswith("NOT_FOUND: ")


def test_a_device_is_deleted_with_its_events(fleet: Fleet, admin: Ctl) -> None:
    fleet.grant()
    ctl = fleet.ctl()
    token = ctl.message(guidance_pb2.GetGuidanceResponse, "guidance", fleet.venue).guidance.guidance_token
    events = session(token, device="garage 1")
    batch = load_event_pb2.SubmitLoadEventsRequest(venue_id=fleet.venue, load_events=events)
    text = json_format.MessageToJson(batch)
    assert json.loads(ctl.good("submit", "-", "--json", text=text))["storedCount"] == 3
    assert admin.good("device", "delete", fleet.venue, fleet.client, "garage 1") == "deleted garage 1\n"
    assert json.loads(ctl.good("submit", "-", "--json", text=text))["storedCount"] == 3


def test_listings_have_all_pages(admin: Ctl, demo: Demo) -> None:
    stub = admin_pb2_grpc.AdminServiceStub(demo.channel)

    def create(number: int) -> None:
        request = admin_pb2.CreateClientRequest(name=f"many {number:04}")
        stub.CreateClient(request, metadata=demo.admin.metadata, timeout=30)

    with futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(1100)))
    rows = [row["name"] for row in admin.json("client", "list") if row["name"].startswith("many ")]
    assert rows == [f"many {number:04}" for number in range(1100)]
    assert admin.good("client", "list").count("many ") == 1100


def test_regions_are_listed(admin: Ctl) -> None:
    (answer,) = admin.json("grid", "regions")
    assert {"CISO", "ERCO"} <= {region["code"] for region in answer["regions"]}
    assert "California" in admin.good("admin", "grid", "regions")


def test_a_clients_key_is_not_the_operators(fleet: Fleet, server: Server) -> None:
    wrong = Ctl("--address", server.address, ENERGYKIT_ADMIN_KEY=fleet.key)
    assert wrong.refused(3, "client", "list").startswith("PERMISSION_DENIED: ")
