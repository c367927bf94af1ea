"""The server as a caller sees it: typed calls with a key, and load events to send."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

import grpc
from energykit.errors import ErrorDetails
from energykit.v1 import (
    admin_pb2,
    admin_pb2_grpc,
    common_pb2,
    guidance_pb2,
    guidance_pb2_grpc,
    load_event_pb2,
    load_event_pb2_grpc,
    venue_pb2,
    venue_pb2_grpc,
)
from sanitizers import within

from .server import Server

CALL_LIMIT = within(20)  # seconds
SHIFT = guidance_pb2.SUGGESTED_ACTION_SHIFT
CALIFORNIA, OTHER, HAWAII = range(3)  # the demo's venues, in their order
FULL, BASE, NONE = range(3)  # the demo's clients, in their order


@dataclass(frozen=True)
class Caller:
    channel: grpc.Channel
    key: str | None

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.key}"),) if self.key is not None else ()

    def with_key(self, key: str | None) -> Caller:
        return replace(self, key=key)

    def list_venues(self) -> list[venue_pb2.EnergyVenue]:
        stub = venue_pb2_grpc.EnergyVenueServiceStub(self.channel)
        return list(stub.ListVenues(venue_pb2.ListVenuesRequest(), metadata=self.metadata, timeout=CALL_LIMIT).venues)

    def get_venue(self, venue_id: str) -> venue_pb2.EnergyVenue:
        stub = venue_pb2_grpc.EnergyVenueServiceStub(self.channel)
        request = venue_pb2.GetVenueRequest(venue_id=venue_id)
        return stub.GetVenue(request, metadata=self.metadata, timeout=CALL_LIMIT).venue

    def get_guidance(self, venue_id: str, **fields: object) -> guidance_pb2.GetGuidanceResponse:
        stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(self.channel)
        request = guidance_pb2.GetGuidanceRequest(venue_id=venue_id, **{"suggested_action": SHIFT, **fields})
        return stub.GetGuidance(request, metadata=self.metadata, timeout=CALL_LIMIT)

    def stream_guidance(self, venue_id: str, limit: float = CALL_LIMIT, **fields: object):
        """The stream: iterate for messages, `cancel` ends it."""
        stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(self.channel)
        request = guidance_pb2.StreamGuidanceRequest(venue_id=venue_id, **{"suggested_action": SHIFT, **fields})
        return stub.StreamGuidance(request, metadata=self.metadata, timeout=limit)

    def submit(
        self, venue_id: str, events: Iterable[load_event_pb2.LoadEvent]
    ) -> load_event_pb2.SubmitLoadEventsResponse:
        return self.submit_request(load_event_pb2.SubmitLoadEventsRequest(venue_id=venue_id, load_events=events))

    def submit_request(
        self, request: load_event_pb2.SubmitLoadEventsRequest
    ) -> load_event_pb2.SubmitLoadEventsResponse:
        stub = load_event_pb2_grpc.LoadEventServiceStub(self.channel)
        return stub.SubmitLoadEvents(request, metadata=self.metadata, timeout=CALL_LIMIT)

    def publish_signal(self, request: admin_pb2.PublishGridSignalRequest) -> admin_pb2.PublishGridSignalResponse:
        stub = admin_pb2_grpc.AdminServiceStub(self.channel)
        return stub.PublishGridSignal(request, metadata=self.metadata, timeout=CALL_LIMIT)


class Demo:
    """The demo's venues and clients on one running server."""

    def __init__(self, server: Server):
        self.server = server
        self.channel = grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.venues: list[str] = [venue["id"] for venue in server.demo["venues"]]
        self.regions: list[str] = [venue["grid_region"] for venue in server.demo["venues"]]
        self.keys: list[str] = [client["api_key"] for client in server.demo["clients"]]
        self._forecasts = 0

    def caller(self, client: int = FULL) -> Caller:
        return Caller(self.channel, self.keys[client])

    @property
    def admin(self) -> Caller:
        return Caller(self.channel, self.server.demo["admin_key"])

    def token(self, client: int = FULL, venue: int = CALIFORNIA) -> str:
        return self.caller(client).get_guidance(self.venues[venue]).guidance.guidance_token

    def publish_forecast(self, venue: int = CALIFORNIA) -> admin_pb2.PublishGridSignalResponse:
        """Publishes a forecast unlike the one before for the venue's region: the clean hours move."""
        return self.admin.publish_signal(self.forecast(venue))

    def forecast(self, venue: int = CALIFORNIA) -> admin_pb2.PublishGridSignalRequest:
        self._forecasts += 1
        request = admin_pb2.PublishGridSignalRequest(
            grid_region=self.regions[venue],
            kind=common_pb2.SIGNAL_KIND_CARBON_AVERAGE,
            model=self.carbon_model(venue),
            step_seconds=3600,
        )
        request.issue_time.GetCurrentTime()
        hour = int(time.time()) // 3600 * 3600
        for index in range(48):
            point = request.points.add(value=150 + 250 * ((index + 5 * self._forecasts) % 12) / 11)
            point.start.seconds = hour + index * 3600
        return request

    def carbon_model(self, venue: int) -> str:
        """The model that the guidance is made from; others are not mixed with it."""
        answer = self.caller().get_guidance(self.venues[venue], explain=True)
        return next((each.carbon_model for each in answer.explanations if each.carbon_model), "")

    def close(self) -> None:
        self.channel.close()

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def error_of(call: Callable[[], object]) -> ErrorDetails:
    """What the call fails with; fails where it does not fail."""
    try:
        result = call()
    except grpc.RpcError as error:
        return ErrorDetails.of(error)
    raise AssertionError(f"the call succeeded: {result}")


def session(
    token: str,
    *,
    device: str = "charger-1",
    begin: datetime | None = None,
    count: int = 3,
    step: timedelta = timedelta(seconds=1),
) -> list[load_event_pb2.LoadEvent]:
    """A charging session of `count` events: begin, some active, end. Without `begin` it ends about now."""
    begin = begin or datetime.now(timezone.utc) - timedelta(seconds=5) - step * count
    session_id = str(uuid.uuid4())
    return [_event(token, device, begin + step * index, session_id, index, count) for index in range(count)]


def _event(
    token: str, device: str, moment: datetime, session_id: str, index: int, count: int
) -> load_event_pb2.LoadEvent:
    is_edge = index in (0, count - 1)
    event = load_event_pb2.LoadEvent(
        id=str(uuid.uuid4()),
        timestamp=moment,
        session_id=session_id,
        session_state=(
            load_event_pb2.SESSION_STATE_BEGIN
            if index == 0
            else load_event_pb2.SESSION_STATE_END
            if index == count - 1
            else load_event_pb2.SESSION_STATE_ACTIVE
        ),
        was_following_guidance=True,
        guidance_token=token,
        device=load_event_pb2.ElectricalLoadDevice(
            id=device, name="Garage charger", type=load_event_pb2.DEVICE_TYPE_ELECTRIC_VEHICLE
        ),
        electric_vehicle=load_event_pb2.ElectricVehicleMeasurement(
            state_of_charge_percent=min(100, 40 + index),
            direction=common_pb2.ELECTRICITY_FLOW_DIRECTION_IMPORTED,
            power_milliwatts=0 if is_edge else 7_200_000,
            energy_milliwatt_hours=index * 2_000,
        ),
    )
    event.timestamp.nanos -= event.timestamp.nanos % 1_000_000  # whole milliseconds count
    return event


def clear_of_the_hour(margin: float = 30) -> None:
    """Guidance moves on with the clock: waits until the hour will not turn within `margin` seconds."""
    left = 3600 - time.time() % 3600
    if left < margin:
        time.sleep(left + 2)
