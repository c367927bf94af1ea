"""What the tests know of servers built with a sanitizer: they are slower, and must never have anything to report."""

from __future__ import annotations

import os
import re

# How many times longer things may take; scripts/test sets it for builds with a sanitizer.
SLOW = float(os.environ.get("ENERGYKIT_SLOW", "1"))

REPORT = re.compile(r"(?:ERROR|WARNING|FATAL): (?:Address|Leak|Thread|UndefinedBehavior)Sanitizer|: runtime error: ")


def within(seconds: float) -> float:
    """A limit for a server built as it ships, as a limit for the one under test."""
    return seconds * SLOW


def assert_no_report(errors: str) -> None:
    """Fails where a program's standard error holds a report of a sanitizer."""
    found = REPORT.search(errors)
    assert found is None, f"a sanitizer has reported:\n{errors[max(0, found.start() - 200) : found.start() + 12_000]}"


def environment(*, is_traced: bool = False) -> dict[str, str]:
    """The environment for a program under test. Leaks cannot be looked for in a program that strace follows."""
    variables = dict(os.environ)
    if is_traced and "ASAN_OPTIONS" in variables:
        variables["ASAN_OPTIONS"] += ":detect_leaks=0"
    return variables
