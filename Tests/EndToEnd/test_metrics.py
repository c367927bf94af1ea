"""Figures and health for the operator, and the log of calls (G-137)."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from .caller import CALIFORNIA, CALL_LIMIT, FULL, NONE, Demo, session
from .server import Server, run_once, wait_for

GUIDANCE = {"grpc_service": "energykit.v1.ElectricityGuidanceService"}


class Figures:
    def __init__(self, server: Server):
        self.server = server
        line = next(line for line in server.log_text().splitlines() if "figures are served" in line)
        self.address = re.search(r"address=(\S+)", line).group(1)

    def get(self, path: str, method: str = "GET") -> tuple[int, str]:
        request = urllib.request.Request(f"http://{self.address}{path}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=CALL_LIMIT) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def families(self) -> dict:
        status, text = self.get("/metrics")
        assert status == 200
        return {family.name: family for family in text_string_to_metric_families(text)}

    def value(self, sample: str, **labels: str) -> float:
        found = [
            each.value
            for family in self.families().values()
            for each in family.samples
            if each.name == sample and labels.items() <= each.labels.items()
        ]
        return sum(found)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("metrics") / "data"
    with Server(data, "--admin-http", "127.0.0.1:0", "--log-calls", "on", "--log-format", "text") as server:
        yield server


@pytest.fixture(scope="module")
def figures(server: Server) -> Figures:
    return Figures(server)


def test_figures_are_what_prometheus_reads(figures: Figures, demo: Demo) -> None:
    """G-137: families have help and a type, counters end in _total, histograms add up."""
    demo.caller().list_venues()
    families = figures.families()
    assert families["grpc_server_handled"].type == "counter"
    assert families["grpc_server_in_flight"].type == "gauge"
    assert families["process_resident_memory_bytes"].samples[0].value > 1e6
    assert families["process_open_fds"].samples[0].value > 5
    assert all(family.documentation for family in families.values())
    buckets = [
        sample
        for sample in families["grpc_server_handling_seconds"].samples
        if sample.name.endswith("_bucket") and sample.labels["grpc_method"] == "ListVenues"
    ]
    counts = [sample.value for sample in buckets]
    assert counts == sorted(counts) and counts[-1] >= 1
    assert buckets[-1].labels["le"] == "+Inf"


def test_calls_are_counted_by_method_and_code(figures: Figures, demo: Demo) -> None:
    """G-137"""
    labels = {"grpc_method": "GetGuidance", **GUIDANCE}
    good = figures.value("grpc_server_handled_total", grpc_code="OK", **labels)
    bad = figures.value("grpc_server_handled_total", grpc_code="PERMISSION_DENIED", **labels)
    request = figures.value("grpc_server_request_bytes_total", **labels)
    answer = figures.value("grpc_server_response_bytes_total", **labels)
    for _ in range(3):
        demo.caller().get_guidance(demo.venues[CALIFORNIA])
    with pytest.raises(grpc.RpcError):
        demo.caller(NONE).get_guidance(demo.venues[CALIFORNIA])
    assert figures.value("grpc_server_handled_total", grpc_code="OK", **labels) == good + 3
    assert figures.value("grpc_server_handled_total", grpc_code="PERMISSION_DENIED", **labels) == bad + 1
    assert figures.value("grpc_server_request_bytes_total", **labels) - request > 3 * 40
    assert figures.value("grpc_server_response_bytes_total", **labels) - answer > 3 * 300


def test_open_streams_are_in_flight(figures: Figures, demo: Demo) -> None:
    """G-137: a subscriber from its first message until it has left, whose leaving is a reset."""
    labels = {"grpc_method": "StreamGuidance", **GUIDANCE}
    resets = figures.value("energykit_calls_reset_total")
    assert figures.value("grpc_server_in_flight", **labels) == 0
    streams = [demo.caller().stream_guidance(demo.venues[CALIFORNIA]) for _ in range(3)]
    for stream in streams:
        next(stream)
    assert figures.value("grpc_server_in_flight", **labels) == 3
    for stream in streams:
        stream.cancel()
    assert wait_for(lambda: figures.value("grpc_server_in_flight", **labels) == 0)
    assert figures.value("energykit_calls_reset_total") == resets + 3
    assert figures.value("grpc_server_handled_total", grpc_code="CANCELLED", **labels) >= 3


def test_events_are_counted_by_what_became_of_them(figures: Figures, demo: Demo) -> None:
    """G-137"""

    def counts() -> list[float]:
        return [figures.value("energykit_load_events_total", outcome=name) for name in ("stored", "duplicate", "refused")]

    before = counts()
    events = session(demo.token())
    demo.caller().submit(demo.venues[CALIFORNIA], events)
    demo.caller().submit(demo.venues[CALIFORNIA], events)
    events[0].id = "nonsense"
    with pytest.raises(grpc.RpcError):
        demo.caller().submit(demo.venues[CALIFORNIA], events)
    assert [after - earlier for after, earlier in zip(counts(), before, strict=True)] == [3, 3, 3]


def test_what_clients_make_up_is_one_label(figures: Figures, demo: Demo) -> None:
    """G-137: a thousand names of methods are no thousand time series."""
    before = len(figures.get("/metrics")[1])
    unknown = figures.value("grpc_server_handled_total", grpc_method="unknown")
    for number in range(1_000):
        with pytest.raises(grpc.RpcError):
            demo.channel.unary_unary(f"/made.up.Service{number}/Method")(b"", timeout=CALL_LIMIT)
    assert figures.value("grpc_server_handled_total", grpc_method="unknown") == unknown + 1_000
    assert len(figures.get("/metrics")[1]) - before < 500


def test_connections_and_bytes_are_counted(figures: Figures, server: Server) -> None:
    """G-137"""
    opened = figures.value("energykit_connections_opened_total")
    received = figures.value("energykit_received_bytes_total")
    with socket.create_connection(("127.0.0.1", server.port)) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
        peer.recv(1_000)
        assert wait_for(lambda: figures.value("energykit_connections_opened_total") == opened + 1)
    assert figures.value("energykit_received_bytes_total") - received >= 18
    assert figures.value("energykit_sent_bytes_total") > 0


@pytest.mark.parametrize(("path", "method", "status"), [("/", "GET", 404), ("/metrics", "POST", 405), ("/healthz", "HEAD", 200)])
def test_other_requests(figures: Figures, path: str, method: str, status: int) -> None:
    assert figures.get(path, method)[0] == status


def test_rude_clients_of_the_figures_hurt_nobody(figures: Figures, demo: Demo) -> None:
    """Two hundred connections that say nothing or nonsense: calls are answered, and so is, in the end, /healthz."""
    host, port = figures.address.rsplit(":", 1)
    peers = []
    for number in range(200):
        peer = socket.create_connection((host, int(port)))
        peer.setblocking(False)
        if number % 2:
            try:
                peer.send(b"GET /" + b"x" * 30_000)
            except (BlockingIOError, ConnectionError):
                pass
        peers.append(peer)
    start = time.monotonic()
    demo.caller().list_venues()
    assert time.monotonic() - start < 2
    for peer in peers:
        peer.close()

    def is_answered() -> bool:
        try:
            return figures.get("/healthz") == (200, "ok\n")
        except OSError:
            return False

    assert wait_for(is_answered, limit=15, step=0.2)


def test_readiness_ends_with_the_drain(data: Path) -> None:
    """G-104, G-137: /readyz turns before the listeners close, /healthz does not."""
    with Server(data, "--admin-http", "127.0.0.1:0", "--drain-delay", "2") as server:
        figures = Figures(server)
        assert figures.get("/readyz") == (200, "ready\n")
        server.terminate()
        assert wait_for(lambda: figures.get("/readyz")[0] == 503)
        assert figures.get("/healthz")[0] == 200


def test_address_of_the_figures_that_is_taken_is_one_clear_line(data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = run_once("--data", str(data), "--listen", "127.0.0.1:0", "--admin-http", address)
    assert result.returncode == 1
    assert f"--admin-http {address}" in result.stderr


# The log of calls

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def calls(server: Server) -> list[dict[str, str]]:
    lines = [line for line in server.log_text().splitlines() if " info call " in line]
    return [dict(re.findall(r"(\w+)=(\S+)", line)) for line in lines]


def test_each_call_is_a_line(server: Server, demo: Demo) -> None:
    """G-137, G-161: who, what, how it ended, in whose trace; no key, no id of a home."""
    before = len(calls(server))
    caller = demo.caller()
    metadata = (*caller.metadata, ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01"), ("x-secret", "hush"))
    method = demo.channel.unary_unary("/energykit.v1.EnergyVenueService/ListVenues")
    method(b"", metadata=metadata, timeout=CALL_LIMIT)
    with pytest.raises(grpc.RpcError):
        caller.with_key("ek_wrong").list_venues()
    with pytest.raises(grpc.RpcError):
        demo.channel.unary_unary("/no/where")(b"", timeout=CALL_LIMIT)
    assert wait_for(lambda: len(calls(server)) >= before + 3)
    good, bad, nowhere = calls(server)[before : before + 3]
    assert good["method"] == "/energykit.v1.EnergyVenueService/ListVenues"
    assert good["code"] == "OK" and good["trace_id"] == TRACE
    assert good["client"] == server.demo["clients"][FULL]["id"]
    assert int(good["response_bytes"]) > 100 and int(good["request_bytes"]) == 5
    assert bad["code"] == "UNAUTHENTICATED" and bad["client"] == "-" and bad["trace_id"] == "-"
    assert nowhere["method"] == "unknown" and nowhere["code"] == "UNIMPLEMENTED"
    text = server.log_text()
    assert "hush" not in text and demo.keys[FULL] not in text and demo.venues[CALIFORNIA] not in text


@pytest.mark.parametrize(
    "value",
    [
        f"00-{TRACE}-0000000000000000-01",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"00-{TRACE.upper()}-00f067aa0ba902b7-01",
        f"00-{TRACE}-00f067aa0ba902b7-01-more",
        f"00-{TRACE}",
        "nonsense",
    ],
)
def test_trace_that_is_malformed_is_none(server: Server, demo: Demo, value: str) -> None:
    """G-137: the call is served all the same."""
    before = len(calls(server))
    method = demo.channel.unary_unary("/energykit.v1.EnergyVenueService/ListVenues")
    method(b"", metadata=(*demo.caller().metadata, ("traceparent", value)), timeout=CALL_LIMIT)
    assert wait_for(lambda: len(calls(server)) > before)
    assert calls(server)[before]["trace_id"] == "-"


def test_calls_are_not_logged_unless_asked_for(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        demo.caller().list_venues()
        assert " info call " not in server.log_text()
