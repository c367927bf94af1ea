"""energykitctl against a server that answers as a test says: what it asks for, pages, passing failures, nonsense."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent import futures

import grpc
import pytest
from energykit.v1 import admin_pb2, admin_pb2_grpc, guidance_pb2, guidance_pb2_grpc
from energykit.v1 import load_event_pb2, load_event_pb2_grpc, venue_pb2, venue_pb2_grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

from .ctl import Ctl, Running

CLIENT = "00000000-0000-4000-8000-00000000000c"
VENUE = "00000000-0000-4000-8000-00000000000f"
TOKEN = "00000000-0000-4000-8000-00000000000a"
HOUR = 1_796_083_200  # Monday 16:00 in California
VENUE_COUNT = 40_000


def client() -> admin_pb2.Client:
    return admin_pb2.Client(id=CLIENT, name="hub 家\x1b[31m", entitlements=[1, 2], create_time={"seconds": HOUR})


def venue(name: str = "Haus", id: str = VENUE) -> venue_pb2.EnergyVenue:
    return venue_pb2.EnergyVenue(id=id, name=name, time_zone="America/Los_Angeles", grid_region="CISO")


def settings() -> admin_pb2.VenueSettings:
    return admin_pb2.VenueSettings(
        venue=venue(), location={"latitude": 37.77, "longitude": -122.42}, region_supported=True, rate_plan_id="ev2a"
    )


def guidance(token: str = TOKEN) -> guidance_pb2.ElectricityGuidance:
    interval = {"start": {"seconds": HOUR}, "end": {"seconds": HOUR + 3600}}
    values = [guidance_pb2.GuidanceValue(interval=interval, rating=0.25)]
    return guidance_pb2.ElectricityGuidance(
        guidance_token=token, venue_id=VENUE, suggested_action=1, interval=interval, values=values, grid_region="CISO"
    )


class Fake(
    admin_pb2_grpc.AdminServiceServicer,
    guidance_pb2_grpc.ElectricityGuidanceServiceServicer,
    load_event_pb2_grpc.LoadEventServiceServicer,
    venue_pb2_grpc.EnergyVenueServiceServicer,
):
    """Keeps what it is asked; answers with `answers[method]`, else with something fit."""

    def __init__(self) -> None:
        self.requests: list[object] = []
        self.keys: list[str] = []
        self.answers: dict[str, object] = {}
        self.failures: list[tuple[grpc.StatusCode, int | None]] = []

    def take(self, request: object, context: grpc.ServicerContext) -> None:
        self.requests.append(request)
        self.keys.append(dict(context.invocation_metadata()).get("authorization", ""))
        if self.failures:
            code, seconds = self.failures.pop(0)
            status = status_pb2.Status(code=code.value[0], message="not now")
            status.details.add().Pack(error_details_pb2.ErrorInfo(reason="SERVICE_UNAVAILABLE", domain="energykit"))
            if seconds is not None:
                status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay={"seconds": seconds}))
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
            context.abort(code, "not now")

    def GetClient(self, request, context):
        self.take(request, context)
        return admin_pb2.GetClientResponse(client=client())

    def CreateClient(self, request, context):
        self.take(request, context)
        return admin_pb2.CreateClientResponse(client=client(), api_key="ek_secret")

    def UpdateClient(self, request, context):
        self.take(request, context)
        return admin_pb2.UpdateClientResponse(client=client())

    def DeleteClient(self, request, context):
        self.take(request, context)
        return admin_pb2.DeleteClientResponse()

    def RotateClientKey(self, request, context):
        self.take(request, context)
        return admin_pb2.RotateClientKeyResponse(api_key="ek_newer")

    def ListClients(self, request, context):
        self.take(request, context)
        token = self.answers.get("circle", "")
        return admin_pb2.ListClientsResponse(clients=[client()], next_page_token=token)

    def CreateVenue(self, request, context):
        self.take(request, context)
        return admin_pb2.CreateVenueResponse(settings=settings())

    def UpdateVenue(self, request, context):
        self.take(request, context)
        return admin_pb2.UpdateVenueResponse(settings=settings())

    def GetVenueSettings(self, request, context):
        self.take(request, context)
        return admin_pb2.GetVenueSettingsResponse(settings=settings())

    def DeleteVenue(self, request, context):
        self.take(request, context)
        return admin_pb2.DeleteVenueResponse()

    def ListVenueSettings(self, request, context):
        self.take(request, context)
        start = int(request.page_token or 0)
        rows = range(start, min(start + request.page_size, VENUE_COUNT))
        ids = (f"00000000-0000-4000-8000-{row:012}" for row in rows)
        page = [admin_pb2.VenueSettings(venue=venue(f"venue {row}", id)) for row, id in zip(rows, ids, strict=True)]
        token = str(rows.stop) if rows.stop < VENUE_COUNT else ""
        return admin_pb2.ListVenueSettingsResponse(settings=page, next_page_token=token)

    def DeleteDevice(self, request, context):
        self.take(request, context)
        return admin_pb2.DeleteDeviceResponse()

    def SetVenueAccess(self, request, context):
        self.take(request, context)
        return admin_pb2.SetVenueAccessResponse()

    def ListVenueAccess(self, request, context):
        self.take(request, context)
        entry = admin_pb2.VenueAccessEntry(venue_id=VENUE, client_id=CLIENT, access=4)
        return admin_pb2.ListVenueAccessResponse(entries=[entry])

    def ListGridRegions(self, request, context):
        self.take(request, context)
        region = admin_pb2.GridRegion(code="CISO", name="California ISO", latest_issue_time={"seconds": HOUR})
        return admin_pb2.ListGridRegionsResponse(regions=[region])

    def ResolveGridRegion(self, request, context):
        self.take(request, context)
        return admin_pb2.ResolveGridRegionResponse(
            region_supported=True, grid_region="CISO", time_zone="America/Los_Angeles", basis="inside CISO"
        )

    def ListVenues(self, request, context):
        self.take(request, context)
        return venue_pb2.ListVenuesResponse(venues=[venue("Twin"), venue("Haus"), venue("twin", TOKEN)])

    def GetVenue(self, request, context):
        self.take(request, context)
        return venue_pb2.GetVenueResponse(venue=venue())

    def PlanLoad(self, request, context):
        self.take(request, context)
        intervals = [
            {"start": {"seconds": HOUR + hour * 3600}, "end": {"seconds": HOUR + (hour + 1) * 3600}} for hour in (2, 20)
        ]
        return guidance_pb2.PlanLoadResponse(
            guidance_token=TOKEN, intervals=intervals, mean_rating=0.126, immediate_mean_rating={"value": 0.7}
        )

    def StreamGuidance(self, request, context):
        self.take(request, context)
        token = f"00000000-0000-4000-8000-{len(self.requests):012}"
        yield guidance_pb2.StreamGuidanceResponse(guidance=guidance(token))
        if self.answers.get("streams lost", 0) > 0:
            self.answers["streams lost"] -= 1
            context.abort(grpc.StatusCode.UNAVAILABLE, "going away")
        while context.is_active() and not self.answers.get("over"):
            time.sleep(0.05)

    def SubmitLoadEvents(self, request, context):
        self.take(request, context)
        return load_event_pb2.SubmitLoadEventsResponse(stored_count=len(request.load_events))


class Nonsense(grpc.GenericRpcHandler):
    """Answers every call with the same bytes."""

    def __init__(self, answer: bytes):
        self.answer = answer

    def service(self, _):
        return grpc.unary_stream_rpc_method_handler(lambda *_: iter([self.answer]))


def serve(*handlers: grpc.GenericRpcHandler, fake: Fake | None = None) -> tuple[grpc.Server, int]:
    server = grpc.server(futures.ThreadPoolExecutor(8), handlers=handlers)
    if fake is not None:
        admin_pb2_grpc.add_AdminServiceServicer_to_server(fake, server)
        guidance_pb2_grpc.add_ElectricityGuidanceServiceServicer_to_server(fake, server)
        load_event_pb2_grpc.add_LoadEventServiceServicer_to_server(fake, server)
        venue_pb2_grpc.add_EnergyVenueServiceServicer_to_server(fake, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


@pytest.fixture
def fake() -> Iterator[Fake]:
    yield Fake()


@pytest.fixture
def ctl(fake: Fake) -> Iterator[Ctl]:
    server, port = serve(fake=fake)
    yield Ctl("--address", f"127.0.0.1:{port}", ENERGYKIT_API_KEY="ek_client", ENERGYKIT_ADMIN_KEY="operator")
    fake.answers["over"] = True
    server.stop(None).wait(5)


def same(request: object, expected: object) -> bool:
    return type(request) is type(expected) and request == expected


BOTH = admin_pb2.CreateClientRequest(client_id=CLIENT, name="hub", entitlements=[1, 2])

COMMANDS = [
    (["client", "get", CLIENT], admin_pb2.GetClientRequest(client_id=CLIENT), "base, load-events"),
    (["client", "create", "hub", "--id", CLIENT, "--entitlement", "all"], BOTH, "ek_secret"),
    (
        ["client", "create", "hub", "--id", CLIENT, "--entitlement", "base", "--entitlement", "load-events"],
        BOTH,
        "ek_secret",
    ),
    (["admin", "client", "create", "x"], admin_pb2.CreateClientRequest(name="x"), "ek_secret"),
    (
        ["client", "update", CLIENT, "--disable", "--no-entitlements"],
        admin_pb2.UpdateClientRequest(client_id=CLIENT, replace_entitlements=True, disabled={"value": True}),
        "enabled",
    ),
    (
        ["client", "update", CLIENT, "--enable", "--name", "y"],
        admin_pb2.UpdateClientRequest(client_id=CLIENT, name={"value": "y"}, disabled={"value": False}),
        CLIENT,
    ),
    (["client", "delete", CLIENT], admin_pb2.DeleteClientRequest(client_id=CLIENT), f"deleted {CLIENT}"),
    (["client", "rotate-key", CLIENT], admin_pb2.RotateClientKeyRequest(client_id=CLIENT), "ek_newer"),
    (
        ["client", "rotate-key", CLIENT, "--overlap", "24h"],
        admin_pb2.RotateClientKeyRequest(client_id=CLIENT, overlap={"seconds": 86_400}),
        "ek_newer",
    ),
    (["venue", "get", VENUE], admin_pb2.GetVenueSettingsRequest(venue_id=VENUE), "37.77,-122.42"),
    (
        ["venue", "create", "Haus", "--location", "37.77,-122.42", "--location-services", "off"],
        admin_pb2.CreateVenueRequest(
            name="Haus", location={"latitude": 37.77, "longitude": -122.42}, location_services_denied=True
        ),
        "ev2a",
    ),
    (
        ["venue", "create", "Haus", "--id", VENUE, "--home", CLIENT, "--time-zone", "UTC", "--grid-region", "MINE"],
        admin_pb2.CreateVenueRequest(
            venue_id=VENUE, name="Haus", home_id=CLIENT, time_zone="UTC", grid_region="MINE"
        ),
        VENUE,
    ),
    (
        ["venue", "update", VENUE, "--rate-plan", "", "--incorporate-rate-plan", "off", "--location-services", "on"],
        admin_pb2.UpdateVenueRequest(
            venue_id=VENUE, rate_plan_id={}, incorporate_rate_plan={}, location_services_denied={}
        ),
        VENUE,
    ),
    (["venue", "delete", VENUE], admin_pb2.DeleteVenueRequest(venue_id=VENUE), f"deleted {VENUE}"),
    (
        ["device", "delete", VENUE, CLIENT, "car-1"],
        admin_pb2.DeleteDeviceRequest(venue_id=VENUE, client_id=CLIENT, device_id="car-1"),
        "deleted car-1",
    ),
    (
        ["venue", "access", "set", VENUE, CLIENT, "restricted"],
        admin_pb2.SetVenueAccessRequest(venue_id=VENUE, client_id=CLIENT, access=4),
        "restricted: ",
    ),
    (
        ["venue", "access", "list", "--client", CLIENT],
        admin_pb2.ListVenueAccessRequest(client_id=CLIENT, page_size=1000),
        "restricted",
    ),
    (["grid", "regions"], admin_pb2.ListGridRegionsRequest(), "California ISO  2026-12-01 00:00"),
    (
        ["region", "37.77,-122.42"],
        admin_pb2.ResolveGridRegionRequest(location={"latitude": 37.77, "longitude": -122.42}),
        "inside CISO",
    ),
    (["region", "94103"], admin_pb2.ResolveGridRegionRequest(postal_code="94103"), "America/Los_Angeles"),
]


@pytest.mark.parametrize(("words", "request_", "text"), COMMANDS, ids=[" ".join(words) for words, _, _ in COMMANDS])
def test_the_operators_commands_ask_and_show(
    ctl: Ctl, fake: Fake, words: list[str], request_: object, text: str
) -> None:
    output = ctl.good(*words)
    assert text in output and "\x1b" not in output
    assert same(fake.requests[-1], request_) and fake.keys[-1] == "Bearer operator"
    lines = ctl.good(*words, "--json").splitlines()
    assert len(lines) == 1 and lines[0].isascii() and lines[0].startswith("{")


def test_json_is_what_the_server_has_answered(ctl: Ctl) -> None:
    created = ctl.message(admin_pb2.CreateClientResponse, "client", "create", "x")
    assert created == admin_pb2.CreateClientResponse(client=client(), api_key="ek_secret")
    assert ctl.message(admin_pb2.GetVenueSettingsResponse, "venue", "get", VENUE).settings == settings()


def test_forty_thousand_venues_are_listed(ctl: Ctl, fake: Fake) -> None:
    table = ctl.good("venue", "list").splitlines()
    assert len(table) == 1 + VENUE_COUNT and "venue 39999" in table[-1]
    assert len(fake.requests) == VENUE_COUNT // 1000
    rows = ctl.json("venue", "list")
    assert [row["venue"]["name"] for row in rows[::9999]] == [f"venue {row}" for row in range(0, VENUE_COUNT, 9999)]


def test_a_listing_that_goes_in_a_circle_ends(ctl: Ctl, fake: Fake) -> None:
    fake.answers["circle"] = "again"
    assert "goes in a circle" in ctl.refused(1, "client", "list")
    assert len(fake.requests) == 2


def test_a_name_of_two_venues_is_not_guessed(ctl: Ctl) -> None:
    assert "2 venues are named" in ctl.refused(2, "venue", "TWIN")


def test_a_plan(ctl: Ctl, fake: Fake) -> None:
    window = ["--from", "2026-11-30T17:00", "--to", "12:00"]
    text = ctl.good("plan", "Haus", "--duration", "1h30m", *window)
    assert text.splitlines() == [
        "1 h 30 min at Haus (America/Los_Angeles):",
        "  Mon 18:00 - 19:00",
        "  Tue 12:00 - 13:00",
        "mean rating 0.13, started at once 0.70",
        "the guidance does not cover the whole window yet",
    ]
    request = guidance_pb2.PlanLoadRequest(
        venue_id=VENUE, suggested_action=1, duration={"seconds": 5400}, contiguous=True,
        window={"start": {"seconds": HOUR + 3600}, "end": {"seconds": HOUR + 20 * 3600}},
    )  # fmt: skip
    assert same(fake.requests[-1], request)
    reduced = ["plan", VENUE, "--duration", "60", "--split", "--action", "reduce"]
    answer = ctl.message(guidance_pb2.PlanLoadResponse, *reduced)
    assert len(answer.intervals) == 2
    assert (fake.requests[-1].contiguous, fake.requests[-1].suggested_action) == (False, 2)
    assert "must lie after" in ctl.refused(2, "plan", VENUE, "--duration", "60", *window[:3], "2026-11-30T16:00")
    assert "--from: expected now" in ctl.refused(2, "plan", VENUE, "--duration", "60", "--from", "soon")


def test_a_batch_is_sent_again_after_the_delay_that_the_server_names(ctl: Ctl, fake: Fake) -> None:
    fake.failures = [(grpc.StatusCode.UNAVAILABLE, None), (grpc.StatusCode.RESOURCE_EXHAUSTED, 2)]
    result = ctl.run("submit", "-", "--venue", VENUE, "--json", text='{"deviceId": "a"}')
    assert result.returncode == 0 and '"storedCount":1' in result.stdout
    assert len(fake.requests) == 3 and same(fake.requests[0], fake.requests[2])
    assert [line.rsplit("; ", 1)[1] for line in result.stderr.splitlines()] == ["again in 1 s", "again in 2 s"]
    fake.failures = [(grpc.StatusCode.UNAVAILABLE, 3600)]
    result = ctl.run("submit", "-", "--venue", VENUE, text='{"deviceId": "a"}')
    assert (result.returncode, result.stdout.splitlines()[1].split()) == (5, ["1", "0", "0", "0", "1"])
    assert result.stderr.endswith("; retry in 3600 s\n")
    fake.failures = [(grpc.StatusCode.INTERNAL, None)]
    assert ctl.run("submit", "-", "--venue", VENUE, text='{"deviceId": "a"}').returncode == 1


def test_a_watch_that_is_lost_goes_on_from_what_it_knows(ctl: Ctl, fake: Fake) -> None:
    fake.answers["streams lost"] = 1
    with Running(ctl, ["guidance", VENUE, "--watch", "--json"]) as watch:
        first = json_format.Parse(watch.line(), guidance_pb2.StreamGuidanceResponse()).guidance
        second = json_format.Parse(watch.line(), guidance_pb2.StreamGuidanceResponse()).guidance
        assert first.guidance_token != second.guidance_token
        watch.signal(signal.SIGTERM)
        code, errors = watch.wait()
        assert code == 0 and errors == "energykitctl: UNAVAILABLE: going away; again in 1 s\n"
    streams = [request for request in fake.requests if isinstance(request, guidance_pb2.StreamGuidanceRequest)]
    assert [stream.known_guidance_token for stream in streams] == ["", first.guidance_token]


NONSENSE = [b"\x0a", b"\xff" * 40, b"\x0a\x00" * 3, b"\x08\x01", b"\x0a\x02\x0a\x00", bytes(range(256)) * 64]


@pytest.mark.parametrize("answer", NONSENSE, ids=lambda answer: answer[:6].hex())
def test_nonsense_is_refused_in_a_line(answer: bytes) -> None:
    server, port = serve(Nonsense(answer))
    ctl = Ctl("--address", f"127.0.0.1:{port}", ENERGYKIT_API_KEY="ek_client", ENERGYKIT_ADMIN_KEY="operator")
    for words in (["venue", VENUE], ["guidance", VENUE], ["client", "get", CLIENT], ["venue", "get", VENUE]):
        result = ctl.run(*words)
        assert result.returncode == 1, result
        assert result.stderr.startswith("energykitctl: INTERNAL: the server's answer"), result
    server.stop(None).wait(5)
