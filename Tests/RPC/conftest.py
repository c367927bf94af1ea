"""Tests of the gRPC server by real clients: grpcio, and a raw HTTP/2 client for what grpcio never sends.

Requirement ids (G-...) are those of docs/requirements.md.
"""

import pathlib
import sys

import pytest
from sanitizers import within

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from echo_server import EchoServer

SECONDS = 30


def pytest_configure(config):
    config.addinivalue_line("markers", "memory: bounds of resident memory, which a sanitizer's build exceeds")
    config.addinivalue_line("markers", "heavy: takes long or wants a release build; not part of the quick suite")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(within(SECONDS)))


@pytest.fixture(scope="session")
def shared_echo():
    with EchoServer() as server:
        yield server


@pytest.fixture
def echo(shared_echo):
    """A running server; fails the test where it did not survive it."""
    yield shared_echo
    assert shared_echo.is_alive(), shared_echo.errors


@pytest.fixture
def fresh_echo():
    """A server of the test's own."""
    with EchoServer() as server:
        yield server
        assert server.is_alive(), server.errors
