"""The Python and the C client against a real server, and the C client against servers that misbehave."""

from __future__ import annotations

import base64
import json
import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import hpack
import pytest

from .caller import CALIFORNIA, HAWAII, Demo
from .raw_http2 import DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, frame
from .server import ROOT, Server

LIMIT = 60
PYTHON_EXAMPLE = ROOT / "clients" / "python" / "examples" / "charge_car.py"
C_CLIENT = ROOT / "clients" / "c"
C_EXAMPLE = C_CLIENT / "build" / "charge_car"
VALGRIND = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=99"]


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)


@pytest.fixture(scope="session")
def c_example() -> list[str]:
    """The C example under valgrind, which makes any leak or error exit code 99."""
    built = run("make", "-s", "-j2", "-C", C_CLIENT, "all", "test-programs")
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    return [*VALGRIND, str(C_EXAMPLE)]


@pytest.fixture(params=["python", "c"])
def example(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "python":
        return [sys.executable, str(PYTHON_EXAMPLE)]
    return request.getfixturevalue("c_example")


def test_the_example_charges_a_car(server: Server, example: list[str]) -> None:
    result = run(*example, server.data / "demo.json")
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    for venue in server.demo["venues"]:
        assert f"  {venue['name']} ({venue['grid_region']}, " in result.stdout
    assert len(re.findall(r"^  \w{3} \d\d:\d\d - .*\d\.\d\d █*$", result.stdout, re.M)) >= 5
    assert re.search(r"^Best two hours: \w{3} \d\d:\d\d to \w{3} \d\d:\d\d, mean rating 0\.\d\d$", result.stdout, re.M)
    assert "Charging session submitted: 3 events stored, 0 known before" in result.stdout


def test_both_examples_pick_the_same_hours(server: Server, demo: Demo, c_example: list[str]) -> None:
    def best(command: list[str]) -> str:
        return re.search(r"^Best two hours: .*$", run(*command, server.data / "demo.json").stdout, re.M)[0]

    assert best([sys.executable, str(PYTHON_EXAMPLE)]) == best(c_example)


def test_the_example_names_the_reason_of_a_refusal(server: Server, example: list[str]) -> None:
    hawaii = server.demo["venues"][HAWAII]["name"]
    result = run(*example, server.data / "demo.json", "--venue", hawaii)
    assert result.returncode == 1
    assert "FAILED_PRECONDITION" in result.stderr and "UNSUPPORTED_REGION" in result.stderr
    result = run(*example, server.data / "demo.json", "--api-key", "ek_" + "A" * 43)
    assert result.returncode == 1
    assert "UNAUTHENTICATED" in result.stderr


def test_the_example_says_so_where_nothing_answers(server: Server, example: list[str]) -> None:
    result = run(*example, server.data / "demo.json", "--address", "127.0.0.1:1")
    assert result.returncode == 1
    assert "UNAVAILABLE" in result.stderr
    result = run(*example, server.data / "none.json")
    assert result.returncode == 2
    assert "none.json" in result.stderr


# MARK: The C client by itself


def test_the_c_client_passes_its_own_tests(c_example: list[str]) -> None:
    result = run(*VALGRIND, C_CLIENT / "build" / "tests" / "unit")
    assert (result.returncode, result.stdout) == (0, "all tests passed\n"), result.stdout + result.stderr


def test_the_c_client_connects_again_after_a_restart(c_example: list[str], data: Path) -> None:
    program = [*VALGRIND, str(C_CLIENT / "build" / "tests" / "list_venues")]
    with Server(data) as server:
        address, key = server.address, server.demo["clients"][0]["api_key"]
        client = subprocess.Popen([*program, address, key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

        def list_venues() -> str:
            client.stdin.write("\n")
            client.stdin.flush()
            return client.stdout.readline().strip()

        assert [list_venues(), list_venues()] == ["OK 3", "OK 3"]
        assert server.stop() == 0
    assert list_venues() == "UNAVAILABLE"
    with Server(data, listen=address):
        assert list_venues() == "OK 3"
    client.stdin.close()
    assert client.wait(timeout=LIMIT) == 0


# MARK: buf curl


def buf_curl(server: Server, method: str, request: dict) -> subprocess.CompletedProcess[str]:
    buf = Path(sys.executable).with_name("buf")
    if not buf.exists():
        found = shutil.which("buf")
        assert found, "buf is missing (Tests/requirements.txt)"
        buf = Path(found)
    key = server.demo["clients"][0]["api_key"]
    return run(
        *(buf, "curl", "--schema", ROOT / "proto", "--protocol", "grpc", "--http2-prior-knowledge"),
        *("-H", f"authorization: Bearer {key}", "-d", json.dumps(request)),
        f"http://{server.address}/energykit.v1.{method}",
    )


def test_buf_curl_works_with_the_proto_files(server: Server, demo: Demo) -> None:
    """G-074."""
    result = buf_curl(server, "EnergyVenueService/ListVenues", {})
    assert result.returncode == 0, result.stderr
    assert {venue["id"] for venue in json.loads(result.stdout)["venues"]} == set(demo.venues)
    query = {"venueId": demo.venues[CALIFORNIA], "suggestedAction": "SUGGESTED_ACTION_SHIFT"}
    guidance = json.loads(buf_curl(server, "ElectricityGuidanceService/GetGuidance", query).stdout)["guidance"]
    assert guidance["gridRegion"] == demo.regions[CALIFORNIA]
    refused = buf_curl(server, "ElectricityGuidanceService/GetGuidance", {**query, "venueId": demo.venues[HAWAII]})
    assert refused.returncode != 0
    error = json.loads(refused.stderr)
    assert error["code"] == "failed_precondition"
    value = error["details"][0]["value"]
    assert b"UNSUPPORTED_REGION" in base64.b64decode(value + "=" * (-len(value) % 4))


# MARK: Servers that misbehave, for the C client


Behaviour = Callable[[socket.socket, int], None]


def headers(*fields: tuple[str, str]) -> bytes:
    return hpack.Encoder().encode(list(fields), huffman=False)


GOOD_HEADERS = headers((":status", "200"), ("content-type", "application/grpc"))


def send(*frames: tuple[int, int, bytes]) -> Behaviour:
    """Answers a call with these frames (kind, flags, payload)."""

    def behave(peer: socket.socket, stream: int) -> None:
        for kind, flags, payload in frames:
            peer.sendall(frame(kind, flags, stream, payload))

    return behave


def hang_up(peer: socket.socket, stream: int) -> None:
    peer.close()


def noise(peer: socket.socket, stream: int) -> None:
    peer.sendall(bytes(range(256)) * 256)


def data_then(payload: bytes, *more: tuple[int, int, bytes]) -> Behaviour:
    return send((HEADERS, END_HEADERS, GOOD_HEADERS), (DATA, 0, payload), *more)


def trailers(*fields: tuple[str, str]) -> tuple[int, int, bytes]:
    return (HEADERS, END_HEADERS | END_STREAM, headers(*fields))


OK = trailers(("grpc-status", "0"))
MISBEHAVIOURS: dict[str, tuple[Behaviour, str]] = {
    "hangs up": (hang_up, "UNAVAILABLE"),
    "sends noise": (noise, "UNAVAILABLE"),
    "sends a page": (
        send((HEADERS, END_HEADERS | END_STREAM, headers((":status", "503"), ("content-type", "text/html")))),
        "UNAVAILABLE",
    ),
    "is no gRPC": (
        send((HEADERS, END_HEADERS | END_STREAM, headers((":status", "200"), ("content-type", "text/html")))),
        "UNKNOWN",
    ),
    "ends without a status": (data_then(b"\0\0\0\0\0", (DATA, END_STREAM, b"")), "INTERNAL"),
    "answers with nothing": (send((HEADERS, END_HEADERS, GOOD_HEADERS), OK), "INTERNAL"),
    "answers twice": (data_then(b"\0\0\0\0\0" * 2, OK), "INTERNAL"),
    "answers half": (data_then(b"\0\0\0\0\x09abc", OK), "INTERNAL"),
    "announces 4 GiB": (data_then(b"\0\xff\xff\xff\xff" + b"abc"), "RESOURCE_EXHAUSTED"),
    "compresses": (data_then(b"\1\0\0\0\3abc"), "INTERNAL"),
    "sends what is no message": (data_then(b"\0\0\0\0\4\xff\xff\xff\xff", OK), "INTERNAL"),
    "asks for much memory": (data_then(struct.pack(">BI", 0, 16000) + b"\x0a\x00" * 8000, OK), "INTERNAL"),
    "resets the call": (send((RST_STREAM, 0, struct.pack(">I", 7))), "UNAVAILABLE"),
    "sends a status that is none": (
        send(trailers((":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "abc"))),
        "UNKNOWN",
    ),
    "sends long and broken details": (
        send(
            trailers(
                (":status", "200"),
                ("content-type", "application/grpc"),
                ("grpc-status", "5"),
                ("grpc-message", "no%E2%82%ACsuch%" + "x" * 5000),
                ("grpc-status-details-bin", "!" * 3000),
            )
        ),
        "NOT_FOUND: no€such",
    ),
    "sends details that are none": (
        send(
            trailers(
                (":status", "200"),
                ("content-type", "application/grpc"),
                ("grpc-status", "9"),
                ("grpc-status-details-bin", "A" * 4000),
            )
        ),
        "FAILED_PRECONDITION",
    ),
}


class Misbehaving:
    """An HTTP/2 server that answers every call in one wrong way."""

    def __init__(self, behave: Behaviour):
        self.behave = behave
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(LIMIT)
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            while True:
                peer, _ = self.listener.accept()
                with peer:
                    self._serve_one(peer)
        except OSError:
            pass  # closed

    def _serve_one(self, peer: socket.socket) -> None:
        peer.settimeout(LIMIT)
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        connection.initiate_connection()
        peer.sendall(connection.data_to_send())
        while data := peer.recv(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.StreamEnded):
                    peer.sendall(connection.data_to_send())
                    self.behave(peer, event.stream_id)
            if peer.fileno() < 0:
                return
            peer.sendall(connection.data_to_send())

    def close(self) -> None:
        self.listener.close()


@pytest.fixture
def misbehaving() -> Iterator[Callable[[Behaviour], str]]:
    servers: list[Misbehaving] = []

    def start(behave: Behaviour) -> str:
        servers.append(Misbehaving(behave))
        return servers[-1].address

    yield start
    for each in servers:
        each.close()


@pytest.mark.heavy
@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_the_c_client_survives_a_server_that(c_example: list[str], misbehaving, name: str) -> None:
    """G-070, G-071."""
    behave, expected = MISBEHAVIOURS[name]
    result = run(*c_example, "--address", misbehaving(behave), "--api-key", "ek_x")
    assert result.returncode == 1, result.stderr
    assert expected in result.stderr
    print(result.stderr.strip())


@pytest.mark.heavy
def test_the_c_client_gives_up_on_a_server_that_never_answers(c_example: list[str], misbehaving) -> None:
    result = run(*c_example, "--address", misbehaving(lambda peer, stream: None), "--api-key", "ek_x")
    assert result.returncode == 1
    assert "DEADLINE_EXCEEDED" in result.stderr
