"""What a soak has measured, and whether that is how it should be."""

from __future__ import annotations

import csv
import statistics
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

# Growth of resident memory over the last two thirds: what is kept of publications and of pages of the store, no more.
GROWTH_LIMIT = 8 * 1024  # KiB an hour
PROBE_LIMIT = 2.0  # seconds
# Descriptors that the store may open by the way.
DESCRIPTOR_SLACK = 3


@dataclass(frozen=True)
class Sample:
    seconds: float
    resident_kib: int
    descriptors: int
    threads: int
    cpu_seconds: float
    calls: int
    probe_milliseconds: float


@dataclass
class Report:
    samples: list[Sample] = field(default_factory=list)
    # By what was done and the code that came.
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Codes that were not to come, with what was said.
    surprises: list[str] = field(default_factory=list)
    probes: list[float] = field(default_factory=list)
    before: Sample | None = None
    after: Sample | None = None
    error_lines: list[str] = field(default_factory=list)
    exit_code: int | None = None

    @property
    def slope(self) -> float:
        """KiB an hour, by Theil and Sen: the median of the slopes between all pairs, which single samples do not move."""
        late = self.samples[len(self.samples) // 3 :]
        slopes = [
            (b.resident_kib - a.resident_kib) / (b.seconds - a.seconds)
            for index, a in enumerate(late)
            for b in late[index + 1 :]
            if b.seconds > a.seconds
        ]
        return statistics.median(slopes) * 3600 if slopes else 0.0

    def problems(self, growth_limit: float = GROWTH_LIMIT) -> list[str]:
        """What is not as it should be; none: passed."""
        found = []
        if self.slope > growth_limit:
            found.append(f"resident memory grows by {self.slope:.0f} KiB an hour, more than {growth_limit:.0f}")
        if self.before and self.after:
            if self.after.descriptors > self.before.descriptors + DESCRIPTOR_SLACK:
                found.append(f"descriptors: {self.before.descriptors} before the load, {self.after.descriptors} after it")
            if self.after.threads > self.before.threads:
                found.append(f"threads: {self.before.threads} before the load, {self.after.threads} after it")
        if self.probes and max(self.probes) > PROBE_LIMIT:
            found.append(f"a quiet client waited for {max(self.probes):.2f} s")
        if not self.probes:
            found.append("no probe was answered")
        found += [f"unexpected: {each}" for each in self.surprises[:20]]
        found += [f"logged: {each}" for each in self.error_lines[:20]]
        if self.exit_code != 0:
            found.append(f"energykitd ended with {self.exit_code}")
        return found

    def lines(self) -> list[str]:
        """For people."""
        resident = [sample.resident_kib for sample in self.samples] or [0]
        late = resident[len(resident) // 3 :]
        probes = sorted(self.probes) or [0.0]
        calls = sum(self.codes.values())
        seconds = self.samples[-1].seconds if self.samples else 0
        cpu = self.samples[-1].cpu_seconds - self.samples[0].cpu_seconds if self.samples else 0
        rows = [
            ("time", f"{seconds / 60:.1f} min, {len(self.samples)} samples"),
            ("calls", f"{calls}, {calls / max(seconds, 1):.0f} a second; {cpu:.0f} s of the server's time"),
            ("resident", f"first {resident[0]} KiB, last {resident[-1]} KiB; last two thirds {min(late)} to {max(late)} KiB"),
            ("growth", f"{self.slope:+.0f} KiB an hour over the last two thirds"),
            ("probe", f"median {probes[len(probes) // 2] * 1e3:.1f} ms, p99 {probes[int(len(probes) * 0.99)] * 1e3:.1f} ms, "
             f"longest {probes[-1] * 1e3:.1f} ms"),
        ]  # fmt: skip
        if self.before and self.after:
            rows.append(("descriptors", f"{self.before.descriptors} before, {self.after.descriptors} after"))
            rows.append(("threads", f"{self.before.threads} before, {self.after.threads} after"))
        lines = [f"{name:12} {text}" for name, text in rows]
        for (what, code), count in sorted(self.codes.items()):
            lines.append(f"  {what:24} {code:20} {count:9}")
        return lines

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        with open(directory / "soak.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, [each.name for each in fields(Sample)])
            writer.writeheader()
            writer.writerows(asdict(sample) for sample in self.samples)
        (directory / "soak.txt").write_text("\n".join(self.lines()) + "\n")
