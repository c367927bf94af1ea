"""Small requests that ask for much memory or time when they are decoded (docs/architecture.md, Limits)."""

from __future__ import annotations

import contextlib
import struct
import time

import grpc
import pytest
from sanitizers import within

from .caller import CALIFORNIA, FULL, Caller, Demo, session
from .prober import Prober
from .raw_http2 import DATA, END_HEADERS, HEADERS, WINDOW_UPDATE, RawConnection, frame

SUBMIT = "/energykit.v1.LoadEventService/SubmitLoadEvents"
TIME_LIMIT = 5  # seconds, also for a debug build
ATTACK_SECONDS = 1
LEAST_PROBES = 5
OTHERS_LIMIT = 0.5  # seconds that a call of another client may take meanwhile
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
    codes, slowest = set(), 0.0
    with Prober(server) as prober:
        server.reset_peak()
        before = server.rss_kib()
        begin = time.monotonic()
        while time.monotonic() < begin + ATTACK_SECONDS or prober.count < LEAST_PROBES:
            start = time.monotonic()
            with pytest.raises(grpc.RpcError) as caught:
                call(payload, metadata=(("authorization", f"Bearer {demo.keys[FULL]}"),), timeout=30)
            slowest = max(slowest, time.monotonic() - start)
            codes.add(caught.value.code())
        grown = server.status_kib("VmHWM") - before
    (code,) = codes
    size = len(payload) / 1024
    print(f"measured: {name} ({size:.0f} KiB): {code.name}, {slowest * 1000:.0f} ms at most, peak +{grown / 1024:.1f} MiB")
    assert code in (
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.INTERNAL,
    )
    assert slowest < TIME_LIMIT
    assert prober.worst < within(OTHERS_LIMIT)
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


ATTACKERS = 10
STREAMS = 1_000
SERVER_LIMIT_KIB = 256 << 10


def send_half_bodies(peer: RawConnection, key: str) -> None:
    """Opens all the streams that a connection may have, then sends of each body what its window allows."""
    block = peer.header_block(SUBMIT, key)
    streams = [peer.new_stream() for _ in range(STREAMS)]
    peer.send(b"".join(frame(HEADERS, END_HEADERS, stream, block) for stream in streams))
    start = struct.pack(">BI", 0, 4 << 20)
    credit = 65_535
    for stream in streams:
        for part in (start + bytes(16_379), bytes(16_384), bytes(16_384), bytes(16_383)):
            while credit < len(part):
                frames = peer.read(5)
                assert frames, "the server has closed the connection or gives no credit"
                credit += sum(
                    struct.unpack(">I", each.payload)[0]
                    for each in frames
                    if each.kind == WINDOW_UPDATE and each.stream == 0
                )
            peer.send(frame(DATA, 0, stream, part))
            credit -= len(part)


@pytest.mark.memory
def test_a_client_that_begins_thousands_of_requests_keeps_nobody_else_from_large_ones(demo: Demo) -> None:
    """G-092: another client's batch of 2,000 events is taken while ten connections hold all that they can."""
    server = demo.server
    events = session(demo.token(), device="charger-9", count=2000)
    before = server.rss_kib()
    with contextlib.ExitStack() as stack, grpc.insecure_channel(server.address) as channel:
        for _ in range(ATTACKERS):
            peer = stack.enter_context(RawConnection(server.address))
            send_half_bodies(peer, demo.keys[FULL])
        grown = server.rss_kib() - before
        print(f"measured: {ATTACKERS} connections with {STREAMS} half requests each: resident +{grown / 1024:.0f} MiB")
        start = time.monotonic()
        assert Caller(channel, demo.caller().key).submit(demo.venues[CALIFORNIA], events).stored_count == 2000
        print(f"measured: 2,000 events of another client meanwhile: {(time.monotonic() - start) * 1000:.0f} ms")
    # Buffers are as large as what is in them, or twice that.
    assert grown < 2 * SERVER_LIMIT_KIB
