#!/usr/bin/env python3
"""Charges an electric car when the grid is cleaner and cheaper.

Lists the venues, streams the guidance of one, picks the best hours, reports a short charging session, and prints what
the server answered:

    python charge_car.py [demo-data/demo.json]
    python charge_car.py --address 127.0.0.1:50051 --api-key ek_...
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import grpc
from energykit.errors import ErrorDetails
from energykit.v1 import (
    common_pb2,
    guidance_pb2,
    guidance_pb2_grpc,
    load_event_pb2,
    load_event_pb2_grpc,
    venue_pb2,
    venue_pb2_grpc,
)

CALL_TIMEOUT = 10  # seconds
CHARGING_TIME = timedelta(hours=2)
CHARGER_WATTS = 7_200
BAR_WIDTH = 40  # characters for a rating of 1
CHART_ROWS = 24


@dataclass(frozen=True)
class Server:
    """An open channel, and who we are on it."""

    channel: grpc.Channel
    api_key: str

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.api_key}"),)


@dataclass(frozen=True)
class Window:
    """A span of time and the mean of its ratings: 0 is the best time to use electricity, 1 the worst."""

    start: datetime
    end: datetime
    rating: float


def main() -> int:
    address, api_key, venue_name = parse_arguments()
    with grpc.insecure_channel(address) as channel:
        try:
            return charge_car(Server(channel, api_key), venue_name)
        except grpc.RpcError as error:
            print(f"The call to {address} failed.\n{ErrorDetails.of(error)}", file=sys.stderr)
            return 1


def charge_car(server: Server, venue_name: str | None) -> int:
    venues = list_venues(server)
    print("Venues")
    for each in venues:
        plan = "rate plan" if each.has_rate_plan else "no rate plan"
        print(f"  {each.name} ({each.grid_region}, {each.time_zone}, {plan})")
    venue = choose_venue(venues, venue_name)
    if venue is None:
        print("There is no such venue for this API key.", file=sys.stderr)
        return 1

    guidance = first_guidance(server, venue)
    zone = time_zone(venue)
    print(f"\nGuidance for {venue.name}: lower is better")
    print_chart(guidance, zone)

    best = best_window(guidance, CHARGING_TIME, datetime.now(timezone.utc))
    if best is None:
        print("The guidance does not reach far enough ahead.", file=sys.stderr)
        return 1
    print(f"\nBest two hours: {clock(best.start, zone)} to {clock(best.end, zone)}, mean rating {best.rating:.2f}")

    response = submit(server, venue, session_events(guidance, best, datetime.now(timezone.utc)))
    print(
        f"\nCharging session submitted: {response.stored_count} events stored, {response.duplicate_count} known before"
    )
    return 0


def list_venues(server: Server) -> Sequence[venue_pb2.EnergyVenue]:
    """The venues this API key may see, at most 1000."""
    stub = venue_pb2_grpc.EnergyVenueServiceStub(server.channel)
    request = venue_pb2.ListVenuesRequest()
    return stub.ListVenues(request, metadata=server.metadata, timeout=CALL_TIMEOUT).venues


def choose_venue(venues: Sequence[venue_pb2.EnergyVenue], name: str | None) -> venue_pb2.EnergyVenue | None:
    """The venue of that name or id; without one, the first with a rate plan, else the first."""
    if name is not None:
        return next((each for each in venues if name in (each.name, each.id)), None)
    return next((each for each in venues if each.has_rate_plan), next(iter(venues), None))


def first_guidance(server: Server, venue: venue_pb2.EnergyVenue) -> guidance_pb2.ElectricityGuidance:
    """The current guidance. A charger would stay in the loop and plan again whenever a newer one arrives."""
    stub = guidance_pb2_grpc.ElectricityGuidanceServiceStub(server.channel)
    request = guidance_pb2.StreamGuidanceRequest(
        venue_id=venue.id, suggested_action=guidance_pb2.SUGGESTED_ACTION_SHIFT
    )
    stream = stub.StreamGuidance(request, metadata=server.metadata, timeout=CALL_TIMEOUT)
    for response in stream:
        stream.cancel()
        return response.guidance
    raise RuntimeError("the stream ended without guidance")


def best_window(guidance: guidance_pb2.ElectricityGuidance, length: timedelta, now: datetime) -> Window | None:
    """The span of `length` from `now` on with the lowest mean rating, the earliest of equals.

    The ratings are constant between boundaries, so the best span starts or ends at one of them, or starts now.
    """
    boundaries = {utc(value.interval.start) for value in guidance.values}
    boundaries |= {utc(value.interval.end) for value in guidance.values}
    starts = {now} | boundaries | {boundary - length for boundary in boundaries}
    windows = (rated(guidance, start, start + length) for start in sorted(starts) if start >= now)
    return min(
        (window for window in windows if window is not None), key=lambda each: round(each.rating, 6), default=None
    )


def rated(guidance: guidance_pb2.ElectricityGuidance, start: datetime, end: datetime) -> Window | None:
    """The span with its time-weighted mean rating, or None where the guidance does not cover all of it."""
    covered, weighted = timedelta(), 0.0
    for value in guidance.values:
        overlap = min(end, utc(value.interval.end)) - max(start, utc(value.interval.start))
        if overlap > timedelta():
            covered += overlap
            weighted += overlap.total_seconds() * value.rating
    return Window(start, end, weighted / covered.total_seconds()) if covered == end - start else None


def session_events(
    guidance: guidance_pb2.ElectricityGuidance, best: Window, now: datetime
) -> list[load_event_pb2.LoadEvent]:
    """A session of ten minutes that ends now: begin, active, end.

    Energy counts from the session's begin; power and energy are 0 at begin, power is 0 at the end.
    """
    device = load_event_pb2.ElectricalLoadDevice(
        id="garage-charger-1", name="Garage charger", type=load_event_pb2.DEVICE_TYPE_ELECTRIC_VEHICLE
    )
    begin = now - timedelta(minutes=10)
    steps = (
        (load_event_pb2.SESSION_STATE_BEGIN, timedelta(minutes=0), 0),
        (load_event_pb2.SESSION_STATE_ACTIVE, timedelta(minutes=5), CHARGER_WATTS),
        (load_event_pb2.SESSION_STATE_END, timedelta(minutes=10), 0),
    )
    session_id = str(uuid.uuid4())
    return [
        load_event_pb2.LoadEvent(
            id=str(uuid.uuid4()),  # kept with the event: a repeated submission is then known as a duplicate
            timestamp=begin + elapsed,
            session_id=session_id,
            session_state=state,
            was_following_guidance=best.start <= begin < best.end,
            guidance_token=guidance.guidance_token,
            device=device,
            electric_vehicle=measurement(elapsed, watts),
        )
        for state, elapsed, watts in steps
    ]


def measurement(elapsed: timedelta, watts: int) -> load_event_pb2.ElectricVehicleMeasurement:
    hours = elapsed / timedelta(hours=1)
    return load_event_pb2.ElectricVehicleMeasurement(
        state_of_charge_percent=60 + int(hours * 12),
        direction=common_pb2.ELECTRICITY_FLOW_DIRECTION_IMPORTED,
        power_milliwatts=watts * 1000,
        energy_milliwatt_hours=int(CHARGER_WATTS * 1000 * hours),
    )


def submit(
    server: Server, venue: venue_pb2.EnergyVenue, events: Sequence[load_event_pb2.LoadEvent]
) -> load_event_pb2.SubmitLoadEventsResponse:
    """Stores all events or none. Once it has returned, they are durable; until then, keep them and send them again."""
    stub = load_event_pb2_grpc.LoadEventServiceStub(server.channel)
    request = load_event_pb2.SubmitLoadEventsRequest(venue_id=venue.id, load_events=events)
    return stub.SubmitLoadEvents(request, metadata=server.metadata, timeout=CALL_TIMEOUT)


def print_chart(guidance: guidance_pb2.ElectricityGuidance, zone: tzinfo) -> None:
    for value in guidance.values[:CHART_ROWS]:
        start, end = utc(value.interval.start), utc(value.interval.end)
        bar = "█" * round(value.rating * BAR_WIDTH)
        print(f"  {clock(start, zone)} - {end.astimezone(zone):%H:%M}  {value.rating:.2f} {bar}")
    if len(guidance.values) > CHART_ROWS:
        print(f"  ... and {len(guidance.values) - CHART_ROWS} more")


def clock(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%a %H:%M}"


def utc(timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=timezone.utc)


def time_zone(venue: venue_pb2.EnergyVenue) -> tzinfo:
    try:
        return ZoneInfo(venue.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return timezone.utc


def parse_arguments() -> tuple[str, str, str | None]:
    """The server's address, our API key, and the venue to charge at."""
    parser = argparse.ArgumentParser(description="Charges an electric car when the grid is cleaner and cheaper.")
    parser.add_argument("demo", nargs="?", default="demo-data/demo.json", help="written by energykitd --demo")
    parser.add_argument("--address", help="host:port, instead of the demo's")
    parser.add_argument("--api-key", help="instead of the demo's first client")
    parser.add_argument("--venue", help="name or id; default: the first with a rate plan")
    arguments = parser.parse_args()
    if arguments.address and arguments.api_key:
        return arguments.address, arguments.api_key, arguments.venue
    try:
        with open(arguments.demo, encoding="utf-8") as file:
            demo = json.load(file)
        address = arguments.address or demo["address"]
        return address, arguments.api_key or demo["clients"][0]["api_key"], arguments.venue
    except (OSError, ValueError, LookupError) as error:
        parser.error(
            f"cannot read {arguments.demo} ({error}); start energykitd --demo, or give --address and --api-key"
        )


if __name__ == "__main__":
    sys.exit(main())
