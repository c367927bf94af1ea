"""energykitd as a process: start, stop, restart, bad usage."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path

import grpc
import pytest
from sanitizers import assert_no_report, environment, within

from .caller import CALIFORNIA, Demo, error_of, session
from .server import Server, binary, run_once, wait_for

BAD_USAGE: dict[str, list[str]] = {
    "no data": ["--listen", "127.0.0.1:0"],
    "unknown flag": ["--frobnicate"],
    "a word too many": ["--demo", "--data", "DIR", "word"],
    "flag without its value": ["--data"],
    "no address": ["--data", "DIR", "--listen", "nowhere"],
    "no port": ["--data", "DIR", "--listen", "127.0.0.1"],
    "port out of range": ["--data", "DIR", "--listen", "127.0.0.1:65536"],
    "loops not a number": ["--data", "DIR", "--loops", "many"],
    "no loops": ["--data", "DIR", "--loops", "0"],
    "interval negative": ["--data", "DIR", "--guidance-min-interval", "-1"],
    "drain not a number": ["--data", "DIR", "--drain-seconds", "soon"],
    "unknown session rules": ["--data", "DIR", "--session-rules", "loose"],
    "unknown log level": ["--data", "DIR", "--log-level", "chatty"],
    "figures nowhere": ["--data", "DIR", "--admin-http", "localhost:9090"],
    "no calls": ["--data", "DIR", "--max-calls", "0"],
    "no name of a directory": ["--data", ""],
    "clock without demo": ["--data", "DIR", "--clock-offset", "60"],
    "no such configuration": ["--data", "DIR", "--config", "DIR/none"],
}


@pytest.mark.parametrize("name", BAD_USAGE)
def test_bad_usage_is_one_clear_line_and_exit_code_2(data: Path, name: str) -> None:
    result = run_once(*(argument.replace("DIR", str(data)) for argument in BAD_USAGE[name]))
    assert result.returncode == 2, result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert result.stdout == ""
    assert not data.exists() or not any(data.iterdir())
    print(result.stderr.strip())


@pytest.mark.parametrize("flag", ["--admin-key-file", "--tls-key", "--config"])
def test_a_pipe_in_the_place_of_a_file_holds_up_nothing(tmp_path: Path, flag: str) -> None:
    """Whoever opens a pipe waits for its other end: the start, or a later SIGHUP, would never end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    tls = ["--tls-cert", str(pipe)] if flag == "--tls-key" else []
    listen = "tls+127.0.0.1:0" if tls else "127.0.0.1:0"
    result = run_once("--data", str(tmp_path / "data"), "--listen", listen, flag, str(pipe), *tls)
    assert result.returncode in (1, 2)
    assert str(pipe) in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_help_names_every_flag(data: Path) -> None:
    result = run_once("--help")
    assert result.returncode == 0
    for flag in ("--listen", "--data", "--demo", "--guidance-min-interval", "--drain-seconds"):
        assert flag in result.stdout


def test_sigterm_ends_an_idle_server_at_once_with_exit_code_0(data: Path) -> None:
    """G-103."""
    with Server(data) as server:
        start = time.monotonic()
        server.terminate()
        assert server.wait() == 0
        elapsed = time.monotonic() - start
    print(f"measured: an idle server ended {elapsed * 1000:.0f} ms after SIGTERM")
    assert elapsed < within(2)


def test_sigint_ends_it_too(data: Path) -> None:
    with Server(data) as server:
        os.kill(server.pid, signal.SIGINT)
        assert server.wait() == 0


def test_sigterm_during_the_start_is_obeyed_once_it_is_up(data: Path, tmp_path: Path) -> None:
    """The store's lock takes two seconds, so that there is no doubt about when the signal comes."""
    trace = tmp_path / "trace"
    wrapper = ["strace", "-f", "-o", str(trace), "-e", "trace=flock", "-e", "inject=flock:delay_enter=2000000"]
    process = subprocess.Popen(
        [*wrapper, binary(), "--demo", "--data", str(data), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(is_traced=True),
        start_new_session=True,
    )
    try:
        assert wait_for((data / "energykit.lock").exists, 30, step=0.005)
        (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert os.readlink(f"/proc/{child}/exe").endswith("energykitd")
        os.kill(int(child), signal.SIGTERM)
        output, errors = process.communicate(timeout=within(30))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # strace and what it follows
        process.wait()
    assert_no_report(errors)
    assert process.returncode == 0
    assert "listening on" in output


def test_a_second_signal_ends_it_at_once_while_a_stream_is_open(data: Path) -> None:
    """Ctrl-C twice: the first waits for the stream, as long as the drain may take."""
    with Server(data, "--drain-seconds", "60") as server, Demo(server) as demo:
        stream = demo.caller().stream_guidance(demo.venues[CALIFORNIA], limit=within(60))
        next(stream)
        os.kill(server.pid, signal.SIGINT)
        assert wait_for(lambda: "draining" in server.log_text())
        time.sleep(0.5)
        assert server.is_running()
        start = time.monotonic()
        os.kill(server.pid, signal.SIGINT)
        assert server.wait() == 0
        elapsed = time.monotonic() - start
        assert error_of(lambda: next(stream)).code == grpc.StatusCode.UNAVAILABLE
    print(f"measured: ended {elapsed * 1000:.0f} ms after the second SIGINT")
    assert elapsed < within(1)


def test_sigterm_finishes_calls_and_ends_streams_with_a_status(data: Path) -> None:
    """G-101, G-103."""
    with Server(data, "--drain-seconds", "3") as server, Demo(server) as demo:
        caller, venue, token = demo.caller(), demo.venues[CALIFORNIA], demo.token()
        stream = caller.stream_guidance(venue, limit=within(30))
        next(stream)
        batches = [session(token, device=f"charger-{index}", count=200) for index in range(20)]
        answers = []

        def submit(events) -> None:
            try:
                answers.append(caller.submit(venue, events).stored_count)
            except grpc.RpcError as error:
                answers.append(error.code())

        threads = [threading.Thread(target=submit, args=(events,)) for events in batches]
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        start = time.monotonic()
        server.terminate()
        for thread in threads:
            thread.join(timeout=within(30))
        error = error_of(lambda: next(stream))
        code = server.wait()
        elapsed = time.monotonic() - start
    assert code == 0
    assert error.code == grpc.StatusCode.UNAVAILABLE
    assert set(answers) <= {200, grpc.StatusCode.UNAVAILABLE}
    assert elapsed < 3 + within(2)
    served = answers.count(200)
    print(f"measured: ended {elapsed:.2f} s after SIGTERM; {served} of 20 batches served; the stream: {error.message}")


def test_clients_that_read_nothing_do_not_hold_the_drain(data: Path) -> None:
    """G-103."""
    with Server(data, "--drain-seconds", "2") as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        start = time.monotonic()
        server.terminate()
        assert server.wait() == 0
        elapsed = time.monotonic() - start
        for peer in silent:
            peer.close()
    print(f"measured: with five silent connections ended after {elapsed:.2f} s")
    assert elapsed < 2 + within(2)


def test_a_draining_server_takes_no_new_connections(data: Path) -> None:
    """G-102."""
    with Server(data, "--drain-seconds", "3") as server, Demo(server) as demo:
        stream = demo.caller().stream_guidance(demo.venues[CALIFORNIA], limit=within(30))
        next(stream)
        server.terminate()

        def is_refused() -> bool:
            try:
                socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
                return False
            except OSError:
                return True

        assert wait_for(is_refused, 1)
        assert server.wait() == 0


def test_a_second_start_keeps_ids_and_keys(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        first = server.demo
        names = [venue.name for venue in demo.caller().list_venues()]
        assert server.stop() == 0
    with Server(data) as server, Demo(server) as demo:
        assert {**server.demo, "address": ""} == {**first, "address": ""}
        assert [venue.name for venue in demo.caller().list_venues()] == names


def test_demo_json_says_what_a_caller_needs(data: Path) -> None:
    with Server(data) as server:
        demo = server.demo
    assert demo["address"] == server.address
    assert re.fullmatch(r"ek_[A-Za-z0-9_-]{43}", demo["admin_key"])
    assert [len(client["entitlements"]) for client in demo["clients"]] == [2, 1, 0]
    assert all(re.fullmatch(r"ek_[A-Za-z0-9_-]{43}", client["api_key"]) for client in demo["clients"])
    assert len({client["api_key"] for client in demo["clients"]}) == 3
    assert [set(venue) for venue in demo["venues"]] == [{"name", "id", "grid_region"}] * 3
    assert stat.S_IMODE((data / "admin.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((data / "demo.json").stat().st_mode) & 0o077 == 0  # it holds keys


def test_a_second_process_on_the_same_directory_is_refused(data: Path) -> None:
    with Server(data) as server, Demo(server) as demo:
        result = run_once("--demo", "--data", str(data), "--listen", "127.0.0.1:0")
        assert result.returncode != 0
        assert "listening" not in result.stdout
        assert str(data) in result.stderr and len(result.stderr.strip().splitlines()) <= 2
        print(result.stderr.strip())
        assert demo.caller().list_venues()
        assert server.demo["address"] in (data / "demo.json").read_text()


@pytest.mark.parametrize("content", [b"\0" * 47, b"short\n", b"k" * 600, "schl\u00fcssel-mit-umlaut".encode()])
def test_an_admin_key_that_could_never_be_sent_is_refused(data: Path, content: bytes) -> None:
    data.mkdir(parents=True)
    (data / "admin.key").write_bytes(content)
    result = run_once("--demo", "--data", str(data), "--listen", "127.0.0.1:0")
    assert result.returncode == 1 and "listening" not in result.stdout
    assert "admin.key" in result.stderr and len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("offset", ["-300000000", "-315360000"])
def test_a_clock_before_tokens_begin_is_refused(data: Path, offset: str) -> None:
    result = run_once("--demo", "--data", str(data), "--listen", "127.0.0.1:0", "--clock-offset", offset)
    assert result.returncode == 1 and "listening" not in result.stdout
    assert re.fullmatch(r"energykitd: the clock says 201\d-.*: guidance can be issued from 2020 to 2155 only\n", result.stderr)


def test_a_store_in_memory_makes_its_directory_too(data: Path) -> None:
    assert not data.exists()
    with Server(data, "--store", "memory:") as server:
        assert server.demo["clients"]
        assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_an_unchanged_demo_file_is_not_written_again(data: Path) -> None:
    with Server(data) as server:
        address = server.address
    before = (data / "demo.json").stat()
    with Server(data, listen=address):
        assert (data / "demo.json").stat().st_ino == before.st_ino


def test_a_demo_file_that_does_not_fit_the_store_is_named(data: Path) -> None:
    with Server(data) as server:
        demo = server.demo
    for client in demo["clients"]:
        client["api_key"] = demo["clients"][0]["api_key"]
    (data / "demo.json").write_text(json.dumps(demo))
    result = run_once("--demo", "--data", str(data), "--listen", "127.0.0.1:0")
    assert result.returncode == 1 and "listening" not in result.stdout
    assert "demo.json" in result.stderr and "key" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_grid_files_are_read_or_refused_in_one_line(data: Path) -> None:
    shipped = Path(__file__).parents[2] / "data" / "grid" / "carbon_intensity.csv"
    with Server(data, "--grid", str(shipped)) as server, Demo(server) as demo:
        assert demo.token()
    result = run_once("--demo", "--data", str(data), "--listen", "127.0.0.1:0", "--grid", str(data / "none.csv"))
    assert result.returncode == 1 and "listening" not in result.stdout
    assert "none.csv" in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_a_taken_port_is_refused(data: Path, tmp_path: Path) -> None:
    """G-028."""
    with Server(data) as server:
        result = run_once("--data", str(tmp_path / "other"), "--listen", server.address)
    assert result.returncode == 1
    assert result.stderr == f"energykitd: {server.address} is already in use by another program\n"


def test_events_outlive_a_restart_on_the_same_port(data: Path) -> None:
    """G-112."""
    with Server(data) as server, Demo(server) as demo:
        events, address = session(demo.token()), server.address
        assert demo.caller().submit(demo.venues[CALIFORNIA], events).stored_count == 3
        assert server.stop() == 0
    with Server(data, listen=address) as server, Demo(server) as demo:
        assert demo.caller().submit(demo.venues[CALIFORNIA], events).duplicate_count == 3
