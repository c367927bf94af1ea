"""Where the server listens: IPv4, IPv6, unix sockets, several at once."""

import os
import signal
import socket
import stat
import time

import pytest
from sanitizers import within

from echo_server import EchoServer, channel, eventually, unary


def answers(address, text=b"x"):
    with channel(address) as connection:
        return unary(connection, "Unary")(text, timeout=within(5)) == text


@pytest.mark.parametrize("address", ["127.0.0.1:0", "[::1]:0", "unix:PATH"])
def test_listens_on(tmp_path, address):
    """G-027, G-029."""
    address = address.replace("PATH", str(tmp_path / "echo.sock"))
    with EchoServer(address=address) as server:
        assert answers(server.address)


def test_several_at_once_are_said_in_the_order_given(tmp_path):
    """G-027, G-029."""
    path = tmp_path / "echo.sock"
    with EchoServer(address=["[::1]:0", f"unix:{path}", "127.0.0.1:0", "admin+127.0.0.1:0"]) as server:
        kinds = [address.rsplit(":", 1)[0] for address in server.addresses]
        assert kinds == ["[::1]", "unix", "127.0.0.1", "127.0.0.1"]
        assert server.addresses[1] == f"unix:{path}"
        for address in server.addresses:
            assert answers(address)
        server.signal()
        assert server.wait(5) == 0
        assert not path.exists()


def test_both_wildcards_share_a_port():
    """G-029: `[::]` takes IPv4 as well, unless 0.0.0.0 is asked for beside it."""
    with EchoServer(address="[::]:0") as both:
        assert answers(f"127.0.0.1:{both.port}") and answers(f"[::1]:{both.port}")
        port = both.port
    with EchoServer(address=[f"[::]:{port}", f"0.0.0.0:{port}"]) as two:
        assert answers(f"127.0.0.1:{port}") and answers(f"[::1]:{port}")
        assert two.addresses == [f"[::]:{port}", f"0.0.0.0:{port}"]


def test_unix_socket_of_a_dead_server_is_replaced(tmp_path):
    """G-027."""
    path = tmp_path / "echo.sock"
    with EchoServer(address=f"unix:{path}") as first:
        first.signal(signal.SIGKILL)
        first.wait(5)
    assert stat.S_ISSOCK(os.stat(path).st_mode)
    with EchoServer(address=f"unix:{path}") as second:
        assert answers(second.address)


def test_unix_socket_of_a_living_server_is_not(tmp_path):
    """G-027, G-028."""
    path = tmp_path / "echo.sock"
    with EchoServer(address=f"unix:{path}") as first:
        with EchoServer(address=f"unix:{path}", wait=False) as second:
            assert second.wait(10) not in (0, None)
            eventually(lambda: second.errors, 1, "a word on standard error")
            assert len(second.errors) == 1
            assert str(path) in second.errors[0] and "already in use" in second.errors[0]
        assert answers(first.address)


def test_one_taken_address_of_several_is_named_and_the_others_are_let_go(echo, tmp_path):
    """G-028."""
    path = tmp_path / "echo.sock"
    with EchoServer(address=[f"unix:{path}", echo.address], wait=False) as second:
        assert second.wait(10) not in (0, None)
        eventually(lambda: second.errors, 1, "a word on standard error")
        assert echo.address in second.errors[0] and str(path) not in second.errors[0]
        assert second.lines.get(timeout=within(1)) is None
    assert not path.exists()


@pytest.mark.parametrize("mode", ["600", "660", "666"])
def test_permissions_of_a_unix_socket(tmp_path, mode):
    path = tmp_path / "echo.sock"
    with EchoServer("--unix-socket-mode", mode, address=f"unix:{path}"):
        assert stat.S_IMODE(os.stat(path).st_mode) == int(mode, 8)


def test_unix_socket_whose_client_vanishes(tmp_path):
    """G-109."""
    path = tmp_path / "echo.sock"
    with EchoServer(address=["127.0.0.1:0", f"unix:{path}"]) as server:
        # Each loop of the server keeps a descriptor in reserve from its first connection on.
        come_and_go(server, path)
        before = settled_descriptors(server)
        come_and_go(server, path)
        eventually(lambda: server.descriptors() <= before, 2, "descriptors are closed")


def come_and_go(server, path):
    """Twenty clients that say nothing."""
    before = server.descriptors()
    clients = []
    for _ in range(20):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(path))
        clients.append(client)
    eventually(lambda: server.descriptors() >= before + 20, 2, "connections are taken")
    for client in clients:
        client.close()


def settled_descriptors(server):
    """The server's descriptors when connections that were closed are gone for it too."""
    count = server.descriptors()
    for _ in range(100):
        time.sleep(0.05)
        now = server.descriptors()
        if now == count:
            return count
        count = now
    raise AssertionError("descriptors come and go")
