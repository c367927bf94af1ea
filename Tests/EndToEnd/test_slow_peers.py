"""Peers that do not read, vanish, or only come and go: bounded memory, and nothing left behind."""

from __future__ import annotations

import select
import socket
import struct
import time
from pathlib import Path

import pytest
from energykit.v1.guidance_pb2 import GetGuidanceRequest, StreamGuidanceRequest, StreamGuidanceResponse

from .caller import CALIFORNIA, FULL, SHIFT, Demo, clear_of_the_hour
from .prober import Prober
from .raw_http2 import PREFACE, SETTINGS, WINDOW_UPDATE, RawConnection, frame, split_messages
from .server import Server, is_release, wait_for

GET_GUIDANCE = "/energykit.v1.ElectricityGuidanceService/GetGuidance"
STREAM_GUIDANCE = "/energykit.v1.ElectricityGuidanceService/StreamGuidance"
PIPELINED = 30_000
FORECASTS = 1_000
ONE_MIB = 1024  # KiB


def warm_up(demo: Demo) -> None:
    """What a server keeps once it has been used is not what a slow peer costs."""
    for _ in range(300):
        demo.caller().get_guidance(demo.venues[CALIFORNIA])
        demo.caller().list_venues()
    for _ in range(4):
        read_pipelined(demo, 800)
    time.sleep(0.2)


def guidance_calls(peer: RawConnection, demo: Demo, count: int) -> tuple[list[int], bytes]:
    """That many calls in one go, and their streams."""
    payload = GetGuidanceRequest(venue_id=demo.venues[CALIFORNIA], suggested_action=SHIFT).SerializeToString()
    block = peer.header_block(GET_GUIDANCE, demo.keys[FULL])
    streams = [peer.new_stream() for _ in range(count)]
    return streams, b"".join(peer.call_bytes(stream, block, payload) for stream in streams)


def read_pipelined(demo: Demo, count: int) -> None:
    """A peer that sends many calls ahead, and reads the answers."""
    with RawConnection(demo.server.address) as peer:
        streams, calls = guidance_calls(peer, demo, count)
        peer.send(calls)
        answers = peer.answers(streams, 20)
    assert {answer.grpc_status for answer in answers.values()} == {0}


def send_while_taken(peer: RawConnection, data: bytes, patience: float) -> int:
    """Sends until the server takes no more for `patience` seconds; returns the number of bytes sent."""
    peer.socket.setblocking(False)
    sent = 0
    while sent < len(data):
        _, writable, _ = select.select([], [peer.socket], [], patience)
        if not writable:
            break
        try:
            sent += peer.socket.send(data[sent : sent + 65536])
        except BlockingIOError:
            continue
        except ConnectionError:
            break
    peer.socket.setblocking(True)
    return sent


@pytest.mark.heavy
def test_pipelined_calls_whose_answers_are_not_read_cost_under_a_mebibyte(data: Path) -> None:
    """G-091."""
    count = 4
    with Server(data) as server, Demo(server) as demo:
        warm_up(demo)
        peers, shares = [], []
        with Prober(server):
            time.sleep(0.3)
            before = server.rss_kib()
            server.reset_peak()
            for _ in range(count):
                peer = RawConnection(server.address, receive_buffer=65536)
                _, calls = guidance_calls(peer, demo, PIPELINED)
                shares.append(send_while_taken(peer, calls, 1) / len(calls))
                peers.append(peer)
            peak = (server.status_kib("VmHWM") - before) / count
        taken = ", ".join(f"{share:.0%}" for share in shares)
        print(f"measured: {PIPELINED} calls unread: {taken} of their bytes taken by kernel and server")
        print(f"measured: such a peer costs {peak:.0f} KiB at its peak")
        for peer in peers:
            peer.abort()
        assert peak < ONE_MIB if is_release() else peak < 2 * ONE_MIB


@pytest.mark.heavy
def test_a_stream_with_a_closed_window_costs_under_a_mebibyte_and_gets_the_newest(data: Path) -> None:
    """G-091."""
    clear_of_the_hour(300)
    with Server(data, "--guidance-min-interval", "0") as server, Demo(server) as demo:
        warm_up(demo)
        publish_until_growth_stops(demo)
        with RawConnection(server.address, window=0) as peer, Prober(server):
            request = StreamGuidanceRequest(venue_id=demo.venues[CALIFORNIA], suggested_action=SHIFT)
            stream = peer.call(STREAM_GUIDANCE, demo.keys[FULL], request.SerializeToString())
            peer.read(0.5)
            start = server.rss_kib()
            publish(demo, FORECASTS)
            grown = server.rss_kib() - start
            newest = demo.token()
            peer.send(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", 1 << 20)))
            answer = peer.answers([stream], 1.5)[stream]
        messages, rest = split_messages(answer.data)
        tokens = [StreamGuidanceResponse.FromString(each).guidance.guidance_token for each in messages]
        print(f"measured: {FORECASTS} forecasts: resident +{grown} KiB with a closed window")
        print(f"measured: the stream then got {len(tokens)} message(s)")
        assert rest == b"" and tokens[-1] == newest
        assert len(tokens) <= 2  # one may have begun before the window was shut
        assert grown < ONE_MIB


def publish_until_growth_stops(demo: Demo) -> None:
    """What forecasts cost a server without slow readers, pages of its store for example, is not what is measured."""
    for _ in range(20):
        start = demo.server.rss_kib()
        publish(demo, FORECASTS // 2)
        grown = demo.server.rss_kib() - start
        print(f"measured: {FORECASTS // 2} forecasts without a slow reader: resident +{grown} KiB")
        if grown < ONE_MIB // 8:
            return
    raise AssertionError("memory grows without a slow reader, too")


def publish(demo: Demo, count: int) -> None:
    for _ in range(count):
        assert demo.publish_forecast(CALIFORNIA).guidance_changed


@pytest.mark.heavy
def test_a_thousand_readers_that_never_read_cost_little(data: Path) -> None:
    """G-091."""
    clear_of_the_hour(120)
    with Server(data, "--guidance-min-interval", "0") as server, Demo(server) as demo:
        warm_up(demo)
        request = StreamGuidanceRequest(venue_id=demo.venues[CALIFORNIA], suggested_action=SHIFT).SerializeToString()
        before = server.rss_kib()
        peers = [RawConnection(server.address, window=0, receive_buffer=4096) for _ in range(200)]
        for peer in peers:
            block = peer.header_block(STREAM_GUIDANCE, demo.keys[FULL])
            peer.send(b"".join(peer.call_bytes(peer.new_stream(), block, request) for _ in range(5)))
        time.sleep(0.5)
        with Prober(server):
            publish(demo, 50)
        per_peer = (server.rss_kib() - before) / len(peers)
        print(f"measured: 1,000 streams on 200 connections that read nothing: {per_peer:.1f} KiB per connection")
        sockets = server.socket_count()
        for peer in peers:
            peer.abort()
        assert wait_for(lambda: server.socket_count() <= sockets - len(peers), 1)
        assert per_peer < 64


@pytest.mark.heavy
def test_ten_thousand_connects_leak_nothing(data: Path) -> None:
    """G-111."""
    with Server(data) as server, Demo(server) as demo:
        warm_up(demo)
        come_and_go(demo, 1_000)
        descriptors, before = server.descriptor_count(), server.rss_kib()
        start = time.monotonic()
        with Prober(server):
            come_and_go(demo, 10_000)
        elapsed = time.monotonic() - start
        assert wait_for(lambda: server.descriptor_count() <= descriptors, 1)
        grown = server.rss_kib() - before
        print(f"measured: 10,000 connects in {elapsed:.1f} s: resident +{grown} KiB, descriptors +0")
        assert grown < ONE_MIB


def come_and_go(demo: Demo, count: int) -> None:
    """Connections that are made and ended in five ways, one of them with a call."""
    for index in range(count):
        way = index % 5
        if way < 2:
            peer = socket.create_connection(("127.0.0.1", demo.server.port))
            if way == 1:
                peer.sendall(PREFACE[:10])
        else:
            connection = RawConnection(demo.server.address)
            peer = connection.socket
            if way >= 3:
                streams, calls = guidance_calls(connection, demo, 1)
                connection.send(calls)
            if way == 4:
                assert connection.answers(streams, 5)[streams[0]].grpc_status == 0
        # RST instead of FIN, so that the client's ports are free again.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()


@pytest.mark.memory
def test_a_peer_that_never_reads_its_settings_is_no_burden(data: Path) -> None:
    """G-110."""
    with Server(data) as server, Prober(server):
        before = server.rss_kib()
        peers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(500)]
        for peer in peers:
            peer.sendall(PREFACE + frame(SETTINGS, 0, 0))
        time.sleep(0.5)
        per_connection = (server.rss_kib() - before) / len(peers)
        for peer in peers:
            peer.close()
    print(f"measured: {per_connection:.1f} KiB resident per idle connection")
    assert per_connection < (32 if is_release() else 64)
