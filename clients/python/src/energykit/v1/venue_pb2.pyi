from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EnergyVenue(_message.Message):
    __slots__ = ("id", "name", "home_id", "time_zone", "grid_region", "has_rate_plan")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOME_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    HAS_RATE_PLAN_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    home_id: str
    time_zone: str
    grid_region: str
    has_rate_plan: bool
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., home_id: _Optional[str] = ..., time_zone: _Optional[str] = ..., grid_region: _Optional[str] = ..., has_rate_plan: _Optional[bool] = ...) -> None: ...

class ListVenuesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListVenuesResponse(_message.Message):
    __slots__ = ("venues", "next_page_token")
    VENUES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venues: _containers.RepeatedCompositeFieldContainer[EnergyVenue]
    next_page_token: str
    def __init__(self, venues: _Optional[_Iterable[_Union[EnergyVenue, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetVenueRequest(_message.Message):
    __slots__ = ("venue_id", "home_id")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    HOME_ID_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    home_id: str
    def __init__(self, venue_id: _Optional[str] = ..., home_id: _Optional[str] = ...) -> None: ...

class GetVenueResponse(_message.Message):
    __slots__ = ("venue",)
    VENUE_FIELD_NUMBER: _ClassVar[int]
    venue: EnergyVenue
    def __init__(self, venue: _Optional[_Union[EnergyVenue, _Mapping]] = ...) -> None: ...
