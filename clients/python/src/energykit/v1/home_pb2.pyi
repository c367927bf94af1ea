import datetime

from energykit.v1 import common_pb2 as _common_pb2
from energykit.v1 import load_event_pb2 as _load_event_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import wrappers_pb2 as _wrappers_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActivityKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTIVITY_KIND_UNSPECIFIED: _ClassVar[ActivityKind]
    ACTIVITY_KIND_SESSION_BEGAN: _ClassVar[ActivityKind]
    ACTIVITY_KIND_SESSION_ENDED: _ClassVar[ActivityKind]
    ACTIVITY_KIND_CHARGER_PLUGGED_IN: _ClassVar[ActivityKind]
    ACTIVITY_KIND_CHARGING_ACTIVE: _ClassVar[ActivityKind]
    ACTIVITY_KIND_CHARGING_IDLE: _ClassVar[ActivityKind]
    ACTIVITY_KIND_CHARGER_UNPLUGGED: _ClassVar[ActivityKind]

class TrendKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TREND_KIND_UNSPECIFIED: _ClassVar[TrendKind]
    TREND_KIND_ENERGY_UP: _ClassVar[TrendKind]
    TREND_KIND_ENERGY_DOWN: _ClassVar[TrendKind]
    TREND_KIND_CLEANER_SHARE_UP: _ClassVar[TrendKind]
    TREND_KIND_CLEANER_SHARE_DOWN: _ClassVar[TrendKind]
    TREND_KIND_ADHERENCE_UP: _ClassVar[TrendKind]
    TREND_KIND_ADHERENCE_DOWN: _ClassVar[TrendKind]
ACTIVITY_KIND_UNSPECIFIED: ActivityKind
ACTIVITY_KIND_SESSION_BEGAN: ActivityKind
ACTIVITY_KIND_SESSION_ENDED: ActivityKind
ACTIVITY_KIND_CHARGER_PLUGGED_IN: ActivityKind
ACTIVITY_KIND_CHARGING_ACTIVE: ActivityKind
ACTIVITY_KIND_CHARGING_IDLE: ActivityKind
ACTIVITY_KIND_CHARGER_UNPLUGGED: ActivityKind
TREND_KIND_UNSPECIFIED: TrendKind
TREND_KIND_ENERGY_UP: TrendKind
TREND_KIND_ENERGY_DOWN: TrendKind
TREND_KIND_CLEANER_SHARE_UP: TrendKind
TREND_KIND_CLEANER_SHARE_DOWN: TrendKind
TREND_KIND_ADHERENCE_UP: TrendKind
TREND_KIND_ADHERENCE_DOWN: TrendKind

class DeviceSummary(_message.Message):
    __slots__ = ("device", "first_event_time", "last_event_time", "session_open", "session_count", "imported_milliwatt_hours", "exported_milliwatt_hours", "guidance_adherence", "client_id", "client_name")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    FIRST_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_TIME_FIELD_NUMBER: _ClassVar[int]
    SESSION_OPEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_COUNT_FIELD_NUMBER: _ClassVar[int]
    IMPORTED_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    EXPORTED_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    GUIDANCE_ADHERENCE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_NAME_FIELD_NUMBER: _ClassVar[int]
    device: _load_event_pb2.ElectricalLoadDevice
    first_event_time: _timestamp_pb2.Timestamp
    last_event_time: _timestamp_pb2.Timestamp
    session_open: bool
    session_count: int
    imported_milliwatt_hours: int
    exported_milliwatt_hours: int
    guidance_adherence: _wrappers_pb2.DoubleValue
    client_id: str
    client_name: str
    def __init__(self, device: _Optional[_Union[_load_event_pb2.ElectricalLoadDevice, _Mapping]] = ..., first_event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_event_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., session_open: _Optional[bool] = ..., session_count: _Optional[int] = ..., imported_milliwatt_hours: _Optional[int] = ..., exported_milliwatt_hours: _Optional[int] = ..., guidance_adherence: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., client_id: _Optional[str] = ..., client_name: _Optional[str] = ...) -> None: ...

class ListDevicesRequest(_message.Message):
    __slots__ = ("venue_id", "page_size", "page_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    page_size: int
    page_token: str
    def __init__(self, venue_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDevicesResponse(_message.Message):
    __slots__ = ("devices", "next_page_token")
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    devices: _containers.RepeatedCompositeFieldContainer[DeviceSummary]
    next_page_token: str
    def __init__(self, devices: _Optional[_Iterable[_Union[DeviceSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ActivityEntry(_message.Message):
    __slots__ = ("id", "timestamp", "kind", "device_id", "device_name", "session_id", "active_reason", "idle_reason", "state_of_charge_percent", "session_energy_milliwatt_hours", "was_following_guidance", "client_id", "client_name")
    ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_REASON_FIELD_NUMBER: _ClassVar[int]
    IDLE_REASON_FIELD_NUMBER: _ClassVar[int]
    STATE_OF_CHARGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    SESSION_ENERGY_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    WAS_FOLLOWING_GUIDANCE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    timestamp: _timestamp_pb2.Timestamp
    kind: ActivityKind
    device_id: str
    device_name: str
    session_id: str
    active_reason: _load_event_pb2.ActiveReason
    idle_reason: _load_event_pb2.IdleReason
    state_of_charge_percent: _wrappers_pb2.Int32Value
    session_energy_milliwatt_hours: _wrappers_pb2.Int64Value
    was_following_guidance: _wrappers_pb2.BoolValue
    client_id: str
    client_name: str
    def __init__(self, id: _Optional[str] = ..., timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[ActivityKind, str]] = ..., device_id: _Optional[str] = ..., device_name: _Optional[str] = ..., session_id: _Optional[str] = ..., active_reason: _Optional[_Union[_load_event_pb2.ActiveReason, str]] = ..., idle_reason: _Optional[_Union[_load_event_pb2.IdleReason, str]] = ..., state_of_charge_percent: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., session_energy_milliwatt_hours: _Optional[_Union[_wrappers_pb2.Int64Value, _Mapping]] = ..., was_following_guidance: _Optional[_Union[_wrappers_pb2.BoolValue, _Mapping]] = ..., client_id: _Optional[str] = ..., client_name: _Optional[str] = ...) -> None: ...

class ListActivityRequest(_message.Message):
    __slots__ = ("venue_id", "device_id", "range", "page_size", "page_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    device_id: str
    range: _common_pb2.TimeInterval
    page_size: int
    page_token: str
    def __init__(self, venue_id: _Optional[str] = ..., device_id: _Optional[str] = ..., range: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListActivityResponse(_message.Message):
    __slots__ = ("entries", "next_page_token")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[ActivityEntry]
    next_page_token: str
    def __init__(self, entries: _Optional[_Iterable[_Union[ActivityEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class TrendNotification(_message.Message):
    __slots__ = ("id", "client_id", "device_id", "device_name", "kind", "period", "previous", "current")
    ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    id: str
    client_id: str
    device_id: str
    device_name: str
    kind: TrendKind
    period: _common_pb2.TimeInterval
    previous: float
    current: float
    def __init__(self, id: _Optional[str] = ..., client_id: _Optional[str] = ..., device_id: _Optional[str] = ..., device_name: _Optional[str] = ..., kind: _Optional[_Union[TrendKind, str]] = ..., period: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., previous: _Optional[float] = ..., current: _Optional[float] = ...) -> None: ...

class ListTrendsRequest(_message.Message):
    __slots__ = ("venue_id", "page_size", "page_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    page_size: int
    page_token: str
    def __init__(self, venue_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTrendsResponse(_message.Message):
    __slots__ = ("trends", "next_page_token")
    TRENDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    trends: _containers.RepeatedCompositeFieldContainer[TrendNotification]
    next_page_token: str
    def __init__(self, trends: _Optional[_Iterable[_Union[TrendNotification, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class StreamTrendsRequest(_message.Message):
    __slots__ = ("venue_id",)
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    def __init__(self, venue_id: _Optional[str] = ...) -> None: ...

class StreamTrendsResponse(_message.Message):
    __slots__ = ("trend",)
    TREND_FIELD_NUMBER: _ClassVar[int]
    trend: TrendNotification
    def __init__(self, trend: _Optional[_Union[TrendNotification, _Mapping]] = ...) -> None: ...
