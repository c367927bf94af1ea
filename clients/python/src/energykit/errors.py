"""What a failed call says, beyond its status code.

The server puts a `google.rpc.Status` into the trailer `grpc-status-details-bin`: always an `ErrorInfo` with the reason,
often a `BadRequest` with one violation per faulty field, and a `RetryInfo` where trying again can help.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

_DETAILS_TRAILER = "grpc-status-details-bin"


@dataclass(frozen=True)
class FieldViolation:
    """One fault of a request: where it stands, which rule it breaks, and a sentence for a person."""

    field: str  # a path, for example load_events[3].guidance_token
    reason: str  # machine-readable, for example UNKNOWN_GUIDANCE_TOKEN; empty where the server gives none
    description: str

    def __str__(self) -> str:
        return f"{self.field}: {self.description or self.reason}"


@dataclass(frozen=True)
class ErrorDetails:
    """A failed call, decoded."""

    code: grpc.StatusCode
    message: str
    reason: str = ""  # machine-readable, for example VENUE_UNAVAILABLE; empty where the error is not the server's own
    metadata: dict[str, str] = field(default_factory=dict)  # for example {"region": "HIOA"}
    violations: tuple[FieldViolation, ...] = ()  # may be cut; metadata["violations"] then has their full number
    retry_delay: timedelta | None = None  # None: the server does not ask for a retry

    @classmethod
    def of(cls, error: grpc.RpcError) -> ErrorDetails:
        """Decodes what `error` carries. Never raises for details that are missing or cannot be read."""
        reason, metadata, violations, retry_delay = "", {}, (), None
        for detail in _status_of(error).details:
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
                info = _unpack(detail, error_details_pb2.ErrorInfo())
                reason, metadata = info.reason, dict(info.metadata)
            elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
                request = _unpack(detail, error_details_pb2.BadRequest())
                violations = tuple(
                    FieldViolation(each.field, each.reason, each.description) for each in request.field_violations
                )
            elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
                retry_delay = _unpack(detail, error_details_pb2.RetryInfo()).retry_delay.ToTimedelta()
        return cls(error.code(), error.details() or "", reason, metadata, violations, retry_delay)

    def __str__(self) -> str:
        lines = [f"{self.code.name}: {self.message}" if self.message else self.code.name]
        if self.reason:
            facts = "".join(f", {key}: {value}" for key, value in sorted(self.metadata.items()))
            lines.append(f"  reason: {self.reason}{facts}")
        lines += [f"  {violation}" for violation in self.violations]
        if self.retry_delay is not None:
            lines.append(f"  try again in {self.retry_delay.total_seconds():g} s")
        return "\n".join(lines)


def _status_of(error: grpc.RpcError) -> status_pb2.Status:
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_TRAILER:
            return _parse(status_pb2.Status(), value)
    return status_pb2.Status()


def _unpack(detail, message):
    return _parse(message, detail.value)


def _parse(message, data: bytes):
    try:
        message.ParseFromString(data)
    except DecodeError:
        message.Clear()
    return message
