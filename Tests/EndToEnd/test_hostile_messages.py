"""Small requests that ask for much memory or time when they are decoded (docs/architecture.md, Limits)."""

from __future__ import annotations

import time

import grpc
import pytest

from .caller import CALIFORNIA, FULL, Demo, session
from .prober import Prober

SUBMIT = "/energykit.v1.LoadEventService/SubmitLoadEvents"
TIME_LIMIT = 5  # seconds, also for a debug build
MEMORY_LIMIT_KIB = 64 << 10  # of one message of 4 MiB, what it is decoded into (at most 32 MiB), and buffers


def varint(number: int) -> bytes:
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def event_with(extra: bytes, token: str) -> bytes:
    return field(2, session(token)[1].SerializeToString() + extra)


def attacks(demo: Demo) -> dict[str, bytes]:
    venue = field(1, demo.venues[CALIFORNIA].encode())
    token = demo.token()
    device = field(8, field(1, b"charger-1") + field(2, b"n" * 40) + b"\x18\x01")
    car = field(9, b"\x08\x05" + field(5, field(1, b"\x09" + bytes(8))))
    return {
        "a device repeated 32,000 times": venue + event_with(device * 32_000, token),
        "a measurement repeated 32,000 times": venue + event_with(car * 32_000, token),
        "a timestamp repeated 32,000 times": venue + event_with(field(2, b"\x08\x01") * 32_000, token),
        "4 MiB of empty events": venue + b"\x12\x00" * ((4 << 19) - 50),
        "4 MiB of unknown fields": venue + b"\xa0\x1f\x01" * ((4 << 20) // 3 - 50),
        "4 MiB of unknown fields in an event": venue + event_with(b"\xa0\x1f\x01" * 1_390_000, token),
        "4 MiB of one unknown text": venue + field(500, b"x" * ((4 << 20) - 100)),
        "4 MiB of venues": venue * ((4 << 20) // len(venue)),
        "100,000 groups": venue + b"\x0b" * 100_000,
        "messages within messages": venue + nested(2_000),
    }


def nested(depth: int) -> bytes:
    payload = b""
    for _ in range(depth):
        payload = field(2, payload)
    return payload


NAMES = [
    "a device repeated 32,000 times",
    "a measurement repeated 32,000 times",
    "a timestamp repeated 32,000 times",
    "4 MiB of empty events",
    "4 MiB of unknown fields",
    "4 MiB of unknown fields in an event",
    "4 MiB of one unknown text",
    "4 MiB of venues",
    "100,000 groups",
    "messages within messages",
]


def test_the_list_of_attacks_is_whole(demo: Demo) -> None:
    assert list(attacks(demo)) == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.memory
def test_a_hostile_message_is_refused_within_bounds(demo: Demo, name: str) -> None:
    """G-060."""
    payload = attacks(demo)[name]
    assert len(payload) <= 4 << 20  # so that the limit on length is not what refuses it
    call = demo.channel.unary_unary(SUBMIT, request_serializer=None, response_deserializer=None)
    server = demo.server
    with Prober(server):
        server.reset_peak()
        before = server.rss_kib()
        start = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            call(payload, metadata=(("authorization", f"Bearer {demo.keys[FULL]}"),), timeout=30)
        elapsed = time.monotonic() - start
        grown = server.status_kib("VmHWM") - before
    code = caught.value.code()
    size = len(payload) / 1024
    print(f"measured: {name} ({size:.0f} KiB): {code.name} after {elapsed * 1000:.0f} ms, peak +{grown / 1024:.1f} MiB")
    assert code in (
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.INTERNAL,
    )
    assert elapsed < TIME_LIMIT
    assert grown < MEMORY_LIMIT_KIB


@pytest.mark.memory
def test_many_hostile_messages_at_once_stay_within_bounds(demo: Demo) -> None:
    """G-060."""
    payload = attacks(demo)["4 MiB of unknown fields"]
    call = demo.channel.unary_unary(SUBMIT, request_serializer=None, response_deserializer=None)
    server = demo.server
    with Prober(server):
        server.reset_peak()
        before = server.rss_kib()
        metadata = (("authorization", f"Bearer {demo.keys[FULL]}"),)
        calls = [call.future(payload, metadata=metadata, timeout=60) for _ in range(8)]
        codes = {each.code() for each in calls}
        grown = server.status_kib("VmHWM") - before
    print(f"measured: 8 at once: peak +{grown / 1024:.1f} MiB, {sorted(code.name for code in codes)}")
    assert grpc.StatusCode.OK not in codes
    assert grown < 2 * MEMORY_LIMIT_KIB
