"""Compressed requests and answers of energykitd; Tests/RPC has what concerns the transport alone."""

from __future__ import annotations

import grpc
import pytest
from energykit.v1 import venue_pb2
from grpc_reflection.v1alpha import reflection_pb2

from .caller import CALIFORNIA, Caller, Demo, error_of, session
from .raw_http2 import RawConnection
from .server import Server

REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


@pytest.mark.parametrize("coding", [grpc.Compression.Gzip, grpc.Compression.Deflate], ids=str)
def test_load_events_may_come_compressed(server: Server, demo: Demo, coding: grpc.Compression) -> None:
    """G-054: a batch of 2,000 events."""
    with grpc.insecure_channel(server.address, compression=coding) as channel:
        caller = Caller(channel, demo.caller().key)
        events = session(demo.token(), device=f"charger-{coding.name}", count=2000)
        assert caller.submit(demo.venues[CALIFORNIA], events).stored_count == 2000
        assert demo.caller().submit(demo.venues[CALIFORNIA], events).duplicate_count == 2000


def test_a_bomb_from_who_may_not_call_is_not_looked_at(server: Server, demo: Demo) -> None:
    """G-047, G-057: the key comes first; with a key the size is what counts."""
    venues = "/energykit.v1.EnergyVenueService/ListVenues"
    with grpc.insecure_channel(server.address) as channel:
        call = channel.unary_unary(venues)
        request = venue_pb2.ListVenuesRequest(page_token="x" * (5 << 20)).SerializeToString()

        def ask(metadata):
            return error_of(lambda: call(request, metadata=metadata, compression=grpc.Compression.Gzip, timeout=20)).code

        assert ask(()) == grpc.StatusCode.UNAUTHENTICATED
        assert ask(demo.caller().metadata) == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_large_answers_are_compressed_for_who_takes_that(server: Server) -> None:
    """G-040: the bytes on the wire."""
    question = reflection_pb2.ServerReflectionRequest(file_by_filename="energykit/v1/admin.proto").SerializeToString()
    sizes = {}
    for accepted in ["identity", "identity,deflate,gzip"]:
        connection = RawConnection(server.address)
        stream = connection.new_stream()
        block = connection.header_block(REFLECTION, None, {"grpc-accept-encoding": accepted})
        connection.send(connection.call_bytes(stream, block, question))
        answer = connection.answers([stream], 20)[stream]
        assert answer.grpc_status == 0
        assert answer.header("grpc-encoding") == ("gzip" if "gzip" in accepted else None)
        sizes[accepted] = len(answer.data)
        connection.close()
    print(f"measured: admin.proto and its imports, plain and compressed: {list(sizes.values())} bytes")
    assert sizes["identity,deflate,gzip"] < sizes["identity"] / 2
