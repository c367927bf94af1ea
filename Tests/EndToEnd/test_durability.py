"""An acknowledged event is durable, and stored once."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import grpc
import pytest
from energykit.v1.load_event_pb2 import LoadEvent, SubmitLoadEventsRequest

from .caller import CALIFORNIA, FULL, Caller, Demo, session
from .raw_http2 import DATA, HEADERS, RawConnection
from .server import Server

CRASHES = 50
WRITERS = 4
BATCH = 10


@dataclass
class Batch:
    request: SubmitLoadEventsRequest
    acknowledged: bool = False


class Writer(threading.Thread):
    """Submits one session after another, until the server is gone. `crash_at` acknowledgements in, it asks for that."""

    def __init__(self, number: int, caller: Caller, make_batch, crash: threading.Event, crash_at: int | None):
        super().__init__(daemon=True)
        self.caller = caller
        self.make_batch = make_batch
        self.crash = crash
        self.crash_at = crash_at
        self.number = number
        self.batches: list[Batch] = []
        self.unexpected: Exception | None = None

    def run(self) -> None:
        try:
            while True:
                batch = Batch(self.make_batch(self.number))
                self.batches.append(batch)
                answer = self.caller.submit_request(batch.request)
                batch.acknowledged = True
                if len(self.batches) == self.crash_at:
                    self.crash.set()
                assert answer.stored_count == BATCH, answer
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                self.unexpected = error
        except AssertionError as error:
            self.unexpected = error


class Sessions:
    """Sessions in the past, each device's in order."""

    def __init__(self, venue_id: str, token: str):
        self.venue_id = venue_id
        self.token = token
        self.begin = datetime.now(timezone.utc) - timedelta(days=20)
        self.counts: Counter[int] = Counter()

    def next(self, number: int) -> SubmitLoadEventsRequest:
        self.counts[number] += 1
        begin = self.begin + timedelta(seconds=10 * self.counts[number])
        events = session(self.token, device=f"charger-{number}", begin=begin, count=BATCH)
        return SubmitLoadEventsRequest(venue_id=self.venue_id, load_events=events)


@pytest.mark.heavy
def test_fifty_crashes_under_load_lose_no_acknowledged_event_and_store_none_twice(data: Path) -> None:
    generator = random.Random(5)
    sessions: Sessions | None = None
    acknowledged: list[Batch] = []
    unanswered: list[Batch] = []  # of all crashes
    pending: list[Batch] = []  # of the last crash
    half_way = 0
    for _ in range(CRASHES):
        with Server(data) as server, Demo(server) as demo:
            if sessions is None:
                sessions = Sessions(demo.venues[CALIFORNIA], demo.token())
            half_way += resubmit(demo, pending)
            crash = threading.Event()
            chosen = generator.randrange(WRITERS)
            crash_at = generator.randrange(1, 30)
            writers = [
                Writer(number, demo.caller(), sessions.next, crash, crash_at if number == chosen else None)
                for number in range(WRITERS)
            ]
            for writer in writers:
                writer.start()
            assert crash.wait(timeout=30), [writer.unexpected for writer in writers]
            server.kill()  # right after an acknowledgement
            for writer in writers:
                writer.join(timeout=30)
                assert writer.unexpected is None, writer.unexpected
            pending = [batch for writer in writers for batch in writer.batches]
            acknowledged += [batch for batch in pending if batch.acknowledged]
            unanswered += [batch for batch in pending if not batch.acknowledged]
    with Server(data) as server, Demo(server) as demo:
        half_way += resubmit(demo, pending)
        for batch in acknowledged:
            answer = demo.caller().submit_request(batch.request)
            assert (answer.stored_count, answer.duplicate_count) == (0, BATCH)
        assert server.stop() == 0
    events = [event for batch in acknowledged + unanswered for event in batch.request.load_events]
    check_database(data, events)
    print(
        f"measured: {CRASHES} crashes, {len(acknowledged)} batches acknowledged, {len(unanswered)} unanswered, of which"
        f" {half_way} had been stored; every one of {len(events)} events is there once"
    )


def resubmit(demo: Demo, batches: list[Batch]) -> int:
    """Sends the batches of the last crash again. Returns how many unanswered ones had been stored: all or nothing."""
    stored_before = 0
    for batch in batches:
        answer = demo.caller().submit_request(batch.request)
        assert answer.stored_count + answer.duplicate_count == BATCH
        if batch.acknowledged:
            assert answer.stored_count == 0, "an acknowledged event is lost"
        else:
            assert answer.stored_count in (0, BATCH), "half a batch is stored"
            stored_before += answer.duplicate_count == BATCH
    return stored_before


def check_database(data: Path, events: list[LoadEvent]) -> None:
    """Every event stands in the database exactly once, and nothing else does."""
    with sqlite3.connect(f"file:{data / 'energykit.sqlite3'}?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        stored = Counter(event_ids(database))
    assert set(stored.values()) == {1}
    assert set(stored) == {uuid.UUID(event.id) for event in events}


def event_ids(database: sqlite3.Connection) -> list[uuid.UUID]:
    return [as_uuid(row[0]) for row in database.execute("SELECT id FROM events")]


def as_uuid(value: bytes | str) -> uuid.UUID:
    return uuid.UUID(bytes=value) if isinstance(value, bytes) else uuid.UUID(value)


# MARK: What the system is told


CALL = re.compile(r"^(?P<pid>\d+) +(?P<time>[\d:.]+) (?P<rest>.*)$")
BEGINS = re.compile(r"^(?P<name>\w+)\((?P<arguments>.*)$")
RESUMES = re.compile(r"^<\.\.\. (?P<name>\w+) resumed>(?P<arguments>.*)$")


@dataclass(frozen=True)
class SystemCall:
    name: str
    text: str  # arguments, as far as shown when it began, and the result

    @property
    def target(self) -> str:
        """What the descriptor is: a path, or a connection as TCP:[from->to]."""
        shown = re.match(r"\d+<(.*?)>", self.text.replace("->", "="))
        return unhex(shown[1]).decode(errors="replace") if shown else ""

    @property
    def data(self) -> bytes:
        """The bytes that are written; strace shows them in hexadecimal."""
        return unhex("".join(re.findall(r'"((?:\\x[0-9a-f]{2})+)"', self.text)))


def unhex(text: str) -> bytes:
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())


def parse_trace(text: str) -> list[SystemCall]:
    """The system calls in the order in which they ended."""
    begun: dict[str, str] = {}
    calls = []
    for line in text.splitlines():
        if (match := CALL.match(line)) is None:
            continue
        pid, rest = match["pid"], match["rest"]
        if (begins := BEGINS.match(rest)) is not None:
            if rest.endswith("<unfinished ...>"):
                begun[pid] = begins["arguments"]
            else:
                calls.append(SystemCall(begins["name"], begins["arguments"]))
        elif (resumes := RESUMES.match(rest)) is not None:
            calls.append(SystemCall(resumes["name"], begun.pop(pid, "") + resumes["arguments"]))
    return calls


def frame_kinds(data: bytes) -> set[int]:
    """The kinds of the HTTP/2 frames in what was written to a connection."""
    kinds, at = set(), 0
    while len(data) - at >= 9:
        kinds.add(data[at + 3])
        at += 9 + int.from_bytes(data[at : at + 3], "big")
    return kinds


def test_the_answer_leaves_after_fdatasync_of_what_was_written(data: Path, tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.fail("strace is missing (scripts/packages.txt)")
    trace = tmp_path / "trace"
    wrapper = ["strace", "-f", "-tt", "-yy", "-xx", "-s", "65536", "-o", str(trace)]
    wrapper += ["-e", "trace=fdatasync,fsync,pwrite64,pwritev,write,writev,sendmsg,sendto"]
    with Server(data, wrapper=wrapper) as server, Demo(server) as demo:
        token = demo.token()
        with RawConnection(server.address) as peer:
            time.sleep(0.3)
            peer.read(0.3)
            for _ in range(20):
                check_one_batch(peer, demo, token, trace)
        assert server.stop() == 0
    print("measured: in 20 of 20 batches: write, fdatasync, then the answer")


def check_one_batch(peer: RawConnection, demo: Demo, token: str, trace: Path) -> None:
    time.sleep(0.05)
    offset = trace.stat().st_size
    events = session(token)
    request = SubmitLoadEventsRequest(venue_id=demo.venues[CALIFORNIA], load_events=events)
    stream = peer.call("/energykit.v1.LoadEventService/SubmitLoadEvents", demo.keys[FULL], request.SerializeToString())
    assert peer.answers([stream], 10)[stream].grpc_status == 0
    time.sleep(0.05)
    with trace.open() as file:
        file.seek(offset)
        calls = parse_trace(file.read())
    ids = [form for event in events for form in (uuid.UUID(event.id).bytes, event.id.encode())]
    shown = "\n".join(f"{call.name} {call.target} {len(call.data)} bytes" for call in calls)
    wrote = places(calls, lambda call: "energykit.sqlite3" in call.target and any(each in call.data for each in ids))
    synced = places(calls, lambda call: "energykit.sqlite3" in call.target and call.name in ("fdatasync", "fsync"))
    answered = places(calls, lambda call: "TCP" in call.target and bool(frame_kinds(call.data) & {DATA, HEADERS}))
    assert wrote and synced and answered, shown
    assert any(max(wrote) < index < min(answered) for index in synced), shown
    assert all(calls[index].text.rstrip().endswith("= 0") for index in synced), shown


def places(calls: list[SystemCall], is_wanted: Callable[[SystemCall], bool]) -> list[int]:
    return [index for index, call in enumerate(calls) if is_wanted(call)]
