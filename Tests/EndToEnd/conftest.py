from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sanitizers import within

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from .caller import Demo
from .operator import Operator
from .server import Server

LIGHT_LIMIT = 90  # seconds
HEAVY_LIMIT = 600


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "memory: measures memory, which a sanitizer multiplies")
    config.addinivalue_line("markers", "heavy: takes long or much; left out by `make check`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.get_closest_marker("timeout") is None:
            is_heavy = item.get_closest_marker("heavy") is not None
            item.add_marker(pytest.mark.timeout(within(HEAVY_LIMIT if is_heavy else LIGHT_LIMIT)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a file. New guidance is sent as soon as there is any."""
    with Server(tmp_path_factory.mktemp("server") / "data", "--guidance-min-interval", "0") as running:
        yield running
        assert running.is_running(), f"energykitd has ended:\n{running.log_text()[-4000:]}"


@pytest.fixture(scope="module")
def demo(server: Server) -> Iterator[Demo]:
    with Demo(server) as demo:
        yield demo


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A directory for a server's data, not yet there."""
    return tmp_path / "data"


QUICK_COMMITS = 40  # more than a start needs


@pytest.fixture
def slow(data: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server on a disk on which each commit takes so many milliseconds; those of its start do not."""
    if shutil.which("strace") is None:
        pytest.fail("strace is missing (scripts/packages.txt)")
    delay = f"inject=fdatasync:delay_enter={request.param * 1000}:when={QUICK_COMMITS}+"
    wrapper = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", delay]
    with Server(data, wrapper=wrapper) as server:
        with Demo(server) as demo:
            operator = Operator(demo)
            assert any(seconds(operator.make_client) >= request.param / 1000 for _ in range(QUICK_COMMITS + 1))
        yield server


def seconds(body: Callable[[], object]) -> float:
    begin = time.monotonic()
    body()
    return time.monotonic() - begin
