"""docs/errors.md has a section for each reason in the code, and for no other."""

from __future__ import annotations

import re

import pytest

from .server import ROOT

PAGE = (ROOT / "docs" / "errors.md").read_text()


def sections() -> dict[str, str]:
    parts = re.split(r"^### ([A-Z_]+)$", PAGE, flags=re.MULTILINE)[1:]
    names = parts[::2]
    assert len(set(names)) == len(names), "a reason has two sections"
    return dict(zip(names, parts[1::2], strict=True))


def reasons_in_code() -> set[str]:
    """ErrorInfo's, wherever a status is made, and those of LoadEventFault."""
    reasons: set[str] = set()
    for file in (ROOT / "Sources" / "EnergyWire").rglob("*.swift"):
        text = file.read_text()
        reasons |= set(re.findall(r'\breason(?:: | = )"([A-Z_]+)"', text))
        reasons |= set(re.findall(r'status\(\s*\.\w+, "([A-Z_]+)"', text))
    fault = (ROOT / "Sources" / "EnergyModel" / "LoadEvents" / "LoadEventFault.swift").read_text()
    of_events = set(re.findall(r'case \w+ = "([A-Z_]+)"', fault))
    assert len(of_events) >= 12
    return reasons | of_events


def test_the_page_and_the_code_know_the_same_reasons() -> None:
    in_code, on_page = reasons_in_code(), set(sections())
    assert len(in_code) >= 25
    assert in_code - on_page == set(), "reasons without a section"
    assert on_page - in_code == set(), "sections without a reason"


@pytest.mark.parametrize("reason", sorted(sections()))
def test_each_section_says_cause_and_remedy(reason: str) -> None:
    text = sections()[reason].split("\n## ")[0]
    cause, found, remedy = text.partition("Remedy:")
    assert found and len(cause.split()) >= 5 and len(remedy.split()) >= 3
