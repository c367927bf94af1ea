import datetime

from energykit.v1 import common_pb2 as _common_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InsightGranularity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INSIGHT_GRANULARITY_UNSPECIFIED: _ClassVar[InsightGranularity]
    INSIGHT_GRANULARITY_HOURLY: _ClassVar[InsightGranularity]
    INSIGHT_GRANULARITY_DAILY: _ClassVar[InsightGranularity]
    INSIGHT_GRANULARITY_WEEKLY: _ClassVar[InsightGranularity]
    INSIGHT_GRANULARITY_MONTHLY: _ClassVar[InsightGranularity]
    INSIGHT_GRANULARITY_YEARLY: _ClassVar[InsightGranularity]

class InsightOption(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INSIGHT_OPTION_UNSPECIFIED: _ClassVar[InsightOption]
    INSIGHT_OPTION_CLEANLINESS: _ClassVar[InsightOption]
    INSIGHT_OPTION_TARIFF: _ClassVar[InsightOption]
INSIGHT_GRANULARITY_UNSPECIFIED: InsightGranularity
INSIGHT_GRANULARITY_HOURLY: InsightGranularity
INSIGHT_GRANULARITY_DAILY: InsightGranularity
INSIGHT_GRANULARITY_WEEKLY: InsightGranularity
INSIGHT_GRANULARITY_MONTHLY: InsightGranularity
INSIGHT_GRANULARITY_YEARLY: InsightGranularity
INSIGHT_OPTION_UNSPECIFIED: InsightOption
INSIGHT_OPTION_CLEANLINESS: InsightOption
INSIGHT_OPTION_TARIFF: InsightOption

class EnergyByGridCleanliness(_message.Message):
    __slots__ = ("cleaner_milliwatt_hours", "less_clean_milliwatt_hours", "avoid_milliwatt_hours", "unknown_milliwatt_hours")
    CLEANER_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    LESS_CLEAN_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    AVOID_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    cleaner_milliwatt_hours: int
    less_clean_milliwatt_hours: int
    avoid_milliwatt_hours: int
    unknown_milliwatt_hours: int
    def __init__(self, cleaner_milliwatt_hours: _Optional[int] = ..., less_clean_milliwatt_hours: _Optional[int] = ..., avoid_milliwatt_hours: _Optional[int] = ..., unknown_milliwatt_hours: _Optional[int] = ...) -> None: ...

class EnergyByTariffPeak(_message.Message):
    __slots__ = ("super_off_peak_milliwatt_hours", "off_peak_milliwatt_hours", "partial_peak_milliwatt_hours", "on_peak_milliwatt_hours", "critical_peak_milliwatt_hours", "unknown_milliwatt_hours")
    SUPER_OFF_PEAK_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    OFF_PEAK_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_PEAK_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    ON_PEAK_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    CRITICAL_PEAK_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    super_off_peak_milliwatt_hours: int
    off_peak_milliwatt_hours: int
    partial_peak_milliwatt_hours: int
    on_peak_milliwatt_hours: int
    critical_peak_milliwatt_hours: int
    unknown_milliwatt_hours: int
    def __init__(self, super_off_peak_milliwatt_hours: _Optional[int] = ..., off_peak_milliwatt_hours: _Optional[int] = ..., partial_peak_milliwatt_hours: _Optional[int] = ..., on_peak_milliwatt_hours: _Optional[int] = ..., critical_peak_milliwatt_hours: _Optional[int] = ..., unknown_milliwatt_hours: _Optional[int] = ...) -> None: ...

class EnergyInsightRecord(_message.Message):
    __slots__ = ("range", "total_milliwatt_hours", "by_grid_cleanliness", "by_tariff_peak")
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MILLIWATT_HOURS_FIELD_NUMBER: _ClassVar[int]
    BY_GRID_CLEANLINESS_FIELD_NUMBER: _ClassVar[int]
    BY_TARIFF_PEAK_FIELD_NUMBER: _ClassVar[int]
    range: _common_pb2.TimeInterval
    total_milliwatt_hours: int
    by_grid_cleanliness: EnergyByGridCleanliness
    by_tariff_peak: EnergyByTariffPeak
    def __init__(self, range: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., total_milliwatt_hours: _Optional[int] = ..., by_grid_cleanliness: _Optional[_Union[EnergyByGridCleanliness, _Mapping]] = ..., by_tariff_peak: _Optional[_Union[EnergyByTariffPeak, _Mapping]] = ...) -> None: ...

class RuntimeByGridCleanliness(_message.Message):
    __slots__ = ("cleaner", "less_clean", "avoid", "unknown")
    CLEANER_FIELD_NUMBER: _ClassVar[int]
    LESS_CLEAN_FIELD_NUMBER: _ClassVar[int]
    AVOID_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    cleaner: _duration_pb2.Duration
    less_clean: _duration_pb2.Duration
    avoid: _duration_pb2.Duration
    unknown: _duration_pb2.Duration
    def __init__(self, cleaner: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., less_clean: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., avoid: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., unknown: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RuntimeByTariffPeak(_message.Message):
    __slots__ = ("super_off_peak", "off_peak", "partial_peak", "on_peak", "critical_peak", "unknown")
    SUPER_OFF_PEAK_FIELD_NUMBER: _ClassVar[int]
    OFF_PEAK_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_PEAK_FIELD_NUMBER: _ClassVar[int]
    ON_PEAK_FIELD_NUMBER: _ClassVar[int]
    CRITICAL_PEAK_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    super_off_peak: _duration_pb2.Duration
    off_peak: _duration_pb2.Duration
    partial_peak: _duration_pb2.Duration
    on_peak: _duration_pb2.Duration
    critical_peak: _duration_pb2.Duration
    unknown: _duration_pb2.Duration
    def __init__(self, super_off_peak: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., off_peak: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., partial_peak: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., on_peak: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., critical_peak: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., unknown: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RuntimeInsightRecord(_message.Message):
    __slots__ = ("range", "total", "by_grid_cleanliness", "by_tariff_peak")
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    BY_GRID_CLEANLINESS_FIELD_NUMBER: _ClassVar[int]
    BY_TARIFF_PEAK_FIELD_NUMBER: _ClassVar[int]
    range: _common_pb2.TimeInterval
    total: _duration_pb2.Duration
    by_grid_cleanliness: RuntimeByGridCleanliness
    by_tariff_peak: RuntimeByTariffPeak
    def __init__(self, range: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., total: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., by_grid_cleanliness: _Optional[_Union[RuntimeByGridCleanliness, _Mapping]] = ..., by_tariff_peak: _Optional[_Union[RuntimeByTariffPeak, _Mapping]] = ...) -> None: ...

class StreamEnergyInsightsRequest(_message.Message):
    __slots__ = ("venue_id", "device_id", "range", "granularity", "options", "flow_direction")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    GRANULARITY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FLOW_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    device_id: str
    range: _common_pb2.TimeInterval
    granularity: InsightGranularity
    options: _containers.RepeatedScalarFieldContainer[InsightOption]
    flow_direction: _common_pb2.ElectricityFlowDirection
    def __init__(self, venue_id: _Optional[str] = ..., device_id: _Optional[str] = ..., range: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., granularity: _Optional[_Union[InsightGranularity, str]] = ..., options: _Optional[_Iterable[_Union[InsightOption, str]]] = ..., flow_direction: _Optional[_Union[_common_pb2.ElectricityFlowDirection, str]] = ...) -> None: ...

class StreamEnergyInsightsResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[EnergyInsightRecord]
    def __init__(self, records: _Optional[_Iterable[_Union[EnergyInsightRecord, _Mapping]]] = ...) -> None: ...

class StreamRuntimeInsightsRequest(_message.Message):
    __slots__ = ("venue_id", "device_id", "range", "granularity", "options", "flow_direction")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    GRANULARITY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FLOW_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    device_id: str
    range: _common_pb2.TimeInterval
    granularity: InsightGranularity
    options: _containers.RepeatedScalarFieldContainer[InsightOption]
    flow_direction: _common_pb2.ElectricityFlowDirection
    def __init__(self, venue_id: _Optional[str] = ..., device_id: _Optional[str] = ..., range: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., granularity: _Optional[_Union[InsightGranularity, str]] = ..., options: _Optional[_Iterable[_Union[InsightOption, str]]] = ..., flow_direction: _Optional[_Union[_common_pb2.ElectricityFlowDirection, str]] = ...) -> None: ...

class StreamRuntimeInsightsResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[RuntimeInsightRecord]
    def __init__(self, records: _Optional[_Iterable[_Union[RuntimeInsightRecord, _Mapping]]] = ...) -> None: ...
