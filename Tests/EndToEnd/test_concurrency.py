"""All calls at once, from clients on connections of their own, on several loops: what a thread sanitizer has to see."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import grpc
import pytest
from sanitizers import within

from .caller import CALIFORNIA, FULL, OTHER, Caller, Demo, session
from .server import Server

CLIENTS = 8
SECONDS = 3


class Client(threading.Thread):
    """Calls everything in turn, on a connection of its own, until `end`."""

    def __init__(self, server: Server, number: int, end: float):
        super().__init__(daemon=True)
        self.server = server
        self.number = number
        self.end = end
        self.rounds = 0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            channel = grpc.insecure_channel(self.server.address, options=[("grpc.use_local_subchannel_pool", 1)])
            with channel:
                caller = Caller(channel, self.server.demo["clients"][FULL]["api_key"])
                while time.monotonic() < self.end or self.rounds == 0:
                    self.call_everything(caller)
                    self.rounds += 1
        except Exception as error:  # shown by the test
            self.error = error

    def call_everything(self, caller: Caller) -> None:
        venues = caller.list_venues()
        venue = self.server.demo["venues"][self.number % 2]["id"]
        assert caller.get_venue(venue) in venues
        stream = caller.stream_guidance(venue)
        streamed = next(stream).guidance
        assert streamed.venue_id == caller.get_guidance(venue).guidance.venue_id == venue
        device = f"charger-{self.number}-{self.rounds % 4}"  # a client has at most 256 devices
        events = session(streamed.guidance_token, device=device)
        assert caller.submit(venue, events).stored_count == 3
        assert caller.submit(venue, events).duplicate_count == 3
        stream.cancel()


@pytest.mark.parametrize("store", ["on disk", "in memory"])
def test_everything_at_once_on_four_loops(data: Path, store: str) -> None:
    data.mkdir()
    flags = ["--loops", "4", "--guidance-min-interval", "0"]
    flags += ["--store", "memory:"] if store == "in memory" else []
    with Server(data, *flags) as server, Demo(server) as demo:
        clients = [Client(server, number, time.monotonic() + SECONDS) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        published = 0
        while any(client.is_alive() for client in clients):
            for venue in (CALIFORNIA, OTHER):
                assert demo.publish_forecast(venue).stored_count == 48
                published += 1
            time.sleep(0.05)
        for client in clients:
            client.join(within(20))
        assert [client.error for client in clients] == [None] * CLIENTS
        rounds = sum(client.rounds for client in clients)
        print(f"measured: {rounds} rounds of seven calls, {published} forecasts meanwhile, store {store}")
