import datetime

from energykit.v1 import common_pb2 as _common_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import wrappers_pb2 as _wrappers_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeviceType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEVICE_TYPE_UNSPECIFIED: _ClassVar[DeviceType]
    DEVICE_TYPE_ELECTRIC_VEHICLE: _ClassVar[DeviceType]
    DEVICE_TYPE_HVAC: _ClassVar[DeviceType]

class SessionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SESSION_STATE_UNSPECIFIED: _ClassVar[SessionState]
    SESSION_STATE_BEGIN: _ClassVar[SessionState]
    SESSION_STATE_ACTIVE: _ClassVar[SessionState]
    SESSION_STATE_END: _ClassVar[SessionState]

class ActiveReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTIVE_REASON_UNSPECIFIED: _ClassVar[ActiveReason]
    ACTIVE_REASON_UNKNOWN: _ClassVar[ActiveReason]
    ACTIVE_REASON_CLEANER_ENERGY_AVAILABLE: _ClassVar[ActiveReason]
    ACTIVE_REASON_LOWER_ELECTRICITY_RATES_AVAILABLE: _ClassVar[ActiveReason]
    ACTIVE_REASON_USER_INITIATED: _ClassVar[ActiveReason]
    ACTIVE_REASON_USER_RESUMED: _ClassVar[ActiveReason]
    ACTIVE_REASON_SCHEDULED_START: _ClassVar[ActiveReason]
    ACTIVE_REASON_SCHEDULED_RESUME: _ClassVar[ActiveReason]
    ACTIVE_REASON_DEMAND_RESPONSE_ENDED: _ClassVar[ActiveReason]
    ACTIVE_REASON_BATTERY_THERMAL_MANAGEMENT_COMPLETED: _ClassVar[ActiveReason]
    ACTIVE_REASON_BATTERY_HEALTH_MANAGEMENT_COMPLETED: _ClassVar[ActiveReason]
    ACTIVE_REASON_CHARGER_FAULT_CLEARED: _ClassVar[ActiveReason]
    ACTIVE_REASON_SUFFICIENT_POWER_RESTORED: _ClassVar[ActiveReason]
    ACTIVE_REASON_LOAD_BALANCING_COMPLETED: _ClassVar[ActiveReason]

class IdleReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    IDLE_REASON_UNSPECIFIED: _ClassVar[IdleReason]
    IDLE_REASON_UNKNOWN: _ClassVar[IdleReason]
    IDLE_REASON_TARGET_STATE_OF_CHARGE_REACHED: _ClassVar[IdleReason]
    IDLE_REASON_BATTERY_FULL: _ClassVar[IdleReason]
    IDLE_REASON_TARGET_ALREADY_REACHED: _ClassVar[IdleReason]
    IDLE_REASON_SCHEDULED_END: _ClassVar[IdleReason]
    IDLE_REASON_SCHEDULED_PAUSE: _ClassVar[IdleReason]
    IDLE_REASON_WAITING_FOR_CLEANER_ENERGY: _ClassVar[IdleReason]
    IDLE_REASON_WAITING_FOR_LOWER_ELECTRICITY_RATES: _ClassVar[IdleReason]
    IDLE_REASON_USER_PAUSED: _ClassVar[IdleReason]
    IDLE_REASON_USER_STOPPED: _ClassVar[IdleReason]
    IDLE_REASON_CHARGER_FAULT: _ClassVar[IdleReason]
    IDLE_REASON_DEMAND_RESPONSE_ACTIVE: _ClassVar[IdleReason]
    IDLE_REASON_BATTERY_THERMAL_MANAGEMENT: _ClassVar[IdleReason]
    IDLE_REASON_BATTERY_HEALTH_MANAGEMENT: _ClassVar[IdleReason]
    IDLE_REASON_INSUFFICIENT_POWER: _ClassVar[IdleReason]
    IDLE_REASON_LOAD_BALANCING: _ClassVar[IdleReason]
DEVICE_TYPE_UNSPECIFIED: DeviceType
DEVICE_TYPE_ELECTRIC_VEHICLE: DeviceType
DEVICE_TYPE_HVAC: DeviceType
SESSION_STATE_UNSPECIFIED: SessionState
SESSION_STATE_BEGIN: SessionState
SESSION_STATE_ACTIVE: SessionState
SESSION_STATE_END: SessionState
ACTIVE_REASON_UNSPECIFIED: ActiveReason
ACTIVE_REASON_UNKNOWN: ActiveReason
ACTIVE_REASON_CLEANER_ENERGY_AVAILABLE: ActiveReason
ACTIVE_REASON_LOWER_ELECTRICITY_RATES_AVAILABLE: ActiveReason
ACTIVE_REASON_USER_INITIATED: ActiveReason
ACTIVE_REASON_USER_RESUMED: ActiveReason
ACTIVE_REASON_SCHEDULED_START: ActiveReason
ACTIVE_REASON_SCHEDULED_RESUME: ActiveReason
ACTIVE_REASON_DEMAND_RESPONSE_ENDED: ActiveReason
ACTIVE_REASON_BATTERY_THERMAL_MANAGEMENT_COMPLETED: ActiveReason
ACTIVE_REASON_BATTERY_HEALTH_MANAGEMENT_COMPLETED: ActiveReason
ACTIVE_REASON_CHARGER_FAULT_CLEARED: ActiveReason
ACTIVE_REASON_SUFFICIENT_POWER_RESTORED: ActiveReason
ACTIVE_REASON_LOAD_BALANCING_COMPLETED: ActiveReason
IDLE_REASON_UNSPECIFIED: IdleReason
IDLE_REASON_UNKNOWN: IdleReason
IDLE_REASON_TARGET_STATE_OF_CHARGE_REACHED: IdleReason
IDLE_REASON_BATTERY_FULL: IdleReason
IDLE_REASON_TARGET_ALREADY_REACHED: IdleReason
IDLE_REASON_SCHEDULED_END: IdleReason
IDLE_REASON_SCHEDULED_PAUSE: IdleReason
IDLE_REASON_WAITING_FOR_CLEANER_ENERGY: IdleReason
IDLE_REASON_WAITING_FOR_LOWER_ELECTRICITY_RATES: IdleReason
IDLE_REASON_USER_PAUSED: IdleReason
IDLE_REASON_USER_STOPPED: IdleReason
IDLE_REASON_CHARGER_FAULT: IdleReason
IDLE_REASON_DEMAND_RESPONSE_ACTIVE: IdleReason
IDLE_REASON_BATTERY_THERMAL_MANAGEMENT: IdleReason
IDLE_REASON_BATTERY_HEALTH_MANAGEMENT: IdleReason
IDLE_REASON_INSUFFICIENT_POWER: IdleReason
IDLE_REASON_LOAD_BALANCING: IdleReason

class ElectricalLoadDevice(_message.Message):
    __slots__ = ("id", "name", "type")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    type: DeviceType
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., type: _Optional[_Union[DeviceType, str]] = ...) -> None: ...

class VehiclePerformanceMetrics(_message.Message):
    __slots__ = ("estimated_range_meters", "battery_temperature_celsius")
    ESTIMATED_RANGE_METERS_FIELD_NUMBER: _ClassVar[int]
    BATTERY_TEMPERATURE_CELSIUS_FIELD_NUMBER: _ClassVar[int]
    estimated_range_meters: _wrappers_pb2.DoubleValue
    battery_temperature_celsius: _wrappers_pb2.DoubleValue
    def __init__(self, estimated_range_meters: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., battery_temperature_celsius: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ...) -> None: ...

class ElectricVehicleMeasurement(_message.Message):
    __slots__ = ("state_of_charge_percent", "direction", "power_milliwatts", "energy_milliwatt_hours", "performance_metrics")
    STATE_OF_CHARGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    POWER_MILLIWATTS_FIELD_NUMBER: _ClassVar[int]
    ENERGY_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    PERFORMANCE_METRICS_FIELD_NUMBER: _ClassVar[int]
    state_of_charge_percent: int
    direction: _common_pb2.ElectricityFlowDirection
    power_milliwatts: int
    energy_milliwatt_hours: int
    performance_metrics: VehiclePerformanceMetrics
    def __init__(self, state_of_charge_percent: _Optional[int] = ..., direction: _Optional[_Union[_common_pb2.ElectricityFlowDirection, str]] = ..., power_milliwatts: _Optional[int] = ..., energy_milliwatt_hours: _Optional[int] = ..., performance_metrics: _Optional[_Union[VehiclePerformanceMetrics, _Mapping]] = ...) -> None: ...

class HvacMeasurement(_message.Message):
    __slots__ = ("stage_percent",)
    STAGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    stage_percent: int
    def __init__(self, stage_percent: _Optional[int] = ...) -> None: ...

class LoadEvent(_message.Message):
    __slots__ = ("id", "timestamp", "session_id", "session_state", "was_following_guidance", "guidance_token", "device_id", "device", "electric_vehicle", "hvac")
    ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_STATE_FIELD_NUMBER: _ClassVar[int]
    WAS_FOLLOWING_GUIDANCE_FIELD_NUMBER: _ClassVar[int]
    GUIDANCE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ELECTRIC_VEHICLE_FIELD_NUMBER: _ClassVar[int]
    HVAC_FIELD_NUMBER: _ClassVar[int]
    id: str
    timestamp: _timestamp_pb2.Timestamp
    session_id: str
    session_state: SessionState
    was_following_guidance: bool
    guidance_token: str
    device_id: str
    device: ElectricalLoadDevice
    electric_vehicle: ElectricVehicleMeasurement
    hvac: HvacMeasurement
    def __init__(self, id: _Optional[str] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., session_id: _Optional[str] = ..., session_state: _Optional[_Union[SessionState, str]] = ..., was_following_guidance: _Optional[bool] = ..., guidance_token: _Optional[str] = ..., device_id: _Optional[str] = ..., device: _Optional[_Union[ElectricalLoadDevice, _Mapping]] = ..., electric_vehicle: _Optional[_Union[ElectricVehicleMeasurement, _Mapping]] = ..., hvac: _Optional[_Union[HvacMeasurement, _Mapping]] = ...) -> None: ...

class ChargingTarget(_message.Message):
    __slots__ = ("state_of_charge_percent", "estimated_completion_time", "scheduled_start_time", "estimated_range_at_target_meters")
    STATE_OF_CHARGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_COMPLETION_TIME_FIELD_NUMBER: _ClassVar[int]
    SCHEDULED_START_TIME_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_RANGE_AT_TARGET_METERS_FIELD_NUMBER: _ClassVar[int]
    state_of_charge_percent: int
    estimated_completion_time: _timestamp_pb2.Timestamp
    scheduled_start_time: _timestamp_pb2.Timestamp
    estimated_range_at_target_meters: _wrappers_pb2.DoubleValue
    def __init__(self, state_of_charge_percent: _Optional[int] = ..., estimated_completion_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., scheduled_start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., estimated_range_at_target_meters: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ...) -> None: ...

class ElectricVehicleStatusEvent(_message.Message):
    __slots__ = ("id", "timestamp", "device", "charger_plugged_in", "charging_active", "charging_idle", "charger_unplugged", "state_of_charge_percent", "battery_energy_milliwatt_hours", "estimated_range_meters", "charging_target", "session_id")
    class ChargerPluggedIn(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class ChargerUnplugged(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    CHARGER_PLUGGED_IN_FIELD_NUMBER: _ClassVar[int]
    CHARGING_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    CHARGING_IDLE_FIELD_NUMBER: _ClassVar[int]
    CHARGER_UNPLUGGED_FIELD_NUMBER: _ClassVar[int]
    STATE_OF_CHARGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    BATTERY_ENERGY_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_RANGE_METERS_FIELD_NUMBER: _ClassVar[int]
    CHARGING_TARGET_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    timestamp: _timestamp_pb2.Timestamp
    device: ElectricalLoadDevice
    charger_plugged_in: ElectricVehicleStatusEvent.ChargerPluggedIn
    charging_active: ActiveReason
    charging_idle: IdleReason
    charger_unplugged: ElectricVehicleStatusEvent.ChargerUnplugged
    state_of_charge_percent: int
    battery_energy_milliwatt_hours: int
    estimated_range_meters: _wrappers_pb2.DoubleValue
    charging_target: ChargingTarget
    session_id: str
    def __init__(self, id: _Optional[str] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., device: _Optional[_Union[ElectricalLoadDevice, _Mapping]] = ..., charger_plugged_in: _Optional[_Union[ElectricVehicleStatusEvent.ChargerPluggedIn, _Mapping]] = ..., charging_active: _Optional[_Union[ActiveReason, str]] = ..., charging_idle: _Optional[_Union[IdleReason, str]] = ..., charger_unplugged: _Optional[_Union[ElectricVehicleStatusEvent.ChargerUnplugged, _Mapping]] = ..., state_of_charge_percent: _Optional[int] = ..., battery_energy_milliwatt_hours: _Optional[int] = ..., estimated_range_meters: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., charging_target: _Optional[_Union[ChargingTarget, _Mapping]] = ..., session_id: _Optional[str] = ...) -> None: ...

class SubmitLoadEventsRequest(_message.Message):
    __slots__ = ("venue_id", "load_events", "vehicle_status_events", "allow_partial_success")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    LOAD_EVENTS_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_STATUS_EVENTS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PARTIAL_SUCCESS_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    load_events: _containers.RepeatedCompositeFieldContainer[LoadEvent]
    vehicle_status_events: _containers.RepeatedCompositeFieldContainer[ElectricVehicleStatusEvent]
    allow_partial_success: bool
    def __init__(self, venue_id: _Optional[str] = ..., load_events: _Optional[_Iterable[_Union[LoadEvent, _Mapping]]] = ..., vehicle_status_events: _Optional[_Iterable[_Union[ElectricVehicleStatusEvent, _Mapping]]] = ..., allow_partial_success: _Optional[bool] = ...) -> None: ...

class RejectedEvent(_message.Message):
    __slots__ = ("field", "reason", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    reason: str
    description: str
    def __init__(self, field: _Optional[str] = ..., reason: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class SubmitLoadEventsResponse(_message.Message):
    __slots__ = ("stored_count", "duplicate_count", "rejected_count", "rejected")
    STORED_COUNT_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    stored_count: int
    duplicate_count: int
    rejected_count: int
    rejected: _containers.RepeatedCompositeFieldContainer[RejectedEvent]
    def __init__(self, stored_count: _Optional[int] = ..., duplicate_count: _Optional[int] = ..., rejected_count: _Optional[int] = ..., rejected: _Optional[_Iterable[_Union[RejectedEvent, _Mapping]]] = ...) -> None: ...

class StreamLoadEventsRequest(_message.Message):
    __slots__ = ("sequence", "venue_id", "load_events", "vehicle_status_events", "allow_partial_success")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    LOAD_EVENTS_FIELD_NUMBER: _ClassVar[int]
    VEHICLE_STATUS_EVENTS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_PARTIAL_SUCCESS_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    venue_id: str
    load_events: _containers.RepeatedCompositeFieldContainer[LoadEvent]
    vehicle_status_events: _containers.RepeatedCompositeFieldContainer[ElectricVehicleStatusEvent]
    allow_partial_success: bool
    def __init__(self, sequence: _Optional[int] = ..., venue_id: _Optional[str] = ..., load_events: _Optional[_Iterable[_Union[LoadEvent, _Mapping]]] = ..., vehicle_status_events: _Optional[_Iterable[_Union[ElectricVehicleStatusEvent, _Mapping]]] = ..., allow_partial_success: _Optional[bool] = ...) -> None: ...

class StreamLoadEventsResponse(_message.Message):
    __slots__ = ("sequence", "accepted", "refused")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    accepted: SubmitLoadEventsResponse
    refused: BatchError
    def __init__(self, sequence: _Optional[int] = ..., accepted: _Optional[_Union[SubmitLoadEventsResponse, _Mapping]] = ..., refused: _Optional[_Union[BatchError, _Mapping]] = ...) -> None: ...

class BatchError(_message.Message):
    __slots__ = ("code", "reason", "message", "retry_delay", "rejected", "rejected_count", "server_time")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    SERVER_TIME_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    message: str
    retry_delay: _duration_pb2.Duration
    rejected: _containers.RepeatedCompositeFieldContainer[RejectedEvent]
    rejected_count: int
    server_time: _timestamp_pb2.Timestamp
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., retry_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., rejected: _Optional[_Iterable[_Union[RejectedEvent, _Mapping]]] = ..., rejected_count: _Optional[int] = ..., server_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
