"""What README.md and docs/ say of energykitd, held against it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from energykit.v1 import admin_pb2, guidance_pb2, home_pb2, insight_pb2, load_event_pb2, venue_pb2

from .caller import CALIFORNIA, FULL, Demo
from .raw_http2 import RawConnection
from .server import ROOT, Server

LIMIT = 60  # seconds
UNIMPLEMENTED = 12
CONTRACT = [
    (service.name, method.name)
    for module in (admin_pb2, guidance_pb2, home_pb2, insight_pb2, load_event_pb2, venue_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]


def section(page: str, heading: str) -> str:
    text = (ROOT / page).read_text()
    return re.split(r"^## ", text.split(f"\n## {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def snippets(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def served_methods() -> set[str]:
    """Those that docs/api.md names."""
    rows = re.findall(r"^\| \w* ?\| ([\w, ]+) \|", section("docs/api.md", "Served so far"), re.M)
    return {name for row in rows for name in row.split(", ")} - {"method"}


@pytest.mark.parametrize(("service", "method"), CONTRACT, ids=lambda name: name)
def test_a_method_is_served_or_says_that_it_is_not(demo: Demo, service: str, method: str) -> None:
    with RawConnection(demo.server.address) as peer:
        stream = peer.call(f"/energykit.v1.{service}/{method}", demo.keys[FULL], b"")
        answer = peer.answers([stream], 5)[stream]
    text = f"energykit.v1.{service}/{method} is not served by this version"
    is_refused = answer.grpc_status == UNIMPLEMENTED and answer.header("grpc-message") == text
    assert is_refused == (method not in served_methods()), (answer.grpc_status, answer.header("grpc-message"))


@pytest.fixture
def beside(server: Server, tmp_path: Path) -> Path:
    """A directory in which demo-data is the server's, as at the top of the tree."""
    (tmp_path / "demo-data").symlink_to(server.data)
    for name in ("proto", ".venv", "clients"):
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def output(directory: Path, *command: str, lines: int | None = None) -> str:
    """What the command prints: all of it, or the first few lines of one that goes on."""
    process = subprocess.Popen(
        command, cwd=directory, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        if lines is not None:
            return "".join(process.stdout.readline() for _ in range(lines))
        text, _ = process.communicate(timeout=LIMIT)
        assert process.returncode == 0
        return text
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_the_python_that_streams_works_as_pasted(beside: Path, page: str) -> None:
    [code] = [code for code in snippets(page, "python") if "StreamGuidance(" in code]
    line = output(beside, sys.executable, "-c", code, lines=1)
    assert re.match(r"20\d\d-.* 0\.\d+$" if page == "README.md" else r"\d+ [0-9a-f-]{36}$", line)


def test_the_python_that_publishes_works_as_pasted(beside: Path) -> None:
    [code] = [code for code in snippets("docs/api.md", "python") if "PublishGridSignal(" in code]
    assert re.search(r"stored_count: 48", output(beside, sys.executable, "-c", code))


def test_the_python_of_the_client_works_as_pasted(server: Server, demo: Demo, beside: Path) -> None:
    venues, errors = snippets("clients/python/README.md", "python")
    assert set(re.findall(r"^[0-9a-f-]{36}", output(beside, sys.executable, "-c", venues), re.M)) == set(demo.venues)
    text = output(beside, sys.executable, "-c", errors)
    assert "INVALID_LOAD_EVENT" in text and "load_events[0].id" in text


def test_the_c_of_the_client_works_as_pasted(server: Server, tmp_path: Path) -> None:
    [body] = snippets("clients/c/README.md", "c")
    key = server.demo["clients"][0]["api_key"]
    body = body.replace("127.0.0.1:50051", server.address).replace("ek_...", key)
    includes = "\n".join(re.findall(r"^#include.*$", body, re.M))
    body = re.sub(r"^#include.*$", "", body, flags=re.M)
    source = tmp_path / "snippet.c"
    source.write_text(f"#include <stdio.h>\n{includes}\nint main(void) {{\n{body}}}\n")
    client = ROOT / "clients" / "c"
    output(ROOT, "make", "-s", "-C", str(client))
    program = str(tmp_path / "snippet")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(client / "include")]
    generated = ["-isystem", str(ROOT / "Sources" / "CEnergyProto" / "include")]
    libraries = [str(client / "build" / "libenergykit.a"), "-lnghttp2", "-lprotobuf-c"]
    output(ROOT, "cc", *flags, *generated, "-o", program, str(source), *libraries)
    assert output(ROOT, program) == "3 venues\n"


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_the_shell_lines_work_as_pasted(server: Server, demo: Demo, beside: Path, page: str) -> None:
    heading = "Call it" if page == "README.md" else "From the command line"
    script = "\n".join(re.findall(r"^ {4}(.*)$", section(page, heading), re.M)).replace("127.0.0.1:50051", server.address)
    commands = re.sub(r"\\\n\s*", " ", script).splitlines()
    settings = [line for line in commands if re.match(r"[A-Z]+=", line)]
    calls = [line for line in commands if "buf curl" in line]
    assert len(settings) == 2 and calls
    python, buf = shlex.quote(sys.executable), shlex.quote(str(Path(sys.executable).with_name("buf")))
    for call in calls:
        shell = "\n".join([*settings, call]).replace(".venv/bin/python", python).replace(".venv/bin/buf", buf)
        text = output(beside, "bash", "-euc", shell, lines=3 if "StreamGuidance" in call else None)
        assert demo.venues[CALIFORNIA] in text or '"guidance"' in text
