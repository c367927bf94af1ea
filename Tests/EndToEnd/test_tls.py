"""energykitd's TLS listeners: start, calls, reload on SIGHUP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from certificates import Authority, Pair

from .caller import FULL, Caller
from .server import ROOT, Server, run_once, wait_for

BUF = Path(sys.executable).with_name("buf")


class Site:
    def __init__(self, directory: Path):
        self.authority = Authority(directory)
        self.server = self.authority.issue_server()
        self.client = self.authority.issue_client()

    @property
    def flags(self) -> list[str]:
        return [
            "--tls-cert", str(self.server.chain_path), "--tls-key", str(self.server.key_path),
            "--tls-client-ca", str(self.authority.path),
        ]  # fmt: skip

    def channel(self, address: str, client: Pair | None = None) -> grpc.Channel:
        credentials = grpc.ssl_channel_credentials(
            self.authority.pem, client.key_bytes if client else None, client.chain if client else None
        )
        return grpc.secure_channel(address, credentials, options=[("grpc.use_local_subchannel_pool", 1)])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    yield Site(tmp_path)


def venues(server: Server, channel: grpc.Channel) -> int:
    return len(Caller(channel, server.demo["clients"][FULL]["api_key"]).list_venues())


def test_calls_over_tls_and_mutual_tls(site: Site, data: Path) -> None:
    """G-024, G-026."""
    with Server(data, *site.flags, "--listen", "mtls+127.0.0.1:0", listen="tls+127.0.0.1:0") as server:
        second = server.next_line().removeprefix("listening on ")
        with site.channel(server.address) as channel:
            assert venues(server, channel) == 3
        with site.channel(second, site.client) as channel:
            assert venues(server, channel) == 3
        with site.channel(second) as channel, pytest.raises(grpc.RpcError) as error:
            venues(server, channel)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
        assert wait_for(lambda: "a TLS connection has failed" in server.log_text())
        line = next(line for line in server.log_text().splitlines() if "a TLS connection has failed" in line)
        assert "the peer's certificate is refused: there is none" in line
        assert "not encrypted" not in server.log_text()


def test_sighup_reads_certificates_anew_and_a_bad_file_changes_nothing(site: Site, data: Path) -> None:
    """G-026."""
    with Server(data, *site.flags, listen="tls+127.0.0.1:0") as server:
        with site.channel(server.address) as old:
            assert venues(server, old) == 3
            site.server.key_path.write_text("no key\n")
            os.kill(server.pid, signal.SIGHUP)
            assert wait_for(lambda: "certificates cannot be used; those read before stay" in server.log_text())
            assert "holds no private key" in server.log_text()
            with site.channel(server.address) as channel:
                assert venues(server, channel) == 3

            # A new authority altogether: who trusts the old one alone is no longer served, but the open connection is.
            other = Authority(data.parent, "other authority")
            other.issue_server("newer").write(onto=site.server)
            os.kill(server.pid, signal.SIGHUP)
            assert wait_for(lambda: "certificates read anew" in server.log_text())
            with site.channel(server.address) as channel, pytest.raises(grpc.RpcError):
                venues(server, channel)
            site.authority = other
            with site.channel(server.address) as channel:
                assert venues(server, channel) == 3
            assert venues(server, old) == 3


@pytest.mark.parametrize("fault", ["missing", "not readable", "another's key"])
def test_certificates_that_cannot_be_used_are_one_clear_line_and_exit_code_2(
    site: Site, data: Path, fault: str
) -> None:
    key, words = {
        "missing": (data.parent / "none.key", "No such file or directory"),
        "not readable": (data.parent, "Is a directory"),
        "another's key": (site.client.key_path, "is not the key of the certificate in"),
    }[fault]
    result = run_once(
        "--data", str(data), "--listen", "tls+127.0.0.1:0", "--tls-cert", str(site.server.chain_path), "--tls-key", str(key)
    )
    assert result.returncode == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert str(key) in result.stderr and words in result.stderr
    assert result.stdout == "" and not data.exists()


def test_a_listener_in_the_clear_beyond_loopback_is_warned_of(data: Path) -> None:
    with Server(data, listen="0.0.0.0:0") as server:
        assert wait_for(lambda: "warning a listener is not encrypted address=0.0.0.0:" in server.log_text())


def test_a_unix_socket_serves_and_goes_with_the_server(data: Path) -> None:
    """G-027."""
    path = data.parent / "rpc.sock"
    with Server(data, listen=f"unix:{path}") as server:
        assert server.address == server.demo["address"] == f"unix:{path}"
        assert path.stat().st_mode & 0o777 == 0o660
        with grpc.insecure_channel(server.address) as channel:
            assert venues(server, channel) == 3
    assert not path.exists()


def test_buf_curl_speaks_to_it_as_the_documents_say(site: Site, data: Path) -> None:
    with Server(data, *site.flags, listen="mtls+127.0.0.1:0") as server:
        key = server.demo["clients"][FULL]["api_key"]
        result = subprocess.run(
            [
                BUF, "curl", "--schema", "proto", "--protocol", "grpc", "--cacert", str(site.authority.path),
                "--cert", str(site.client.chain_path), "--key", str(site.client.key_path),
                "-H", f"authorization: Bearer {key}", "-d", "{}",
                f"https://{server.address}/energykit.v1.EnergyVenueService/ListVenues",
            ],
            capture_output=True, text=True, timeout=60, cwd=ROOT,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        assert len(json.loads(result.stdout)["venues"]) == 3
