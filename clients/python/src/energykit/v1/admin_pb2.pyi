import datetime

from energykit.v1 import common_pb2 as _common_pb2
from energykit.v1 import venue_pb2 as _venue_pb2
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

class Entitlement(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTITLEMENT_UNSPECIFIED: _ClassVar[Entitlement]
    ENTITLEMENT_ENERGYKIT: _ClassVar[Entitlement]
    ENTITLEMENT_LOAD_EVENTS_EXPERIENCE: _ClassVar[Entitlement]

class VenueAccess(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VENUE_ACCESS_UNSPECIFIED: _ClassVar[VenueAccess]
    VENUE_ACCESS_NONE: _ClassVar[VenueAccess]
    VENUE_ACCESS_GRANTED: _ClassVar[VenueAccess]
    VENUE_ACCESS_DENIED: _ClassVar[VenueAccess]
    VENUE_ACCESS_RESTRICTED: _ClassVar[VenueAccess]

class TariffPeak(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TARIFF_PEAK_UNSPECIFIED: _ClassVar[TariffPeak]
    TARIFF_PEAK_SUPER_OFF_PEAK: _ClassVar[TariffPeak]
    TARIFF_PEAK_OFF_PEAK: _ClassVar[TariffPeak]
    TARIFF_PEAK_PARTIAL_PEAK: _ClassVar[TariffPeak]
    TARIFF_PEAK_ON_PEAK: _ClassVar[TariffPeak]
    TARIFF_PEAK_CRITICAL_PEAK: _ClassVar[TariffPeak]

class GridEventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GRID_EVENT_KIND_UNSPECIFIED: _ClassVar[GridEventKind]
    GRID_EVENT_KIND_CRITICAL_PEAK: _ClassVar[GridEventKind]
    GRID_EVENT_KIND_FLEX_ALERT: _ClassVar[GridEventKind]
    GRID_EVENT_KIND_EMERGENCY: _ClassVar[GridEventKind]
ENTITLEMENT_UNSPECIFIED: Entitlement
ENTITLEMENT_ENERGYKIT: Entitlement
ENTITLEMENT_LOAD_EVENTS_EXPERIENCE: Entitlement
VENUE_ACCESS_UNSPECIFIED: VenueAccess
VENUE_ACCESS_NONE: VenueAccess
VENUE_ACCESS_GRANTED: VenueAccess
VENUE_ACCESS_DENIED: VenueAccess
VENUE_ACCESS_RESTRICTED: VenueAccess
TARIFF_PEAK_UNSPECIFIED: TariffPeak
TARIFF_PEAK_SUPER_OFF_PEAK: TariffPeak
TARIFF_PEAK_OFF_PEAK: TariffPeak
TARIFF_PEAK_PARTIAL_PEAK: TariffPeak
TARIFF_PEAK_ON_PEAK: TariffPeak
TARIFF_PEAK_CRITICAL_PEAK: TariffPeak
GRID_EVENT_KIND_UNSPECIFIED: GridEventKind
GRID_EVENT_KIND_CRITICAL_PEAK: GridEventKind
GRID_EVENT_KIND_FLEX_ALERT: GridEventKind
GRID_EVENT_KIND_EMERGENCY: GridEventKind

class Client(_message.Message):
    __slots__ = ("id", "name", "entitlements", "create_time", "disabled")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENTITLEMENTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    entitlements: _containers.RepeatedScalarFieldContainer[Entitlement]
    create_time: _timestamp_pb2.Timestamp
    disabled: bool
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., entitlements: _Optional[_Iterable[_Union[Entitlement, str]]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., disabled: _Optional[bool] = ...) -> None: ...

class CreateClientRequest(_message.Message):
    __slots__ = ("client_id", "name", "entitlements")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ENTITLEMENTS_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    name: str
    entitlements: _containers.RepeatedScalarFieldContainer[Entitlement]
    def __init__(self, client_id: _Optional[str] = ..., name: _Optional[str] = ..., entitlements: _Optional[_Iterable[_Union[Entitlement, str]]] = ...) -> None: ...

class CreateClientResponse(_message.Message):
    __slots__ = ("client", "api_key")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    API_KEY_FIELD_NUMBER: _ClassVar[int]
    client: Client
    api_key: str
    def __init__(self, client: _Optional[_Union[Client, _Mapping]] = ..., api_key: _Optional[str] = ...) -> None: ...

class GetClientRequest(_message.Message):
    __slots__ = ("client_id",)
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    def __init__(self, client_id: _Optional[str] = ...) -> None: ...

class GetClientResponse(_message.Message):
    __slots__ = ("client",)
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    client: Client
    def __init__(self, client: _Optional[_Union[Client, _Mapping]] = ...) -> None: ...

class ListClientsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListClientsResponse(_message.Message):
    __slots__ = ("clients", "next_page_token")
    CLIENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    clients: _containers.RepeatedCompositeFieldContainer[Client]
    next_page_token: str
    def __init__(self, clients: _Optional[_Iterable[_Union[Client, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateClientRequest(_message.Message):
    __slots__ = ("client_id", "name", "replace_entitlements", "entitlements", "disabled")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REPLACE_ENTITLEMENTS_FIELD_NUMBER: _ClassVar[int]
    ENTITLEMENTS_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    name: _wrappers_pb2.StringValue
    replace_entitlements: bool
    entitlements: _containers.RepeatedScalarFieldContainer[Entitlement]
    disabled: _wrappers_pb2.BoolValue
    def __init__(self, client_id: _Optional[str] = ..., name: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., replace_entitlements: _Optional[bool] = ..., entitlements: _Optional[_Iterable[_Union[Entitlement, str]]] = ..., disabled: _Optional[_Union[_wrappers_pb2.BoolValue, _Mapping]] = ...) -> None: ...

class UpdateClientResponse(_message.Message):
    __slots__ = ("client",)
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    client: Client
    def __init__(self, client: _Optional[_Union[Client, _Mapping]] = ...) -> None: ...

class DeleteClientRequest(_message.Message):
    __slots__ = ("client_id",)
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    def __init__(self, client_id: _Optional[str] = ...) -> None: ...

class DeleteClientResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RotateClientKeyRequest(_message.Message):
    __slots__ = ("client_id", "overlap")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    overlap: _duration_pb2.Duration
    def __init__(self, client_id: _Optional[str] = ..., overlap: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RotateClientKeyResponse(_message.Message):
    __slots__ = ("api_key",)
    API_KEY_FIELD_NUMBER: _ClassVar[int]
    api_key: str
    def __init__(self, api_key: _Optional[str] = ...) -> None: ...

class GeoPoint(_message.Message):
    __slots__ = ("latitude", "longitude")
    LATITUDE_FIELD_NUMBER: _ClassVar[int]
    LONGITUDE_FIELD_NUMBER: _ClassVar[int]
    latitude: float
    longitude: float
    def __init__(self, latitude: _Optional[float] = ..., longitude: _Optional[float] = ...) -> None: ...

class VenueSettings(_message.Message):
    __slots__ = ("venue", "location", "region_supported", "location_services_denied", "incorporate_rate_plan", "rate_plan_id", "create_time")
    VENUE_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    REGION_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    LOCATION_SERVICES_DENIED_FIELD_NUMBER: _ClassVar[int]
    INCORPORATE_RATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    RATE_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    venue: _venue_pb2.EnergyVenue
    location: GeoPoint
    region_supported: bool
    location_services_denied: bool
    incorporate_rate_plan: bool
    rate_plan_id: str
    create_time: _timestamp_pb2.Timestamp
    def __init__(self, venue: _Optional[_Union[_venue_pb2.EnergyVenue, _Mapping]] = ..., location: _Optional[_Union[GeoPoint, _Mapping]] = ..., region_supported: _Optional[bool] = ..., location_services_denied: _Optional[bool] = ..., incorporate_rate_plan: _Optional[bool] = ..., rate_plan_id: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateVenueRequest(_message.Message):
    __slots__ = ("venue_id", "name", "home_id", "location", "time_zone", "grid_region", "location_services_denied")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOME_ID_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    LOCATION_SERVICES_DENIED_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    name: str
    home_id: str
    location: GeoPoint
    time_zone: str
    grid_region: str
    location_services_denied: bool
    def __init__(self, venue_id: _Optional[str] = ..., name: _Optional[str] = ..., home_id: _Optional[str] = ..., location: _Optional[_Union[GeoPoint, _Mapping]] = ..., time_zone: _Optional[str] = ..., grid_region: _Optional[str] = ..., location_services_denied: _Optional[bool] = ...) -> None: ...

class CreateVenueResponse(_message.Message):
    __slots__ = ("settings",)
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    settings: VenueSettings
    def __init__(self, settings: _Optional[_Union[VenueSettings, _Mapping]] = ...) -> None: ...

class GetVenueSettingsRequest(_message.Message):
    __slots__ = ("venue_id",)
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    def __init__(self, venue_id: _Optional[str] = ...) -> None: ...

class GetVenueSettingsResponse(_message.Message):
    __slots__ = ("settings",)
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    settings: VenueSettings
    def __init__(self, settings: _Optional[_Union[VenueSettings, _Mapping]] = ...) -> None: ...

class ListVenueSettingsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListVenueSettingsResponse(_message.Message):
    __slots__ = ("settings", "next_page_token")
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    settings: _containers.RepeatedCompositeFieldContainer[VenueSettings]
    next_page_token: str
    def __init__(self, settings: _Optional[_Iterable[_Union[VenueSettings, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateVenueRequest(_message.Message):
    __slots__ = ("venue_id", "name", "home_id", "location", "time_zone", "grid_region", "location_services_denied", "incorporate_rate_plan", "rate_plan_id")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOME_ID_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    LOCATION_SERVICES_DENIED_FIELD_NUMBER: _ClassVar[int]
    INCORPORATE_RATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    RATE_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    name: _wrappers_pb2.StringValue
    home_id: _wrappers_pb2.StringValue
    location: GeoPoint
    time_zone: _wrappers_pb2.StringValue
    grid_region: _wrappers_pb2.StringValue
    location_services_denied: _wrappers_pb2.BoolValue
    incorporate_rate_plan: _wrappers_pb2.BoolValue
    rate_plan_id: _wrappers_pb2.StringValue
    def __init__(self, venue_id: _Optional[str] = ..., name: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., home_id: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., location: _Optional[_Union[GeoPoint, _Mapping]] = ..., time_zone: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., grid_region: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., location_services_denied: _Optional[_Union[_wrappers_pb2.BoolValue, _Mapping]] = ..., incorporate_rate_plan: _Optional[_Union[_wrappers_pb2.BoolValue, _Mapping]] = ..., rate_plan_id: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ...) -> None: ...

class UpdateVenueResponse(_message.Message):
    __slots__ = ("settings",)
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    settings: VenueSettings
    def __init__(self, settings: _Optional[_Union[VenueSettings, _Mapping]] = ...) -> None: ...

class DeleteVenueRequest(_message.Message):
    __slots__ = ("venue_id",)
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    def __init__(self, venue_id: _Optional[str] = ...) -> None: ...

class DeleteVenueResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DeleteDeviceRequest(_message.Message):
    __slots__ = ("venue_id", "client_id", "device_id")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    client_id: str
    device_id: str
    def __init__(self, venue_id: _Optional[str] = ..., client_id: _Optional[str] = ..., device_id: _Optional[str] = ...) -> None: ...

class DeleteDeviceResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VenueAccessEntry(_message.Message):
    __slots__ = ("venue_id", "client_id", "access")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    client_id: str
    access: VenueAccess
    def __init__(self, venue_id: _Optional[str] = ..., client_id: _Optional[str] = ..., access: _Optional[_Union[VenueAccess, str]] = ...) -> None: ...

class SetVenueAccessRequest(_message.Message):
    __slots__ = ("venue_id", "client_id", "access")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    client_id: str
    access: VenueAccess
    def __init__(self, venue_id: _Optional[str] = ..., client_id: _Optional[str] = ..., access: _Optional[_Union[VenueAccess, str]] = ...) -> None: ...

class SetVenueAccessResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListVenueAccessRequest(_message.Message):
    __slots__ = ("venue_id", "client_id", "page_size", "page_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    client_id: str
    page_size: int
    page_token: str
    def __init__(self, venue_id: _Optional[str] = ..., client_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListVenueAccessResponse(_message.Message):
    __slots__ = ("entries", "next_page_token")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[VenueAccessEntry]
    next_page_token: str
    def __init__(self, entries: _Optional[_Iterable[_Union[VenueAccessEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PeriodLabel(_message.Message):
    __slots__ = ("period", "peak")
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    PEAK_FIELD_NUMBER: _ClassVar[int]
    period: int
    peak: TariffPeak
    def __init__(self, period: _Optional[int] = ..., peak: _Optional[_Union[TariffPeak, str]] = ...) -> None: ...

class RatePlan(_message.Message):
    __slots__ = ("id", "name", "utility", "indexed", "start_time", "end_time")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UTILITY_FIELD_NUMBER: _ClassVar[int]
    INDEXED_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    utility: str
    indexed: bool
    start_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., utility: _Optional[str] = ..., indexed: _Optional[bool] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateRatePlanRequest(_message.Message):
    __slots__ = ("rate_plan_id", "urdb_json", "indexed_to_region_price", "labels")
    RATE_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    URDB_JSON_FIELD_NUMBER: _ClassVar[int]
    INDEXED_TO_REGION_PRICE_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    rate_plan_id: str
    urdb_json: str
    indexed_to_region_price: bool
    labels: _containers.RepeatedCompositeFieldContainer[PeriodLabel]
    def __init__(self, rate_plan_id: _Optional[str] = ..., urdb_json: _Optional[str] = ..., indexed_to_region_price: _Optional[bool] = ..., labels: _Optional[_Iterable[_Union[PeriodLabel, _Mapping]]] = ...) -> None: ...

class CreateRatePlanResponse(_message.Message):
    __slots__ = ("rate_plan", "warnings")
    RATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    rate_plan: RatePlan
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, rate_plan: _Optional[_Union[RatePlan, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class ListRatePlansRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRatePlansResponse(_message.Message):
    __slots__ = ("rate_plans", "next_page_token")
    RATE_PLANS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rate_plans: _containers.RepeatedCompositeFieldContainer[RatePlan]
    next_page_token: str
    def __init__(self, rate_plans: _Optional[_Iterable[_Union[RatePlan, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeleteRatePlanRequest(_message.Message):
    __slots__ = ("rate_plan_id",)
    RATE_PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    rate_plan_id: str
    def __init__(self, rate_plan_id: _Optional[str] = ...) -> None: ...

class DeleteRatePlanResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SignalPoint(_message.Message):
    __slots__ = ("start", "value", "estimated")
    START_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_FIELD_NUMBER: _ClassVar[int]
    start: _timestamp_pb2.Timestamp
    value: float
    estimated: bool
    def __init__(self, start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., value: _Optional[float] = ..., estimated: _Optional[bool] = ...) -> None: ...

class PublishGridSignalRequest(_message.Message):
    __slots__ = ("grid_region", "kind", "model", "measured", "issue_time", "step_seconds", "points")
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    ISSUE_TIME_FIELD_NUMBER: _ClassVar[int]
    STEP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    grid_region: str
    kind: _common_pb2.SignalKind
    model: str
    measured: bool
    issue_time: _timestamp_pb2.Timestamp
    step_seconds: int
    points: _containers.RepeatedCompositeFieldContainer[SignalPoint]
    def __init__(self, grid_region: _Optional[str] = ..., kind: _Optional[_Union[_common_pb2.SignalKind, str]] = ..., model: _Optional[str] = ..., measured: _Optional[bool] = ..., issue_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., step_seconds: _Optional[int] = ..., points: _Optional[_Iterable[_Union[SignalPoint, _Mapping]]] = ...) -> None: ...

class PublishGridSignalResponse(_message.Message):
    __slots__ = ("stored_count", "guidance_changed", "subscribers_notified")
    STORED_COUNT_FIELD_NUMBER: _ClassVar[int]
    GUIDANCE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBERS_NOTIFIED_FIELD_NUMBER: _ClassVar[int]
    stored_count: int
    guidance_changed: bool
    subscribers_notified: int
    def __init__(self, stored_count: _Optional[int] = ..., guidance_changed: _Optional[bool] = ..., subscribers_notified: _Optional[int] = ...) -> None: ...

class GridEvent(_message.Message):
    __slots__ = ("id", "grid_region", "kind", "interval", "cancelled")
    ID_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    id: str
    grid_region: str
    kind: GridEventKind
    interval: _common_pb2.TimeInterval
    cancelled: bool
    def __init__(self, id: _Optional[str] = ..., grid_region: _Optional[str] = ..., kind: _Optional[_Union[GridEventKind, str]] = ..., interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., cancelled: _Optional[bool] = ...) -> None: ...

class PublishGridEventRequest(_message.Message):
    __slots__ = ("event_id", "grid_region", "kind", "interval", "cancelled")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    grid_region: str
    kind: GridEventKind
    interval: _common_pb2.TimeInterval
    cancelled: bool
    def __init__(self, event_id: _Optional[str] = ..., grid_region: _Optional[str] = ..., kind: _Optional[_Union[GridEventKind, str]] = ..., interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., cancelled: _Optional[bool] = ...) -> None: ...

class PublishGridEventResponse(_message.Message):
    __slots__ = ("guidance_changed",)
    GUIDANCE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    guidance_changed: bool
    def __init__(self, guidance_changed: _Optional[bool] = ...) -> None: ...

class ListGridEventsRequest(_message.Message):
    __slots__ = ("grid_region", "page_size", "page_token")
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    grid_region: str
    page_size: int
    page_token: str
    def __init__(self, grid_region: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListGridEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[GridEvent]
    next_page_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[GridEvent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GridRegion(_message.Message):
    __slots__ = ("code", "name", "latest_issue_time", "guidance_interval", "quality")
    CODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LATEST_ISSUE_TIME_FIELD_NUMBER: _ClassVar[int]
    GUIDANCE_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    code: str
    name: str
    latest_issue_time: _timestamp_pb2.Timestamp
    guidance_interval: _common_pb2.TimeInterval
    quality: _common_pb2.DataQuality
    def __init__(self, code: _Optional[str] = ..., name: _Optional[str] = ..., latest_issue_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., guidance_interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., quality: _Optional[_Union[_common_pb2.DataQuality, str]] = ...) -> None: ...

class ListGridRegionsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGridRegionsResponse(_message.Message):
    __slots__ = ("regions",)
    REGIONS_FIELD_NUMBER: _ClassVar[int]
    regions: _containers.RepeatedCompositeFieldContainer[GridRegion]
    def __init__(self, regions: _Optional[_Iterable[_Union[GridRegion, _Mapping]]] = ...) -> None: ...

class ResolveGridRegionRequest(_message.Message):
    __slots__ = ("location", "postal_code")
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    POSTAL_CODE_FIELD_NUMBER: _ClassVar[int]
    location: GeoPoint
    postal_code: str
    def __init__(self, location: _Optional[_Union[GeoPoint, _Mapping]] = ..., postal_code: _Optional[str] = ...) -> None: ...

class ResolveGridRegionResponse(_message.Message):
    __slots__ = ("region_supported", "grid_region", "time_zone", "basis")
    REGION_SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    BASIS_FIELD_NUMBER: _ClassVar[int]
    region_supported: bool
    grid_region: str
    time_zone: str
    basis: str
    def __init__(self, region_supported: _Optional[bool] = ..., grid_region: _Optional[str] = ..., time_zone: _Optional[str] = ..., basis: _Optional[str] = ...) -> None: ...
