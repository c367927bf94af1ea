"""Ten thousand subscribers on a hundred connections."""

from __future__ import annotations

import selectors
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from energykit.v1.guidance_pb2 import StreamGuidanceRequest, StreamGuidanceResponse

from .caller import BASE, CALIFORNIA, FULL, OTHER, SHIFT, Demo, clear_of_the_hour, error_of, session
from .prober import Prober
from .raw_http2 import DATA, GOAWAY, HEADERS, RST_STREAM, Frame, RawConnection, split_messages
from .server import Server, is_release, wait_for

STREAM_GUIDANCE = "/energykit.v1.ElectricityGuidanceService/StreamGuidance"
CONNECTIONS, STREAMS = 100, 100
PAIRS = [(client, venue) for client in (FULL, BASE) for venue in (CALIFORNIA, OTHER)]
KIB_PER_SUBSCRIPTION = 2  # twice the target


@dataclass
class Subscriber:
    pair: tuple[int, int]
    partial: bytes = b""
    messages: list[StreamGuidanceResponse] = field(default_factory=list)


class Crowd:
    """Subscribers of all pairs of client and venue, evenly over the connections, read by one thread."""

    def __init__(self, demo: Demo):
        self.demo = demo
        self.connections = [RawConnection(demo.server.address) for _ in range(CONNECTIONS)]
        self.subscribers: list[dict[int, Subscriber]] = [{} for _ in self.connections]
        self.received = 0  # whole messages, of all
        self.selector = selectors.DefaultSelector()
        for index, connection in enumerate(self.connections):
            self.selector.register(connection.socket, selectors.EVENT_READ, index)

    def subscribe(self) -> None:
        requests = {
            venue: StreamGuidanceRequest(venue_id=self.demo.venues[venue], suggested_action=SHIFT).SerializeToString()
            for _, venue in PAIRS
        }
        for number in range(STREAMS):
            for index, connection in enumerate(self.connections):
                pair = PAIRS[(number + index) % len(PAIRS)]
                block = connection.header_block(STREAM_GUIDANCE, self.demo.keys[pair[0]])
                stream = connection.new_stream()
                self.subscribers[index][stream] = Subscriber(pair)
                connection.send(connection.call_bytes(stream, block, requests[pair[1]]))
            self.read(0)

    def all(self) -> Iterator[Subscriber]:
        return (subscriber for of_one in self.subscribers for subscriber in of_one.values())

    def read(self, limit: float) -> None:
        """Takes what has come."""
        for key, _ in self.selector.select(limit):
            frames = self.connections[key.data].read()
            assert frames is not None, "the server has ended a connection"
            self.received += sum(self._take(self.subscribers[key.data], each) for each in frames)

    def _take(self, subscribers: dict[int, Subscriber], each: Frame) -> int:
        assert each.kind not in (RST_STREAM, GOAWAY), each
        assert not (each.kind == HEADERS and each.ends_stream), "a stream has ended"
        if each.kind != DATA:
            return 0
        subscriber = subscribers[each.stream]
        found, subscriber.partial = split_messages(subscriber.partial + each.payload)
        subscriber.messages += [StreamGuidanceResponse.FromString(data) for data in found]
        return len(found)

    def read_until(self, count: int, limit: float) -> float:
        """Reads until `count` messages have come in all; returns when the last did."""
        deadline = time.monotonic() + limit
        while self.received < count:
            assert time.monotonic() < deadline, f"{count - self.received} messages are missing"
            self.read(0.2)
        assert self.received == count
        return time.monotonic()

    def close(self) -> None:
        self.selector.close()
        for connection in self.connections:
            connection.close()


@pytest.mark.heavy
def test_ten_thousand_subscribers_each_get_the_update_with_a_token_of_their_own(data: Path) -> None:
    """G-096, G-110."""
    clear_of_the_hour(120)
    with Server(data, "--guidance-min-interval", "0") as server, Demo(server) as demo:
        for pair in PAIRS:
            demo.token(*pair)
        crowd = Crowd(demo)
        crowd.read(0.5)
        connected = server.rss_kib()
        start = time.monotonic()
        crowd.subscribe()
        total = CONNECTIONS * STREAMS
        subscribed = crowd.read_until(total, 60) - start
        time.sleep(0.5)
        per_subscription = (server.rss_kib() - connected) / total
        print(f"measured: {total} subscriptions and first guidances in {subscribed:.2f} s")
        print(f"measured: {per_subscription:.3f} KiB resident per idle subscription")

        with Prober(server):
            start = time.monotonic()
            for venue in (CALIFORNIA, OTHER):
                answer = demo.publish_forecast(venue)
                assert answer.guidance_changed
                assert answer.subscribers_notified == total // 2
            last = crowd.read_until(2 * total, 60) - start
        print(f"measured: {total} updates received {last * 1000:.0f} ms after the first publication (read in Python)")

        check_tokens(demo, crowd)
        sockets = server.socket_count()
        crowd.close()
        assert wait_for(lambda: server.socket_count() <= sockets - CONNECTIONS, 1)
        assert server.stop() == 0
    if is_release():
        assert per_subscription <= KIB_PER_SUBSCRIPTION


def check_tokens(demo: Demo, crowd: Crowd) -> None:
    tokens: dict[tuple[int, int], set[str]] = {pair: set() for pair in PAIRS}
    first_tokens: dict[tuple[int, int], set[str]] = {pair: set() for pair in PAIRS}
    values: dict[int, set[bytes]] = {CALIFORNIA: set(), OTHER: set()}
    for subscriber in crowd.all():
        assert len(subscriber.messages) == 2
        first, second = (message.guidance for message in subscriber.messages)
        _, venue = subscriber.pair
        assert first.venue_id == second.venue_id == demo.venues[venue]
        first_tokens[subscriber.pair].add(first.guidance_token)
        tokens[subscriber.pair].add(second.guidance_token)
        values[venue].add(b"".join(value.SerializeToString(deterministic=True) for value in second.values))
    # One token per client, venue and guidance; the same values for all of a region.
    assert all(len(each) == 1 for each in [*tokens.values(), *first_tokens.values(), *values.values()])
    assert len({token for each in tokens.values() for token in each}) == len(PAIRS)
    for owner, (token,) in tokens.items():
        assert demo.token(*owner) == token  # the stream's is the current one
        for client, venue in PAIRS:
            events = session(token, device=f"charger-{client}{venue}")
            submit = lambda: demo.caller(client).submit(demo.venues[venue], events)  # noqa: E731
            if owner == (client, venue):
                assert submit().stored_count == 3
            else:
                assert {each.reason for each in error_of(submit).violations} == {"UNKNOWN_GUIDANCE_TOKEN"}
    print(f"measured: {sum(Counter(s.pair for s in crowd.all()).values())} tokens checked, for {len(PAIRS)} pairs")


@pytest.mark.heavy
def test_subscribing_and_leaving_again_and_again_leaks_nothing(data: Path) -> None:
    """Five crowds of ten thousand, one after another: what the first has cost, the later ones use again."""
    with Server(data) as server, Demo(server) as demo:
        demo.token()
        sockets = server.socket_count()
        sizes, descriptors = [], []
        for _ in range(5):
            crowd = Crowd(demo)
            crowd.subscribe()
            crowd.read_until(CONNECTIONS * STREAMS, 60)
            for connection in crowd.connections:
                connection.abort()
            crowd.selector.close()
            assert wait_for(lambda: server.socket_count() <= sockets, 1)
            sizes.append(server.rss_kib())
            descriptors.append(server.descriptor_count())
        print(f"measured: resident after each of five crowds, KiB: {sizes}")
        assert descriptors[-1] <= descriptors[0]
        assert sizes[-1] - sizes[1] < 2048
