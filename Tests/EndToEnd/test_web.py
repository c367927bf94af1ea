"""gRPC-Web as a page would call energykitd: over TLS, with a key, by curl."""

from __future__ import annotations

import base64
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Authority
from energykit.v1 import guidance_pb2, venue_pb2
from sanitizers import within

from .caller import CALIFORNIA, FULL, SHIFT
from .server import Server, run_once

PAGE = "https://app.example.com"
KINDS = ["application/grpc-web+proto", "application/grpc-web-text+proto"]
OK = b"grpc-status: 0\r\n"


class Site:
    def __init__(self, directory: Path, server: Server, authority: Authority):
        self.directory = directory
        self.server = server
        self.authority = authority

    def command(self, method: str, request: bytes, kind: str, key: str, *flags: str) -> list[str]:
        body = struct.pack(">BI", 0, len(request)) + request
        file = self.directory / "request"
        file.write_bytes(base64.b64encode(body) if "text" in kind else body)
        return [
            "curl", "--silent", "--show-error", "--http2", "--no-buffer", "--cacert", str(self.authority.path),
            "--max-time", str(within(20)), "-H", f"content-type: {kind}", "-H", f"origin: {PAGE}",
            "-H", f"authorization: Bearer {key}", *flags, "--data-binary", f"@{file}",
            f"https://localhost:{self.server.port}/energykit.v1.{method}",
        ]  # fmt: skip

    def call(self, method: str, request: bytes, kind: str, key: str, *flags: str) -> bytes:
        done = subprocess.run(self.command(method, request, kind, key, *flags), capture_output=True, check=True)
        return plain(done.stdout, kind)

    @property
    def key(self) -> str:
        return self.server.demo["clients"][FULL]["api_key"]

    @property
    def venue(self) -> str:
        return self.server.demo["venues"][CALIFORNIA]["id"]


def plain(data: bytes, kind: str) -> bytes:
    if "text" not in kind:
        return data
    return b"".join(base64.b64decode(piece, validate=True) for piece in re.findall(rb"[^=]+={0,2}", data))


def frames(data: bytes) -> list[tuple[int, bytes]]:
    found = []
    while len(data) >= 5:
        flag, length = struct.unpack(">BI", data[:5])
        found.append((flag, data[5 : 5 + length]))
        data = data[5 + length :]
    assert data == b""
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("web")
    authority = Authority(directory)
    pair = authority.issue_server()
    flags = ["--tls-cert", str(pair.chain_path), "--tls-key", str(pair.key_path), "--web-origin", PAGE]
    with Server(directory / "data", *flags, listen="tls+127.0.0.1:0") as server:
        yield Site(directory, server, authority)


@pytest.mark.parametrize("kind", KINDS)
def test_guidance_for_a_page(site: Site, kind: str) -> None:
    """G-131, G-132, G-134."""
    request = guidance_pb2.GetGuidanceRequest(venue_id=site.venue, suggested_action=SHIFT).SerializeToString()
    message, trailers = frames(site.call("ElectricityGuidanceService/GetGuidance", request, kind, site.key))
    answer = guidance_pb2.GetGuidanceResponse.FromString(message[1])
    assert answer.guidance.venue_id == site.venue and len(answer.guidance.values) > 10
    assert trailers == (0x80, OK)


@pytest.mark.parametrize("kind", KINDS)
def test_stream_of_guidance_for_a_page(site: Site, kind: str) -> None:
    """G-131, G-132: the first message comes at once, by the fan-out, while the stream stays open."""
    request = guidance_pb2.StreamGuidanceRequest(venue_id=site.venue, suggested_action=SHIFT).SerializeToString()
    command = site.command("ElectricityGuidanceService/StreamGuidance", request, kind, site.key)
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        if "text" in kind:
            # Four digits hold three bytes: of eight, the prefix is known.
            head = base64.b64decode(process.stdout.read(8))
            length = struct.unpack(">I", head[1:5])[0]
            rest = base64.b64decode(process.stdout.read((5 + length + 2) // 3 * 4 - 8))
            data = head + rest
        else:
            head = process.stdout.read(5)
            data = head + process.stdout.read(struct.unpack(">I", head[1:5])[0])
        [(flag, message)] = frames(data)
        assert flag == 0
        assert guidance_pb2.StreamGuidanceResponse.FromString(message).guidance.venue_id == site.venue
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("kind", KINDS)
def test_refusal_reaches_the_page(site: Site, kind: str) -> None:
    """G-133, G-134: in the headers, with the details that the page may read."""
    request = venue_pb2.ListVenuesRequest().SerializeToString()
    command = site.command("EnergyVenueService/ListVenues", request, kind, "ek_wrong", "-D", "-")
    # Debian's curl gives up (92) where an answer comes before it has sent its request, which RFC 9113 §8.1 allows.
    for _ in range(20):
        done = subprocess.run(command, capture_output=True)
        if done.returncode != 92:
            break
    assert done.returncode == 0, done.stderr
    headers = dict(line.split(": ", 1) for line in done.stdout.decode().split("\r\n") if ": " in line)
    assert headers["grpc-status"] == "16"
    assert headers["grpc-status-details-bin"]
    assert headers["access-control-allow-origin"] == PAGE
    assert "grpc-status-details-bin" in headers["access-control-expose-headers"]


def test_an_origin_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    result = run_once("--data", str(tmp_path / "data"), "--web-origin", "app.example.com")
    assert result.returncode == 2
    assert "--web-origin app.example.com: expected an origin" in result.stderr
