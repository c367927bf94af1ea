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

class SuggestedAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUGGESTED_ACTION_UNSPECIFIED: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_SHIFT: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_REDUCE: _ClassVar[SuggestedAction]

class GuidanceOption(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GUIDANCE_OPTION_UNSPECIFIED: _ClassVar[GuidanceOption]
    GUIDANCE_OPTION_LOCATION_HAS_RATE_PLAN: _ClassVar[GuidanceOption]
    GUIDANCE_OPTION_GUIDANCE_INCORPORATES_RATE_PLAN: _ClassVar[GuidanceOption]
SUGGESTED_ACTION_UNSPECIFIED: SuggestedAction
SUGGESTED_ACTION_SHIFT: SuggestedAction
SUGGESTED_ACTION_REDUCE: SuggestedAction
GUIDANCE_OPTION_UNSPECIFIED: GuidanceOption
GUIDANCE_OPTION_LOCATION_HAS_RATE_PLAN: GuidanceOption
GUIDANCE_OPTION_GUIDANCE_INCORPORATES_RATE_PLAN: GuidanceOption

class GuidanceValue(_message.Message):
    __slots__ = ("interval", "rating")
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    interval: _common_pb2.TimeInterval
    rating: float
    def __init__(self, interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., rating: _Optional[float] = ...) -> None: ...

class ElectricityGuidance(_message.Message):
    __slots__ = ("guidance_token", "venue_id", "suggested_action", "interval", "options", "values", "issue_time", "grid_region", "next_update_time")
    GUIDANCE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_ACTION_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    ISSUE_TIME_FIELD_NUMBER: _ClassVar[int]
    GRID_REGION_FIELD_NUMBER: _ClassVar[int]
    NEXT_UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    guidance_token: str
    venue_id: str
    suggested_action: SuggestedAction
    interval: _common_pb2.TimeInterval
    options: _containers.RepeatedScalarFieldContainer[GuidanceOption]
    values: _containers.RepeatedCompositeFieldContainer[GuidanceValue]
    issue_time: _timestamp_pb2.Timestamp
    grid_region: str
    next_update_time: _timestamp_pb2.Timestamp
    def __init__(self, guidance_token: _Optional[str] = ..., venue_id: _Optional[str] = ..., suggested_action: _Optional[_Union[SuggestedAction, str]] = ..., interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., options: _Optional[_Iterable[_Union[GuidanceOption, str]]] = ..., values: _Optional[_Iterable[_Union[GuidanceValue, _Mapping]]] = ..., issue_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., grid_region: _Optional[str] = ..., next_update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetGuidanceRequest(_message.Message):
    __slots__ = ("venue_id", "suggested_action", "explain", "known_guidance_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_ACTION_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    KNOWN_GUIDANCE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    suggested_action: SuggestedAction
    explain: bool
    known_guidance_token: str
    def __init__(self, venue_id: _Optional[str] = ..., suggested_action: _Optional[_Union[SuggestedAction, str]] = ..., explain: _Optional[bool] = ..., known_guidance_token: _Optional[str] = ...) -> None: ...

class RatingExplanation(_message.Message):
    __slots__ = ("interval", "carbon_kind", "carbon_model", "carbon_intensity", "reference_rank", "horizon_rank", "horizon_materiality", "price_usd_per_kwh", "price_score", "price_materiality", "quality", "grid_event")
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    CARBON_KIND_FIELD_NUMBER: _ClassVar[int]
    CARBON_MODEL_FIELD_NUMBER: _ClassVar[int]
    CARBON_INTENSITY_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_RANK_FIELD_NUMBER: _ClassVar[int]
    HORIZON_RANK_FIELD_NUMBER: _ClassVar[int]
    HORIZON_MATERIALITY_FIELD_NUMBER: _ClassVar[int]
    PRICE_USD_PER_KWH_FIELD_NUMBER: _ClassVar[int]
    PRICE_SCORE_FIELD_NUMBER: _ClassVar[int]
    PRICE_MATERIALITY_FIELD_NUMBER: _ClassVar[int]
    QUALITY_FIELD_NUMBER: _ClassVar[int]
    GRID_EVENT_FIELD_NUMBER: _ClassVar[int]
    interval: _common_pb2.TimeInterval
    carbon_kind: _common_pb2.SignalKind
    carbon_model: str
    carbon_intensity: _wrappers_pb2.DoubleValue
    reference_rank: _wrappers_pb2.DoubleValue
    horizon_rank: _wrappers_pb2.DoubleValue
    horizon_materiality: _wrappers_pb2.DoubleValue
    price_usd_per_kwh: _wrappers_pb2.DoubleValue
    price_score: _wrappers_pb2.DoubleValue
    price_materiality: _wrappers_pb2.DoubleValue
    quality: _common_pb2.DataQuality
    grid_event: bool
    def __init__(self, interval: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., carbon_kind: _Optional[_Union[_common_pb2.SignalKind, str]] = ..., carbon_model: _Optional[str] = ..., carbon_intensity: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., reference_rank: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., horizon_rank: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., horizon_materiality: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., price_usd_per_kwh: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., price_score: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., price_materiality: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., quality: _Optional[_Union[_common_pb2.DataQuality, str]] = ..., grid_event: _Optional[bool] = ...) -> None: ...

class GetGuidanceResponse(_message.Message):
    __slots__ = ("guidance", "explanations")
    GUIDANCE_FIELD_NUMBER: _ClassVar[int]
    EXPLANATIONS_FIELD_NUMBER: _ClassVar[int]
    guidance: ElectricityGuidance
    explanations: _containers.RepeatedCompositeFieldContainer[RatingExplanation]
    def __init__(self, guidance: _Optional[_Union[ElectricityGuidance, _Mapping]] = ..., explanations: _Optional[_Iterable[_Union[RatingExplanation, _Mapping]]] = ...) -> None: ...

class StreamGuidanceRequest(_message.Message):
    __slots__ = ("venue_id", "suggested_action", "known_guidance_token")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_ACTION_FIELD_NUMBER: _ClassVar[int]
    KNOWN_GUIDANCE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    suggested_action: SuggestedAction
    known_guidance_token: str
    def __init__(self, venue_id: _Optional[str] = ..., suggested_action: _Optional[_Union[SuggestedAction, str]] = ..., known_guidance_token: _Optional[str] = ...) -> None: ...

class StreamGuidanceResponse(_message.Message):
    __slots__ = ("guidance",)
    GUIDANCE_FIELD_NUMBER: _ClassVar[int]
    guidance: ElectricityGuidance
    def __init__(self, guidance: _Optional[_Union[ElectricityGuidance, _Mapping]] = ...) -> None: ...

class PlanLoadRequest(_message.Message):
    __slots__ = ("venue_id", "suggested_action", "window", "duration", "contiguous")
    VENUE_ID_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_ACTION_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    CONTIGUOUS_FIELD_NUMBER: _ClassVar[int]
    venue_id: str
    suggested_action: SuggestedAction
    window: _common_pb2.TimeInterval
    duration: _duration_pb2.Duration
    contiguous: bool
    def __init__(self, venue_id: _Optional[str] = ..., suggested_action: _Optional[_Union[SuggestedAction, str]] = ..., window: _Optional[_Union[_common_pb2.TimeInterval, _Mapping]] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., contiguous: _Optional[bool] = ...) -> None: ...

class PlanLoadResponse(_message.Message):
    __slots__ = ("guidance_token", "intervals", "mean_rating", "immediate_mean_rating", "window_covered")
    GUIDANCE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INTERVALS_FIELD_NUMBER: _ClassVar[int]
    MEAN_RATING_FIELD_NUMBER: _ClassVar[int]
    IMMEDIATE_MEAN_RATING_FIELD_NUMBER: _ClassVar[int]
    WINDOW_COVERED_FIELD_NUMBER: _ClassVar[int]
    guidance_token: str
    intervals: _containers.RepeatedCompositeFieldContainer[_common_pb2.TimeInterval]
    mean_rating: float
    immediate_mean_rating: _wrappers_pb2.DoubleValue
    window_covered: bool
    def __init__(self, guidance_token: _Optional[str] = ..., intervals: _Optional[_Iterable[_Union[_common_pb2.TimeInterval, _Mapping]]] = ..., mean_rating: _Optional[float] = ..., immediate_mean_rating: _Optional[_Union[_wrappers_pb2.DoubleValue, _Mapping]] = ..., window_covered: _Optional[bool] = ...) -> None: ...
