import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ElectricityFlowDirection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ELECTRICITY_FLOW_DIRECTION_UNSPECIFIED: _ClassVar[ElectricityFlowDirection]
    ELECTRICITY_FLOW_DIRECTION_IMPORTED: _ClassVar[ElectricityFlowDirection]
    ELECTRICITY_FLOW_DIRECTION_EXPORTED: _ClassVar[ElectricityFlowDirection]

class SignalKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIGNAL_KIND_UNSPECIFIED: _ClassVar[SignalKind]
    SIGNAL_KIND_CARBON_AVERAGE: _ClassVar[SignalKind]
    SIGNAL_KIND_CARBON_MARGINAL: _ClassVar[SignalKind]
    SIGNAL_KIND_PRICE: _ClassVar[SignalKind]

class DataQuality(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DATA_QUALITY_UNSPECIFIED: _ClassVar[DataQuality]
    DATA_QUALITY_MEASURED: _ClassVar[DataQuality]
    DATA_QUALITY_FORECAST: _ClassVar[DataQuality]
    DATA_QUALITY_ESTIMATED: _ClassVar[DataQuality]
    DATA_QUALITY_CLIMATOLOGY: _ClassVar[DataQuality]
ELECTRICITY_FLOW_DIRECTION_UNSPECIFIED: ElectricityFlowDirection
ELECTRICITY_FLOW_DIRECTION_IMPORTED: ElectricityFlowDirection
ELECTRICITY_FLOW_DIRECTION_EXPORTED: ElectricityFlowDirection
SIGNAL_KIND_UNSPECIFIED: SignalKind
SIGNAL_KIND_CARBON_AVERAGE: SignalKind
SIGNAL_KIND_CARBON_MARGINAL: SignalKind
SIGNAL_KIND_PRICE: SignalKind
DATA_QUALITY_UNSPECIFIED: DataQuality
DATA_QUALITY_MEASURED: DataQuality
DATA_QUALITY_FORECAST: DataQuality
DATA_QUALITY_ESTIMATED: DataQuality
DATA_QUALITY_CLIMATOLOGY: DataQuality

class TimeInterval(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: _timestamp_pb2.Timestamp
    end: _timestamp_pb2.Timestamp
    def __init__(self, start: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
