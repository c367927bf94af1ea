"""The soak in small, and what it would find."""

from __future__ import annotations

import random

import pytest

from .soak import soak
from .soak_report import Report, Sample


def report(resident, *, after: tuple[int, int] = (20, 8), probes: tuple[float, ...] = (0.01, 0.02), **fields) -> Report:
    """Samples every ten seconds, `resident(minute)` KiB each."""
    samples = [Sample(10.0 * index, int(resident(index / 6)), 30, 8, index / 10, index, 1.0) for index in range(360)]
    made = Report(samples=samples, probes=list(probes), exit_code=0)
    made.before = Sample(0, samples[0].resident_kib, 20, 8, 0, 0, 0)
    made.after = Sample(3600, samples[-1].resident_kib, after[0], after[1], 0, 0, 0)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def noise(minute: float) -> float:
    return random.Random(minute).uniform(-500, 500)


@pytest.mark.parametrize(
    "resident",
    [
        lambda minute: 40_000 + noise(minute),
        # It fills its caches first, then stays.
        lambda minute: 20_000 + 30_000 * min(1, minute / 15) + noise(minute),
        # One peak.
        lambda minute: 40_000 + (50_000 if 30 < minute < 31 else 0) + noise(minute),
    ],
)
def test_flat_memory_passes(resident) -> None:
    assert report(resident).problems() == []


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda: report(lambda minute: 40_000 + 200 * minute + noise(minute)), "resident memory grows"),
        (lambda: report(lambda minute: 40_000, after=(29, 8)), "descriptors: 20 before the load, 29 after"),
        (lambda: report(lambda minute: 40_000, after=(20, 9)), "threads: 8 before the load, 9 after"),
        (lambda: report(lambda minute: 40_000, probes=(0.01, 2.5)), "a quiet client waited for 2.50 s"),
        (lambda: report(lambda minute: 40_000, probes=()), "no probe was answered"),
        (lambda: report(lambda minute: 40_000, surprises=["GetVenue: INTERNAL why"]), "unexpected: GetVenue: INTERNAL why"),
        (lambda: report(lambda minute: 40_000, error_lines=["an error line"]), "logged: an error line"),
        (lambda: report(lambda minute: 40_000, exit_code=-11), "ended with -11"),
    ],
)
def test_what_is_wrong_is_found(broken, words: str) -> None:
    [problem] = broken().problems()
    assert words in problem


@pytest.mark.heavy
def test_half_a_minute_of_everything() -> None:
    """G-140, G-157: as `make soak`, which goes on for an hour; so short a time says nothing of growth."""
    made = soak(30, interval=2)
    for line in made.lines():
        print(f"measured: soak: {line}")
    assert made.problems(growth_limit=float("inf")) == []
    assert made.codes["SubmitLoadEvents", "OK"] > 20 and made.codes["a message of guidance", "OK"] > 20
