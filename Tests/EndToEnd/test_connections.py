"""What energykitd's settings make of connections, and what of their clients its log may not say."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from forgetful_proxy import ForgetfulProxy

from .caller import CALIFORNIA, FULL, Caller, Demo, error_of
from .raw_http2 import DATA, END_HEADERS, END_STREAM, HEADERS, RawConnection, frame, message
from .server import Server, wait_for

LIST_VENUES = "/energykit.v1.EnergyVenueService/ListVenues"


@pytest.mark.parametrize("keeps_alive", [True, False], ids=["asked", "left alone"])
def test_a_silent_guidance_stream_outlives_a_router_that_forgets(data: Path, keeps_alive: bool) -> None:
    """G-107: by PINGs of the server; a second stands for two minutes. Left alone, the same stream is lost."""
    flags = ["--guidance-min-interval", "0", "--keepalive-time", "1" if keeps_alive else "3600"]
    with Server(data, *flags) as server, ForgetfulProxy(server.port, 2.5) as router, Demo(server) as home:
        behind = SimpleNamespace(address=f"127.0.0.1:{router.port}", demo=server.demo)
        with Demo(behind) as demo:
            stream = demo.caller().stream_guidance(demo.venues[CALIFORNIA])
            got = []

            def listen() -> None:
                try:
                    for answer in stream:
                        got.append(answer)
                except grpc.RpcError:
                    pass

            threading.Thread(target=listen, daemon=True).start()
            assert wait_for(lambda: len(got) == 1)
            time.sleep(6)
            home.publish_forecast()
            assert wait_for(lambda: len(got) == 2, 2) == keeps_alive
            stream.cancel()


def test_connections_end_with_age_and_no_call_is_lost(data: Path) -> None:
    """G-105: each lives for a second; a guidance stream ends with UNAVAILABLE after the grace."""
    with Server(data, "--max-connection-age", "1", "--max-connection-age-grace", "1") as server, Demo(server) as demo:
        stream = demo.caller().stream_guidance(demo.venues[CALIFORNIA])
        next(stream)
        start = time.monotonic()
        calls = 0
        while time.monotonic() - start < 3:
            demo.caller().list_venues()
            calls += 1
        assert error_of(lambda: next(stream)).code == grpc.StatusCode.UNAVAILABLE
    print(f"measured: {calls} calls over connections that live for a second, none lost")


def test_idle_connections_end(data: Path) -> None:
    """G-106."""
    with Server(data, "--max-connection-idle", "1") as server, Demo(server) as demo:
        demo.caller().list_venues()
        with_one = server.socket_count()
        assert wait_for(lambda: server.socket_count() < with_one, 5)
        demo.caller().list_venues()


def test_connections_above_the_limit_are_closed(data: Path) -> None:
    """G-157: in all, and for one address."""
    for flag in ("--max-connections", "--max-connections-per-address"):
        with Server(data, flag, "2") as server, Demo(server) as demo:
            demo.caller().list_venues()
            with RawConnection(server.address) as second, RawConnection(server.address) as third:
                assert wait_for(lambda: third.read(0.1) is None, 5)
                assert second.read(0.1) is not None
                demo.caller().list_venues()


def test_no_secret_gets_into_the_log(data: Path) -> None:
    """G-161: keys and metadata of calls that are served, refused, broken, cancelled; on the most talkative level."""
    secret = "ek_" + "S3cretS3cret" * 4
    with Server(data, "--log-level", "debug", "--guidance-min-interval", "0") as server, Demo(server) as demo:
        keys = [*demo.keys, server.demo["admin_key"], secret]
        demo.caller().list_venues()
        demo.admin.publish_signal(demo.forecast())
        assert error_of(lambda: Caller(demo.channel, secret).list_venues()).code == grpc.StatusCode.UNAUTHENTICATED
        with RawConnection(server.address) as peer:
            for key in keys:
                bodies = [message(b"\xff" * 40), message(b"")[:3], b""]
                for body in bodies:
                    block = peer.header_block(LIST_VENUES, key, {"x-private": "S3cretS3cret", "grpc-timeout": "S3cretS3cret"})
                    stream = peer.new_stream()
                    peer.send(frame(HEADERS, END_HEADERS, stream, block) + frame(DATA, END_STREAM, stream, body))
                unknown = peer.header_block("/S3cretS3cret/S3cretS3cret", key)
                peer.send(frame(HEADERS, END_HEADERS | END_STREAM, peer.new_stream(), unknown))
            peer.read(0.3)
            # And an error of the connection, with the keys in its table.
            peer.send(frame(HEADERS, END_HEADERS, 2, peer.header_block(LIST_VENUES, demo.keys[FULL])))
            assert wait_for(lambda: peer.read(0.1) is None, 5)
        demo.caller().list_venues()
        server.terminate()
        assert server.wait() == 0
        log = server.log_text()
    assert log
    for key in keys:
        assert key not in log and key[3:] not in log
    assert "S3cretS3cret" not in log
