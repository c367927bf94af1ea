"""Peers that do not speak gRPC, or speak it wrongly: the right status, and nobody else notices."""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from collections.abc import Callable

import grpc
import pytest
from energykit.v1.guidance_pb2 import GetGuidanceRequest
from energykit.v1.load_event_pb2 import SubmitLoadEventsRequest
from sanitizers import within

from .caller import CALIFORNIA, FULL, SHIFT, Demo, error_of, session
from .prober import Prober
from .raw_http2 import DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, SETTINGS, RawConnection, frame, message
from .server import Server, wait_for

LIST_VENUES = "/energykit.v1.EnergyVenueService/ListVenues"
GET_GUIDANCE = "/energykit.v1.ElectricityGuidanceService/GetGuidance"
SUBMIT = "/energykit.v1.LoadEventService/SubmitLoadEvents"
INTERNAL, UNIMPLEMENTED, RESOURCE_EXHAUSTED = 13, 12, 8

TLS_HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(500)
GARBAGE: dict[str, bytes] = {
    "zeros": bytes(4096),
    "noise": random.Random(1).randbytes(65536),
    "HTTP/1.1": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": TLS_HELLO,
    "half a preface, then noise": PREFACE[:12] + random.Random(2).randbytes(2048),
    "a preface, then noise": PREFACE + random.Random(3).randbytes(65536),
    "no SETTINGS first": PREFACE + frame(HEADERS, END_HEADERS, 1, b"\x82"),
    "a frame of 16 MiB": PREFACE
    + frame(SETTINGS, 0, 0)
    + b"\xff\xff\xff"
    + bytes([DATA, 0, 0, 0, 0, 1])
    + bytes(65536),
    "bad HPACK": PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff\xff"),
}


def ends(peer: socket.socket, limit: float) -> bool:
    """Whether the server ends the connection within `limit` seconds."""
    deadline = time.monotonic() + within(limit)
    while (left := deadline - time.monotonic()) > 0:
        peer.settimeout(left)
        try:
            if not peer.recv(65536):
                return True
        except TimeoutError:
            return False
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_on_the_port_ends_its_own_connection(server: Server, name: str) -> None:
    """G-003, G-006, G-011, G-080."""
    with Prober(server), socket.create_connection(("127.0.0.1", server.port)) as peer:
        start = time.monotonic()
        try:
            peer.sendall(GARBAGE[name])
        except ConnectionError:
            pass  # ended while we were sending
        assert ends(peer, 2)
        elapsed = time.monotonic() - start
    print(f"measured: {name}: ended after {elapsed * 1000:.0f} ms")


def request_bytes(demo: Demo) -> bytes:
    return GetGuidanceRequest(venue_id=demo.venues[CALIFORNIA], suggested_action=SHIFT).SerializeToString()


# Bodies that are no single, whole, readable message, and the status that they get.
BODIES: dict[str, tuple[Callable[[bytes], bytes], int]] = {
    "nothing": (lambda _: b"", UNIMPLEMENTED),
    "half a prefix": (lambda _: b"\0\0\0", INTERNAL),
    "half a message": (lambda payload: message(payload)[:-5], INTERNAL),
    "two messages": (lambda payload: message(payload) * 2, UNIMPLEMENTED),
    "compressed without saying how": (lambda payload: b"\1" + message(payload)[1:], INTERNAL),
    "a flag of 2": (lambda payload: b"\2" + message(payload)[1:], INTERNAL),
    "no protobuf": (lambda _: message(b"\xff" * 40), INTERNAL),
    "text that is not UTF-8": (lambda _: message(b"\x0a\x04\xff\xfe\xfd\xfc"), INTERNAL),
    "a length of 4 MiB and 1": (lambda _: struct.pack(">BI", 0, (4 << 20) + 1) + b"abc", RESOURCE_EXHAUSTED),
    "a length of 4 GiB": (lambda _: struct.pack(">BI", 0, 2**32 - 1) + b"abc", RESOURCE_EXHAUSTED),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_broken_message_fails_its_own_call(demo: Demo, name: str) -> None:
    """G-051...053, G-056, G-058...060."""
    make, status = BODIES[name]
    payload = request_bytes(demo)
    with RawConnection(demo.server.address) as peer:
        stream, good = peer.new_stream(), peer.new_stream()
        block = peer.header_block(GET_GUIDANCE, demo.keys[FULL])
        peer.send(frame(HEADERS, END_HEADERS, stream, block) + frame(DATA, END_STREAM, stream, make(payload)))
        peer.send(peer.call_bytes(good, block, payload))
        answers = peer.answers([stream, good], 5)
    assert answers[stream].grpc_status == status
    assert answers[stream].ended
    assert answers[good].grpc_status == 0  # on the same connection


def test_a_request_a_byte_at_a_time_is_served(demo: Demo) -> None:
    """G-050."""
    with RawConnection(demo.server.address) as peer:
        stream = peer.new_stream()
        request = peer.call_bytes(stream, peer.header_block(GET_GUIDANCE, demo.keys[FULL]), request_bytes(demo))
        for byte in request:
            peer.send(bytes([byte]))
        assert peer.answers([stream], 5)[stream].grpc_status == 0


PATHS = [
    "/",
    "//",
    "/energykit.v1.EnergyVenueService",
    "/energykit.v1.EnergyVenueService/Nothing",
    "/no.Service/Method",
]


@pytest.mark.parametrize("path", [*PATHS, LIST_VENUES.lower(), LIST_VENUES + "/more"])
def test_an_unknown_method_is_unimplemented(demo: Demo, path: str) -> None:
    """G-031, G-068."""
    with RawConnection(demo.server.address) as peer:
        stream = peer.call(path, demo.keys[FULL], b"")
        answer = peer.answers([stream], 5)[stream]
    assert answer.header(":status") == "200"
    assert answer.grpc_status == UNIMPLEMENTED
    assert len(answer.headers) == 1 and not answer.data  # trailers only


@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", "application/grpcx", "application/grpc+json"]
)
def test_another_content_type_is_not_served(demo: Demo, content_type: str) -> None:
    """G-035."""
    with RawConnection(demo.server.address) as peer:
        stream = peer.new_stream()
        block = peer.header_block(LIST_VENUES, demo.keys[FULL], {"content-type": content_type})
        peer.send(peer.call_bytes(stream, block, b""))
        answer = peer.answers([stream], 5)[stream]
    assert answer.header(":status") == "415" or answer.grpc_status == UNIMPLEMENTED
    assert not answer.data


@pytest.mark.parametrize("content_type", ["application/grpc+proto", "application/grpc;charset=utf-8"])
def test_the_content_types_of_grpc_are_served(demo: Demo, content_type: str) -> None:
    """G-035."""
    with RawConnection(demo.server.address) as peer:
        stream = peer.new_stream()
        block = peer.header_block(LIST_VENUES, demo.keys[FULL], {"content-type": content_type})
        peer.send(peer.call_bytes(stream, block, b""))
        assert peer.answers([stream], 5)[stream].grpc_status == 0


def test_a_message_above_four_mebibytes_is_refused(demo: Demo) -> None:
    """G-056."""
    request = SubmitLoadEventsRequest(venue_id=demo.venues[CALIFORNIA])
    event = session(demo.token())[1]
    event.device.name = "x" * 60_000
    request.load_events.extend([event] * 80)
    with Prober(demo.server):
        error = error_of(lambda: demo.caller().submit_request(request))
    assert error.code == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_truncated_batch_stores_nothing(demo: Demo) -> None:
    """The client vanishes when all but the last bytes of its batch have left."""
    events = session(demo.token(), count=200)
    request = SubmitLoadEventsRequest(venue_id=demo.venues[CALIFORNIA], load_events=events)
    peer = RawConnection(demo.server.address)
    stream = peer.new_stream()
    body = message(request.SerializeToString())
    assert len(body) < 100_000
    peer.read(1)  # the server's SETTINGS
    peer.send(frame(HEADERS, END_HEADERS, stream, peer.header_block(SUBMIT, demo.keys[FULL])))
    for at in range(0, min(len(body), 60_000), 10_000):
        peer.send(frame(DATA, 0, stream, body[at : at + 10_000][:-1]))
    time.sleep(0.2)
    peer.abort()
    answer = demo.caller().submit_request(request)
    assert (answer.stored_count, answer.duplicate_count) == (200, 0)


def test_a_vanished_client_leaves_nothing_behind(demo: Demo) -> None:
    """G-109."""
    demo.caller().list_venues()
    before = demo.server.socket_count()
    peers = [RawConnection(demo.server.address) for _ in range(20)]
    for index, peer in enumerate(peers):
        peer.call(GET_GUIDANCE, demo.keys[FULL], request_bytes(demo))
        peer.abort() if index % 2 else peer.close()
    assert wait_for(lambda: demo.server.socket_count() <= before, 1)


def test_random_bytes_within_frames_do_no_harm(server: Server) -> None:
    """Two hundred connections with well-formed frames of random kinds, flags and contents."""
    generator = random.Random(int(os.environ.get("ENERGYKIT_SEED", "20")))
    with Prober(server):
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                data = PREFACE + frame(SETTINGS, 0, 0)
                for _ in range(20):
                    kind, flags = generator.randrange(12), generator.choice([0, 1, 4, 5, generator.randrange(256)])
                    data += frame(
                        kind, flags, generator.choice([0, 1, 2, 3, 5]), generator.randbytes(generator.randrange(64))
                    )
                try:
                    peer.sendall(data)
                except ConnectionError:
                    pass
    assert server.is_running()
