"""energykitctl, run as people run it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from google.protobuf import json_format
from google.protobuf.message import Message
from sanitizers import assert_no_report, environment, within

from .server import BIN_DIR, ROOT

LIMIT = within(30)  # seconds


def binary() -> Path:
    path = BIN_DIR / "energykitctl"
    assert path.exists(), f"{path} is missing: build it, or set ENERGYKIT_BIN_DIR"
    return path


def clean_environment(**more: str) -> dict[str, str]:
    """Without what an operator's shell may have set."""
    names = ("ENERGYKIT_", "NO_COLOR", "TERM")
    return {name: value for name, value in environment().items() if not name.startswith(names)} | more


class Ctl:
    """Runs commands with the same flags before each."""

    def __init__(self, *flags: str, **variables: str):
        self.flags = flags
        self.environment = clean_environment(**variables)

    def run(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            [binary(), *self.flags, *words], input=text, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT,
            env=self.environment,
        )  # fmt: skip
        assert_no_report(result.stderr)
        return result

    def good(self, *words: str, text: str | None = None) -> str:
        """Standard output of a command that succeeds in silence otherwise."""
        result = self.run(*words, text=text)
        assert (result.returncode, result.stderr) == (0, ""), (words, result)
        return result.stdout

    def json(self, *words: str) -> list[dict]:
        """What --json prints, a document a line."""
        output = self.good(*words, "--json")
        assert output.isascii()
        return [json.loads(line) for line in output.splitlines()]

    def message(self, kind: type[Message], *words: str) -> Message:
        """The one document of --json, as protobuf's own reader takes it."""
        (line,) = self.good(*words, "--json").splitlines()
        return json_format.Parse(line, kind())

    def refused(self, code: int, *words: str, text: str | None = None) -> str:
        """The one line of a command that fails with `code`."""
        result = self.run(*words, text=text)
        assert result.returncode == code, (words, result)
        lines = result.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith("energykitctl: "), lines
        return lines[0].removeprefix("energykitctl: ")


class Running:
    """A command that goes on, and its output line by line."""

    def __init__(self, ctl: Ctl, words: Sequence[str]):
        self.process = subprocess.Popen(
            [binary(), *ctl.flags, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
            env=ctl.environment,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def line(self, limit: float = 20) -> str:
        return self._lines.get(timeout=within(limit))

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def wait(self) -> tuple[int, str]:
        """The exit code and standard error."""
        code = self.process.wait(timeout=LIMIT)
        errors = self.process.stderr.read()
        assert_no_report(errors)
        return code, errors

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=LIMIT)
