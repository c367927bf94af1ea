"""docs/errors.md has a section for each reason in the code, and for no other."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from .caller import BASE, FULL, HAWAII, Caller, Demo, error_of, session
from .operator import DENIED, RESTRICTED, Made, Operator, some_id
from .server import ROOT, Server

PAGE = (ROOT / "docs" / "errors.md").read_text()


def sections() -> dict[str, str]:
    parts = re.split(r"^### ([A-Z_]+)$", PAGE, flags=re.MULTILINE)[1:]
    names = parts[::2]
    assert len(set(names)) == len(names), "a reason has two sections"
    return dict(zip(names, parts[1::2], strict=True))


def reasons_in_code() -> set[str]:
    """ErrorInfo's, wherever a status is made, and those of LoadEventFault."""
    reasons: set[str] = set()
    for file in (ROOT / "Sources" / "EnergyWire").rglob("*.swift"):
        text = file.read_text()
        reasons |= set(re.findall(r'\breason(?:: | = )"([A-Z_]+)"', text))
        reasons |= set(re.findall(r'status\(\s*\.\w+, "([A-Z_]+)"', text))
    fault = (ROOT / "Sources" / "EnergyModel" / "LoadEvents" / "LoadEventFault.swift").read_text()
    of_events = set(re.findall(r'case \w+ = "([A-Z_]+)"', fault))
    assert len(of_events) >= 12
    return reasons | of_events


def test_the_page_and_the_code_know_the_same_reasons() -> None:
    in_code, on_page = reasons_in_code(), set(sections())
    assert len(in_code) >= 25
    assert in_code - on_page == set(), "reasons without a section"
    assert on_page - in_code == set(), "sections without a reason"


@pytest.mark.parametrize("reason", sorted(sections()))
def test_each_section_says_cause_and_remedy(reason: str) -> None:
    text = sections()[reason].split("\n## ")[0]
    cause, found, remedy = text.partition("Remedy:")
    assert found and len(cause.split()) >= 5 and len(remedy.split()) >= 3


@dataclass
class World:
    """A server on which everything may be broken."""

    server: Server
    demo: Demo
    operator: Operator
    client: Made
    venue: str

    @property
    def caller(self) -> Caller:
        return self.operator.caller(self.client)

    def sql(self, text: str, *values: object) -> None:
        with contextlib.closing(sqlite3.connect(self.server.data / "energykit.sqlite3")) as store, store:
            store.execute(text, values)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    data = tmp_path_factory.mktemp("errors") / "data"
    with Server(data, "--daily-events", "5") as server, Demo(server) as demo:
        operator = Operator(demo)
        client, venue = operator.make_client("a name"), operator.make_venue()
        operator.allow(client, venue)
        yield World(server, demo, operator, client, venue)


def restricted(world: World) -> object:
    venue = world.operator.make_venue()
    world.operator.allow(world.client, venue, RESTRICTED)
    return world.caller.submit(venue, session("none"))


def denied(world: World) -> object:
    venue = world.operator.make_venue()
    world.operator.allow(world.client, venue, DENIED)
    return world.caller.get_venue(venue)


def guidance(world: World, **fields: object) -> object:
    venue = world.operator.make_venue(**fields)
    world.operator.allow(world.client, venue)
    return world.caller.get_guidance(venue)


def erasing(world: World) -> object:
    """As a crash amid a deletion leaves it."""
    venue = some_id()
    world.sql("INSERT INTO erasures (venue_id, last_sequence) VALUES (?, 0)", uuid.UUID(venue).bytes)
    return world.operator.make_venue(venue_id=venue)


def too_many(world: World) -> object:
    events = session(world.caller.get_guidance(world.venue).guidance.guidance_token)
    world.caller.submit(world.venue, events)
    return world.caller.submit(world.venue, session(events[0].guidance_token, device="another"))


def broken(world: World) -> object:
    """A store that cannot be read. The last: nothing works after it."""
    world.sql("ALTER TABLE venue_access RENAME TO gone")
    return world.demo.caller(BASE).get_venue(world.venue)


# How each reason of calls comes about; those of events have test_mutations.py.
CALLS: dict[str, Callable[[World], object]] = {
    "UNAUTHENTICATED": lambda world: world.caller.with_key("ek_" + "A" * 43).list_venues(),
    "PERMISSION_DENIED": denied,
    "VENUE_UNAVAILABLE": lambda world: world.caller.get_venue(some_id()),
    "LOCATION_SERVICES_DENIED": lambda world: guidance(world, location_services_denied=True),
    "UNSUPPORTED_REGION": lambda world: world.demo.caller(FULL).get_guidance(world.demo.venues[HAWAII]),
    "GUIDANCE_UNAVAILABLE": lambda world: guidance(world, grid_region="NOWHERE"),
    "RATE_LIMIT_EXCEEDED": too_many,
    "IN_PROGRESS": erasing,
    "INVALID_REQUEST": lambda world: world.caller.get_venue("no"),
    "INVALID_LOAD_EVENT": restricted,
    "NOT_FOUND": lambda world: world.operator.call("GetClient", client_id=some_id()),
    "ALREADY_EXISTS": lambda world: world.operator.call("CreateClient", client_id=world.client.id, name="other"),
    "SERVICE_UNAVAILABLE": broken,
}


@pytest.mark.parametrize("reason", CALLS)
def test_a_server_says_it_with_the_status_of_the_page(world: World, reason: str) -> None:
    error = error_of(lambda: CALLS[reason](world))
    status = re.search(r"Status ([A-Z_]+)", sections()[reason])[1]
    assert (error.reason, error.code.name) == (reason, status)
    details = sections()[reason].split("Remedy:")[0]
    assert (error.retry_delay is not None) == ("`RetryInfo`" in details)
    assert bool(error.violations) == ("`BadRequest`" in details)
    if reason == "INVALID_LOAD_EVENT":
        assert [(each.field, each.reason) for each in error.violations] == [("venue_id", "RESTRICTED")]


def test_every_reason_of_calls_is_provoked() -> None:
    of_calls = set(re.findall(r"^### ([A-Z_]+)$", PAGE.split("\n## Of events")[0], flags=re.MULTILINE))
    assert of_calls - set(CALLS) == {"IN_USE"}, "which no call of this version can give"
