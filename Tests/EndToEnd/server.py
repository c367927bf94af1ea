"""Starts, watches and stops a real energykitd."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sanitizers import assert_no_report, environment, within

ROOT = Path(__file__).resolve().parents[2]
BIN_DIR = Path(os.environ.get("ENERGYKIT_BIN_DIR", ROOT / ".build" / "debug"))
START_LIMIT = within(60)  # seconds
STOP_LIMIT = within(20)

# Budgets per client that would get in the way of load, where this energykitd has them.
GENEROUS = {
    "--calls-per-second": "1000000",
    "--call-burst": "1000000",
    "--events-per-second": "1000000",
    "--event-burst": "1000000",
    "--streams-per-client": "100000",
}


def is_release() -> bool:
    """Whether the server was built with optimisation, so that its memory and time mean something."""
    return "release" in BIN_DIR.resolve().parts


def binary() -> Path:
    path = BIN_DIR / "energykitd"
    assert path.exists(), f"{path} is missing: build it, or set ENERGYKIT_BIN_DIR"
    return path


@functools.cache
def known_flags() -> str:
    return subprocess.run([binary(), "--help"], capture_output=True, text=True, timeout=START_LIMIT).stdout


def generous_flags() -> list[str]:
    words = set(known_flags().split())
    return [word for flag, value in GENEROUS.items() if flag in words for word in (flag, value)]


class Server:
    """One energykitd --demo, on a free loopback port unless told otherwise. `wrapper` goes before it: strace."""

    def __init__(self, data: Path, *flags: str, listen: str = "127.0.0.1:0", wrapper: Sequence[str] = ()):
        self.data = data
        command = [*wrapper, str(binary()), "--demo", "--data", str(data), "--listen", listen]
        command += [*generous_flags(), *flags]
        self.log = open(data.parent / f"{data.name}.log", "ab")  # standard error; shown where a test fails
        self.was_killed = False
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, cwd=ROOT, env=environment(is_traced=bool(wrapper))
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read_output, daemon=True).start()
        self.address = self._wait_until_listening()
        self.demo = json.loads((data / "demo.json").read_text())

    def _read_output(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line.decode().rstrip("\n"))
        self._lines.put(None)

    def _wait_until_listening(self) -> str:
        deadline = time.monotonic() + START_LIMIT
        try:
            while (line := self._lines.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
                if line.startswith("listening on "):
                    return line.removeprefix("listening on ")
        except queue.Empty:
            pass
        self.kill()
        raise AssertionError(f"energykitd did not start:\n{self.log_text()}")

    def next_line(self, limit: float = 5.0) -> str:
        """A line of standard output after the first."""
        line = self._lines.get(timeout=limit)
        assert line is not None, f"energykitd has ended:\n{self.log_text()}"
        return line

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    @functools.cached_property
    def pid(self) -> int:
        """The server's own, also where a wrapper started it."""
        pid = self.process.pid
        for _ in range(4):
            if os.readlink(f"/proc/{pid}/exe").endswith("energykitd"):
                return pid
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if not children:
                break
            pid = int(children[0])
        return self.process.pid

    def log_text(self) -> str:
        return Path(self.log.name).read_text(errors="replace")

    def status_kib(self, name: str) -> int:
        """A line of /proc/PID/status in KiB: VmRSS, VmHWM."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise AssertionError(f"no {name} in /proc/{self.pid}/status")

    def rss_kib(self) -> int:
        return self.status_kib("VmRSS")

    def reset_peak(self) -> None:
        """Makes VmHWM start again from what is resident now."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def descriptors(self) -> list[str]:
        """What each open descriptor is."""
        names = []
        for number in os.listdir(f"/proc/{self.pid}/fd"):
            with contextlib.suppress(OSError):  # closed meanwhile
                names.append(os.readlink(f"/proc/{self.pid}/fd/{number}"))
        return names

    def descriptor_count(self) -> int:
        return len(self.descriptors())

    def socket_count(self) -> int:
        """Connections and listeners; files of the store may be opened at any time."""
        return sum(name.startswith("socket:") for name in self.descriptors())

    def is_running(self) -> bool:
        return self.process.poll() is None

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def wait(self, limit: float = STOP_LIMIT) -> int:
        """The exit code."""
        return self.process.wait(timeout=limit)

    def stop(self) -> int:
        """SIGTERM, and the exit code. Kills it where it does not end in time."""
        if self.process.poll() is None:
            self.terminate()
        try:
            code = self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("energykitd did not end after SIGTERM") from None
        self.log.close()
        return code

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        self.was_killed = True
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.process.kill()
        self.process.wait(timeout=STOP_LIMIT)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.kill()
            print(f"energykitd's log:\n{self.log_text()[-4000:]}")
        else:
            code = self.stop()
            assert code == 0 or self.was_killed, f"energykitd ended with {code}:\n{self.log_text()[-4000:]}"
        assert_no_report(self.log_text())


def run_once(*arguments: str, limit: float = START_LIMIT) -> subprocess.CompletedProcess[str]:
    """energykitd with arguments that it should refuse."""
    result = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=limit, cwd=ROOT)
    assert_no_report(result.stderr)
    return result


def wait_for(condition, limit: float = 5.0, step: float = 0.02) -> bool:
    """Whether `condition` has become true `within` so many seconds."""
    deadline = time.monotonic() + within(limit)
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(step)
    return True
