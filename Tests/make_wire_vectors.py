"""Writes EnergyWireTests/Vectors.swift: messages as protobuf for Python serialises them, to read and to compare with.

    PYTHONPATH=clients/python/src python Tests/make_wire_vectors.py

Needs protobuf and googleapis-common-protos.
"""

import pathlib

from google.protobuf import any_pb2, duration_pb2, timestamp_pb2, wrappers_pb2
from google.rpc import error_details_pb2, status_pb2

from energykit.v1 import admin_pb2, common_pb2, guidance_pb2, load_event_pb2, venue_pb2

VENUE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
HOME = "00000000-0000-0000-0000-00000000000a"
TOKEN = "0123abcd-4567-89ef-0123-456789abcdef"
SESSION = "11111111-2222-3333-4444-555555555555"
START = 1_700_000_000  # 2023-11-14T22:13:20Z


def event_id(number):
    return f"e0000000-0000-4000-8000-{number:012x}"


def at(seconds, nanos=0):
    return timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos)


def span(start, end):
    return common_pb2.TimeInterval(start=at(start), end=at(end))


def number(value):
    return wrappers_pb2.DoubleValue(value=value)


def vehicle_event(index, count, device=None):
    state = 1 if index == 0 else 3 if index == count - 1 else 2
    event = load_event_pb2.LoadEvent(
        id=event_id(index),
        timestamp=at(START + 900 * index, 123_999_999),
        session_id=SESSION,
        session_state=state,
        was_following_guidance=True,
        guidance_token=TOKEN,
        electric_vehicle=load_event_pb2.ElectricVehicleMeasurement(
            state_of_charge_percent=40 + index,
            direction=1,
            power_milliwatts=7_200_000 if state == 2 else 0,
            energy_milliwatt_hours=1_800_000 * index,
        ),
    )
    if device is None:
        event.device_id = "Garage charger 1"
    else:
        event.device.CopyFrom(device)
        event.electric_vehicle.performance_metrics.estimated_range_meters.value = 250_000.5
        event.electric_vehicle.performance_metrics.battery_temperature_celsius.value = -3.5
    return event


def vehicle_batch(count, device=None):
    return load_event_pb2.SubmitLoadEventsRequest(
        venue_id=VENUE, load_events=[vehicle_event(i, count, device) for i in range(count)]
    )


def mixed_batch():
    car = load_event_pb2.ElectricalLoadDevice(id="car-1", name="Ünal's  car\tblue", type=1)
    hvac = load_event_pb2.LoadEvent(
        id=event_id(100),
        timestamp=at(START),
        session_id=SESSION.upper(),
        session_state=2,
        guidance_token=TOKEN,
        device=load_event_pb2.ElectricalLoadDevice(id="hvac", type=2),
        hvac=load_event_pb2.HvacMeasurement(stage_percent=50),
    )
    plugged = load_event_pb2.ElectricVehicleStatusEvent(
        id=event_id(200),
        timestamp=at(START - 1, 1),
        device=car,
        charger_plugged_in=load_event_pb2.ElectricVehicleStatusEvent.ChargerPluggedIn(),
        state_of_charge_percent=12,
        battery_energy_milliwatt_hours=9_000_000,
    )
    idle = load_event_pb2.ElectricVehicleStatusEvent(
        id=event_id(201),
        timestamp=at(-1, 999_000_000),
        device=car,
        charging_idle=12,
        state_of_charge_percent=100,
        estimated_range_meters=number(0),
        charging_target=load_event_pb2.ChargingTarget(
            state_of_charge_percent=80,
            estimated_completion_time=at(START + 60),
            estimated_range_at_target_meters=number(300_000),
        ),
        session_id=SESSION,
    )
    return load_event_pb2.SubmitLoadEventsRequest(
        venue_id=VENUE,
        load_events=[vehicle_event(1, 3, car), hvac],
        vehicle_status_events=[plugged, idle],
        allow_partial_success=True,
    )


def signal():
    return admin_pb2.PublishGridSignalRequest(
        grid_region="CISO",
        kind=3,
        model="lmp-2023",
        issue_time=at(START, 5_999_999),
        step_seconds=3600,
        points=[
            admin_pb2.SignalPoint(start=at(START), value=-12.5),
            admin_pb2.SignalPoint(start=at(START + 3600), value=45.25, estimated=True),
            admin_pb2.SignalPoint(start=at(START + 10800)),
        ],
    )


def venues():
    return [
        venue_pb2.EnergyVenue(
            id=VENUE,
            name="Haus am Fluß",
            home_id=HOME,
            time_zone="America/Los_Angeles",
            grid_region="CISO",
            has_rate_plan=True,
        ),
        venue_pb2.EnergyVenue(id=HOME, name="Zweites Haus", time_zone="Pacific/Honolulu"),
    ]


def guidance():
    return guidance_pb2.ElectricityGuidance(
        guidance_token=TOKEN,
        venue_id=VENUE,
        suggested_action=1,
        interval=span(START, START + 5400),
        options=[1, 2],
        values=[
            guidance_pb2.GuidanceValue(interval=span(START, START + 3600), rating=0.25),
            guidance_pb2.GuidanceValue(interval=span(START + 3600, START + 5400), rating=0),
        ],
        issue_time=at(START - 7),
        grid_region="CISO",
        next_update_time=at(START + 300, 500_000_000),
    )


def explanations():
    return [
        guidance_pb2.RatingExplanation(
            interval=span(START, START + 3600),
            carbon_kind=1,
            carbon_model="eia930",
            carbon_intensity=number(210.5),
            reference_rank=number(0),
            horizon_rank=number(0.5),
            horizon_materiality=number(1),
            price_usd_per_kwh=number(0.31),
            price_score=number(0.75),
            price_materiality=number(0.125),
            quality=2,
            grid_event=True,
        ),
        guidance_pb2.RatingExplanation(interval=span(START + 3600, START + 5400), quality=4),
    ]


def packed(message):
    result = any_pb2.Any()
    result.Pack(message)
    return result


def invalid_events():
    description = "is not a UUID"
    return status_pb2.Status(
        code=3,
        message="2 faults in the load events, the first: load_events[3].id: MALFORMED: is not a UUID",
        details=[
            packed(
                error_details_pb2.ErrorInfo(
                    reason="INVALID_LOAD_EVENT",
                    domain="energykit",
                    metadata={"server_time": "2023-11-14T22:13:20.005Z", "violations": "2"},
                )
            ),
            packed(
                error_details_pb2.BadRequest(
                    field_violations=[
                        error_details_pb2.BadRequest.FieldViolation(
                            field="load_events[3].id", description=f"MALFORMED: {description}", reason="MALFORMED"
                        ),
                        error_details_pb2.BadRequest.FieldViolation(
                            field="vehicle_status_events[0].timestamp",
                            description="TIMESTAMP_OUT_OF_RANGE: too old",
                            reason="TIMESTAMP_OUT_OF_RANGE",
                        ),
                    ]
                )
            ),
        ],
    )


def rate_limit():
    return status_pb2.Status(
        code=8,
        message="too many calls or events; retry in 3 s",
        details=[
            packed(error_details_pb2.ErrorInfo(reason="RATE_LIMIT_EXCEEDED", domain="energykit")),
            packed(error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=3))),
            packed(
                error_details_pb2.QuotaFailure(
                    violations=[
                        error_details_pb2.QuotaFailure.Violation(
                            subject="client", description="calls, events or streams of this client"
                        )
                    ]
                )
            ),
        ],
    )


MESSAGES = {
    "listVenuesRequest": venue_pb2.ListVenuesRequest(page_size=17),
    "getVenueByID": venue_pb2.GetVenueRequest(venue_id=VENUE.upper()),
    "getVenueByHome": venue_pb2.GetVenueRequest(home_id=HOME),
    "getGuidanceRequest": guidance_pb2.GetGuidanceRequest(
        venue_id=VENUE, suggested_action=2, explain=True, known_guidance_token=TOKEN
    ),
    "streamGuidanceRequest": guidance_pb2.StreamGuidanceRequest(venue_id=VENUE, suggested_action=1),
    "vehicleBatch": vehicle_batch(10),
    "mixedBatch": mixed_batch(),
    "publishGridSignalRequest": signal(),
    "listVenuesResponse": venue_pb2.ListVenuesResponse(venues=venues()),
    "getVenueResponse": venue_pb2.GetVenueResponse(venue=venues()[0]),
    "streamGuidanceResponse": guidance_pb2.StreamGuidanceResponse(guidance=guidance()),
    "getGuidanceResponse": guidance_pb2.GetGuidanceResponse(guidance=guidance(), explanations=explanations()),
    "submitLoadEventsResponse": load_event_pb2.SubmitLoadEventsResponse(
        stored_count=300,
        duplicate_count=2,
        rejected_count=1,
        rejected=[
            load_event_pb2.RejectedEvent(
                field="load_events[3].hvac.stage_percent", reason="OUT_OF_RANGE", description="must be 0 to 100"
            )
        ],
    ),
    "publishGridSignalResponse": admin_pb2.PublishGridSignalResponse(
        stored_count=3, guidance_changed=True, subscribers_notified=10_000
    ),
    "invalidLoadEventStatus": invalid_events(),
    "rateLimitStatus": rate_limit(),
}


def main():
    lines = [
        "// Written by make_wire_vectors.py: what protobuf for Python makes of the messages there.",
        "enum Vectors {",
    ]
    for name, message in MESSAGES.items():
        hexadecimal = message.SerializeToString(deterministic=True).hex()
        lines.append(f'  static let {name} = """')
        lines += [f"    {hexadecimal[i : i + 112]}" for i in range(0, len(hexadecimal), 112)]
        lines.append('    """')
    lines.append("}")
    (pathlib.Path(__file__).parent / "EnergyWireTests" / "Vectors.swift").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
