"""The server as its operator sees it: clients, venues and access made for a test."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

import grpc
from energykit.v1 import admin_pb2, admin_pb2_grpc
from google.protobuf import wrappers_pb2

from .caller import CALL_LIMIT, Caller, Demo

ENERGYKIT = admin_pb2.ENTITLEMENT_ENERGYKIT
LOAD_EVENTS = admin_pb2.ENTITLEMENT_LOAD_EVENTS_EXPERIENCE
NONE_ACCESS = admin_pb2.VENUE_ACCESS_NONE
GRANTED = admin_pb2.VENUE_ACCESS_GRANTED
DENIED = admin_pb2.VENUE_ACCESS_DENIED
RESTRICTED = admin_pb2.VENUE_ACCESS_RESTRICTED


@dataclass(frozen=True)
class Made:
    """A client and its key."""

    id: str
    key: str


class Operator:
    def __init__(self, demo: Demo, key: str | None = None):
        self.demo = demo
        self.key = key or demo.server.demo["admin_key"]
        self.stub = admin_pb2_grpc.AdminServiceStub(demo.channel)

    def call(self, method: str, **fields: object):
        """A method by its name, its request by its fields. Plain values stand for wrapped ones."""
        request = getattr(admin_pb2, f"{method}Request")(**{name: _wrapped(method, name, fields[name]) for name in fields})
        metadata = (("authorization", f"Bearer {self.key}"),)
        return getattr(self.stub, method)(request, metadata=metadata, timeout=CALL_LIMIT)

    def make_client(self, name: str = "a client", entitlements: tuple[int, ...] = (ENERGYKIT,)) -> Made:
        answer = self.call("CreateClient", name=name, entitlements=entitlements)
        return Made(answer.client.id, answer.api_key)

    def make_venue(self, name: str = "a home", **fields: object) -> str:
        fields = {"time_zone": "America/Los_Angeles", "grid_region": "CISO", **fields}
        return self.call("CreateVenue", name=name, **fields).settings.venue.id

    def allow(self, client: Made, venue: str, access: int = GRANTED) -> None:
        self.call("SetVenueAccess", venue_id=venue, client_id=client.id, access=access)

    def caller(self, client: Made, channel: grpc.Channel | None = None) -> Caller:
        return Caller(channel or self.demo.channel, client.key)


def _wrapped(method: str, name: str, value: object) -> object:
    field = getattr(admin_pb2, f"{method}Request").DESCRIPTOR.fields_by_name[name]
    if field.message_type is None or not field.message_type.full_name.startswith("google.protobuf."):
        return value
    wrapper = getattr(wrappers_pb2, field.message_type.name, None)
    return wrapper(value=value) if wrapper else value


def some_id() -> str:
    return str(uuid.uuid4())
