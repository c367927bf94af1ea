"""energykitctl against a real energykitd: what it prints, and what it ends with."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from certificates import Authority
from energykit.v1 import guidance_pb2, load_event_pb2, venue_pb2
from google.protobuf import json_format

from .caller import BASE, CALIFORNIA, FULL, HAWAII, NONE, Demo, clear_of_the_hour, session
from .ctl import Ctl, Running, binary
from .server import ROOT, Server


@pytest.fixture(scope="module")
def ctl(server: Server) -> Ctl:
    return Ctl("--demo", str(server.data / "demo.json"))


def as_json(events: list[load_event_pb2.LoadEvent]) -> str:
    return "\n".join(json_format.MessageToJson(event, indent=None) for event in events) + "\n"


# --- what a client may do


def test_venues_as_a_table_and_as_json(ctl: Ctl, demo: Demo) -> None:
    rows = [line.split() for line in ctl.good("venues").splitlines()]
    assert rows[0] == ["ID", "NAME", "REGION", "TIME", "ZONE", "RATE", "PLAN"]
    assert [row[0] for row in rows[1:]] == [venue.id for venue in demo.caller().list_venues()]
    venues = [json_format.ParseDict(row, venue_pb2.EnergyVenue()) for row in ctl.json("venues")]
    assert venues == demo.caller().list_venues()


def test_one_venue_by_id_or_by_name(ctl: Ctl, demo: Demo) -> None:
    by_id = ctl.message(venue_pb2.GetVenueResponse, "venue", demo.venues[CALIFORNIA])
    assert by_id.venue == demo.caller().get_venue(demo.venues[CALIFORNIA])
    assert ctl.message(venue_pb2.GetVenueResponse, "venue", by_id.venue.name.upper()) == by_id
    assert "America/Los_Angeles" in ctl.good("venue", by_id.venue.name)
    assert ctl.refused(4, "venue", "Atlantis") == 'no venue is named "Atlantis"'
    unknown = "00000000-0000-4000-8000-000000000000"
    assert ctl.refused(4, "venue", unknown).startswith("VENUE_UNAVAILABLE: ")
    assert ctl.refused(4, "venue", "--home", unknown).startswith("VENUE_UNAVAILABLE: ")


def test_guidance_as_bars_and_as_json(ctl: Ctl, demo: Demo) -> None:
    clear_of_the_hour()
    venue = demo.venues[CALIFORNIA]
    answer = ctl.message(guidance_pb2.GetGuidanceResponse, "guidance", venue)
    assert answer.guidance.values == demo.caller().get_guidance(venue).guidance.values
    lines = ctl.good("guidance", venue).splitlines()
    assert "America/Los_Angeles, shift, with the rate plan" in lines[0]
    assert len(lines) == 2 + len(answer.guidance.values)
    for line, value in zip(lines[2:], answer.guidance.values, strict=True):
        assert f" {value.rating:.2f}" in line or f" {value.rating + 0.0005:.2f}" in line
    best = min(answer.guidance.values, key=lambda value: value.rating)
    assert lines[2 + list(answer.guidance.values).index(best)].startswith("* ")
    assert "\x1b" not in "".join(lines)
    explained = ctl.message(guidance_pb2.GetGuidanceResponse, "guidance", venue, "--action", "reduce", "--explain")
    assert explained.guidance.suggested_action == guidance_pb2.SUGGESTED_ACTION_REDUCE
    assert len(explained.explanations) == len(explained.guidance.values)
    assert " g/kWh, rank " in ctl.good("guidance", venue, "--explain")


def test_watching_sees_each_newer_guidance_and_ends_with_a_signal(ctl: Ctl, demo: Demo) -> None:
    with Running(ctl, ["guidance", demo.venues[CALIFORNIA], "--watch", "--json"]) as watch:
        first = json_format.Parse(watch.line(), guidance_pb2.StreamGuidanceResponse())
        demo.publish_forecast()
        second = json_format.Parse(watch.line(), guidance_pb2.StreamGuidanceResponse())
        assert second.guidance.guidance_token != first.guidance.guidance_token
        assert second.guidance.issue_time.ToNanoseconds() >= first.guidance.issue_time.ToNanoseconds()
        watch.signal(signal.SIGINT)
        assert watch.wait() == (0, "")


def test_watching_on_a_terminal_has_colours_unless_they_are_unwanted(ctl: Ctl, demo: Demo) -> None:
    for variables, has_colours in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        ours, theirs = os.openpty()
        process = subprocess.Popen(
            [binary(), *ctl.flags, "guidance", demo.venues[CALIFORNIA]], stdout=theirs, cwd=ROOT,
            env=ctl.environment | {"TERM": "xterm"} | variables,
        )  # fmt: skip
        os.close(theirs)
        output = b""
        try:
            while chunk := os.read(ours, 4096):
                output += chunk
        except OSError:  # the other end has gone
            pass
        os.close(ours)
        assert process.wait(timeout=30) == 0
        assert (b"\x1b[3" in output) is has_colours, variables


def test_refusals_of_guidance(ctl: Ctl, demo: Demo) -> None:
    assert ctl.refused(6, "guidance", demo.venues[HAWAII]).startswith("UNSUPPORTED_REGION: ")
    assert ctl.refused(6, "guidance", demo.venues[HAWAII], "--watch").startswith("UNSUPPORTED_REGION: ")


# --- load events


def test_events_are_stored_once_however_often_they_are_sent(ctl: Ctl, demo: Demo, tmp_path: Path) -> None:
    venue = demo.venues[CALIFORNIA]
    events = session(demo.token(), device="ctl-1", count=25)
    file = tmp_path / "events.jsonl"
    file.write_text(as_json(events))
    first = ctl.good("submit", str(file), "--venue", venue, "--batch-size", "10").splitlines()
    assert first[0].split() == ["EVENTS", "STORED", "STORED", "BEFORE", "REFUSED", "LEFT"]
    assert first[1].split() == ["25", "25", "0", "0", "0"]
    batch = load_event_pb2.SubmitLoadEventsRequest(venue_id=venue, load_events=events)
    again = ctl.good("submit", "-", "--json", text=json_format.MessageToJson(batch))
    counts = {"storedCount": 0, "duplicateCount": 25, "rejectedCount": 0, "leftCount": 0, "rejected": []}
    assert json.loads(again) == counts
    python_names = json_format.MessageToJson(batch, preserving_proto_field_name=True)
    assert "25" in ctl.good("submit", "-", text=python_names)


def test_a_bad_event_is_named_by_its_line(ctl: Ctl, demo: Demo) -> None:
    venue = demo.venues[CALIFORNIA]
    events = session(demo.token(), device="ctl-2", count=4)
    events[2].electric_vehicle.state_of_charge_percent = 101
    whole = ctl.run("submit", "-", "--venue", venue, "--batch-size", "3", text=as_json(events))
    assert whole.returncode == 6 and "OUT_OF_RANGE" in whole.stderr
    assert whole.stdout.splitlines()[1].split() == ["4", "0", "0", "3", "1"]
    assert "A batch of 3 was refused whole" in whole.stdout
    row = next(line.split() for line in whole.stdout.splitlines() if "OUT_OF_RANGE" in line)
    assert row[:2] == ["3", "load_events[2].electric_vehicle.state_of_charge_percent"]
    partial = ctl.run("submit", "-", "--venue", venue, "--partial", "--json", text=as_json(events))
    assert (partial.returncode, partial.stderr) == (6, "")
    result = json.loads(partial.stdout)
    assert (result["storedCount"], result["rejectedCount"]) == (3, 1)
    assert result["rejected"][0]["line"] == 3 and result["rejected"][0]["reason"] == "OUT_OF_RANGE"


def test_a_file_that_cannot_be_read(ctl: Ctl, demo: Demo, tmp_path: Path) -> None:
    venue = demo.venues[CALIFORNIA]
    assert ctl.refused(1, "submit", str(tmp_path / "none"), "--venue", venue).endswith("No such file or directory")
    assert "-:2: " in ctl.refused(1, "submit", "-", "--venue", venue, text='{}\n{"sesionId": "x"}')
    assert "whose venue?" in ctl.refused(1, "submit", "-", text="{}")
    assert "holds no events" in ctl.refused(1, "submit", "-", text="\n")


# --- for the operator


def test_a_forecast_is_published_from_a_file(ctl: Ctl, demo: Demo, tmp_path: Path) -> None:
    file = tmp_path / "forecast.json"
    file.write_text(json_format.MessageToJson(demo.forecast()))
    assert "points stored, the guidance has changed" in ctl.good("grid", "publish", str(file))
    (result,) = ctl.json("admin", "grid", "publish", str(file))
    assert result["storedCount"] == 48
    file.write_text('{"gridRegion": "CISO", "stepSeconds": 5}')
    assert ctl.refused(6, "grid", "publish", str(file)).startswith("INVALID_REQUEST: ")
    assert ":1: " in ctl.refused(1, "grid", "publish", "-", text='{"region": "CISO"}')


# --- keys and connections


def test_keys_come_from_files_and_the_environment(server: Server, demo: Demo, tmp_path: Path) -> None:
    address = ["--address", server.address]
    file = tmp_path / "key"
    file.write_text(demo.keys[FULL] + "\n")
    assert len(Ctl(*address, "--key-file", str(file)).json("venues")) == 3
    assert len(Ctl(ENERGYKIT_ADDRESS=server.address, ENERGYKIT_API_KEY=demo.keys[BASE]).json("venues")) == 3
    assert len(Ctl(*address, ENERGYKIT_KEY_FILE=str(file), ENERGYKIT_API_KEY=demo.keys[BASE]).json("venues")) == 3
    assert "a client's key is needed" in Ctl(*address).refused(2, "venues")
    assert "the operator's key is needed" in Ctl(*address).refused(2, "client", "list")
    file.write_text("two words\n")
    wrong = Ctl(*address, "--key-file", str(file)).refused(3, "venues")
    assert wrong.startswith("UNAUTHENTICATED: ") and "two" not in wrong
    file.write_text("\n")
    assert Ctl(*address, "--key-file", str(file)).refused(1, "venues") == f"{file}: holds no key"
    none = Ctl(*address, ENERGYKIT_API_KEY=demo.keys[NONE]).refused(3, "venues")
    assert none.startswith("PERMISSION_DENIED: ")
    admin = Ctl(*address, ENERGYKIT_ADMIN_KEY=demo.keys[FULL]).refused(3, "grid", "publish", "-", text="{}")
    assert admin.startswith("PERMISSION_DENIED: ")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        for place in (address, f"unix:{tmp_path}/none.sock"):
            ctl = Ctl("--address", place, ENERGYKIT_API_KEY="ek_x")
            assert ctl.refused(5, "venues").startswith("UNAVAILABLE: ")
        assert Ctl("--address", address, ENERGYKIT_API_KEY="ek_x").refused(5, "guidance", "x", "--watch")


def test_a_server_that_does_not_answer() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        ctl = Ctl("--address", f"127.0.0.1:{silent.getsockname()[1]}", "--timeout", "1", ENERGYKIT_API_KEY="ek_x")
        assert ctl.refused(5, "venues").startswith("DEADLINE_EXCEEDED: ")


def test_tls(data: Path, tmp_path: Path) -> None:
    """G-024."""
    authority = Authority(tmp_path)
    pair, other = authority.issue_server(), authority.issue_client()
    flags = [
        "--tls-cert", str(pair.chain_path), "--tls-key", str(pair.key_path), "--tls-client-ca", str(authority.path),
        "--listen", "mtls+127.0.0.1:0",
    ]  # fmt: skip
    with Server(data, *flags, listen="tls+127.0.0.1:0") as server:
        mutual = server.next_line().removeprefix("listening on ")
        demo = ["--demo", str(data / "demo.json")]
        trusting = [*demo, "--tls-ca", str(authority.path)]
        assert len(Ctl(*trusting, "--address", server.address).json("venues")) == 3
        prefixed = Ctl(*demo, "--address", f"tls+{server.address}", ENERGYKIT_TLS_CA=str(authority.path))
        assert len(prefixed.json("venues")) == 3
        shown = ["--tls-cert", str(other.chain_path), "--tls-key", str(other.key_path)]
        assert len(Ctl(*trusting, *shown, "--address", mutual).json("venues")) == 3
        assert Ctl(*trusting, "--address", mutual).refused(5, "venues").startswith("UNAVAILABLE: ")
        untrusted = Ctl(*demo, "--tls", "--address", server.address).refused(5, "venues")
        assert untrusted.startswith("UNAVAILABLE: ") and "certificate" in untrusted
        named = [*trusting, "--address", server.address, "--server-name", "elsewhere.example"]
        assert "certificate" in Ctl(*named).refused(5, "venues")
        assert Ctl(*demo, "--address", server.address).refused(5, "venues").startswith("UNAVAILABLE: ")


# --- how it behaves among other programs


def test_a_reader_that_has_seen_enough_ends_it_quietly(ctl: Ctl, demo: Demo) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [binary(), *ctl.flags, "guidance", demo.venues[CALIFORNIA]], stdout=writer, stderr=subprocess.PIPE, timeout=30,
        cwd=ROOT, env=ctl.environment,
    )  # fmt: skip
    os.close(writer)
    assert (result.returncode, result.stderr) == (0, b"")


def test_help_and_bad_usage() -> None:
    ctl = Ctl()
    assert ctl.good("--help").startswith("usage: energykitctl COMMAND")
    assert ctl.good("submit", "--help").startswith("usage: energykitctl submit FILE")
    assert "client rotate-key CLIENT" in ctl.good("client", "--help")
    assert ctl.good("--version").startswith("energykitctl ")
    assert ctl.refused(2) == "a command is needed; see --help"
    assert "no such flag" in ctl.refused(2, "venues", "--frob")
    assert "expected host:port" in ctl.refused(2, "venues", "--address", "nowhere")


def test_methods_that_the_server_does_not_serve(ctl: Ctl) -> None:
    assert ctl.refused(1, "region", "94103").startswith(("UNIMPLEMENTED: ", "INVALID_REQUEST: "))


@pytest.mark.parametrize("page", ["README.md", "docs/api.md", "docs/ctl.md"])
def test_the_lines_of_the_documents_work_as_pasted(ctl: Ctl, server: Server, page: str) -> None:
    lines = re.findall(r"^ {4}(.*energykitctl .*)$", (ROOT / page).read_text(), re.M)
    calls = [line.replace("demo-data/demo.json", str(server.data / "demo.json")) for line in lines if "demo" in line]
    named = [line for line in lines if line.startswith("energykitctl ") and page == "README.md"]
    for line in [line for line in calls if not line.startswith("alias")] + named:
        if "--watch" in line:
            continue
        program = line.replace(".build/release/energykitctl", str(binary()), 1)
        program = re.sub(r"^energykitctl", f"{binary()} --demo {server.data / 'demo.json'}", program)
        result = subprocess.run(
            ["bash", "-euc", program], capture_output=True, text=True, timeout=30, cwd=ROOT, env=ctl.environment
        )
        assert (result.returncode, result.stderr) == (0, "") and result.stdout, line
    assert calls


def test_a_plan_is_made_of_the_guidance(ctl: Ctl, demo: Demo) -> None:
    clear_of_the_hour()
    venue = demo.venues[CALIFORNIA]
    plan = ctl.message(guidance_pb2.PlanLoadResponse, "plan", venue, "--duration", "2h")
    guidance = demo.caller().get_guidance(venue).guidance
    assert plan.guidance_token == guidance.guidance_token and plan.window_covered
    (block,) = plan.intervals
    assert block.end.ToMilliseconds() - block.start.ToMilliseconds() == 2 * 3600 * 1000
    assert 0 <= plan.mean_rating <= plan.immediate_mean_rating.value <= 1
    split = ctl.message(guidance_pb2.PlanLoadResponse, "plan", venue, "--duration", "7h", "--split")
    whole = ctl.message(guidance_pb2.PlanLoadResponse, "plan", venue, "--duration", "7h")
    assert split.mean_rating <= whole.mean_rating + 1e-9
    assert f"mean rating {plan.mean_rating:.2f}" in ctl.good("plan", venue, "--duration", "2h")
    assert ctl.refused(6, "plan", demo.venues[HAWAII], "--duration", "2h").startswith("UNSUPPORTED_REGION: ")
