"""An hour of everything at once: `make soak`, or `scripts/soak --seconds N`. See docs/operating.md, A long run.

Calls, batches, streams, cancellations, slow readers, connections that come and go, broken and hostile ones, publications
and SIGHUP, all on the loopback and at a moderate rate. Memory has to stay flat, nothing may leak, a quiet client has to be
answered all the while.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import socket
import ssl
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import grpc

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "support"), str(HERE.parent / "RPC")]

from certificates import Authority  # noqa: E402
from energykit.v1 import load_event_pb2  # noqa: E402
from raw_http2 import RawClient, framed  # noqa: E402

from .caller import CALIFORNIA, FULL, NONE, OTHER, Caller, Demo, session  # noqa: E402
from .server import Server  # noqa: E402
from .soak_report import DESCRIPTOR_SLACK, Report, Sample  # noqa: E402

VENUES = "/energykit.v1.EnergyVenueService/"
GUIDANCE = "/energykit.v1.ElectricityGuidanceService/"


class Soak:
    def __init__(self, server: Server, authority: Authority, tls_port: int, rate: float):
        self.server = server
        self.authority = authority
        self.tls_port = tls_port
        self.rate = rate
        self.report = Report()
        self.ends = threading.Event()
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.last_probe = 0.0

    # What is done

    def count(self, what: str, wanted: set[grpc.StatusCode], call: Callable[[], object]) -> None:
        try:
            call()
            code, text = grpc.StatusCode.OK, ""
        except grpc.RpcError as error:
            code, text = error.code(), error.details() or ""
        with self.lock:
            self.report.codes[what, code.name] += 1
            if code not in wanted and not self.ends.is_set():
                self.report.surprises.append(f"{what}: {code.name} {text}")

    def pause(self, seconds: float) -> None:
        """For `seconds` at rate 1, give or take a half."""
        self.ends.wait(seconds * random.uniform(0.5, 1.5) / self.rate)

    def calls(self) -> None:
        code = grpc.StatusCode
        while not self.ends.is_set():
            # A connection for some hundred calls.
            with Demo(self.server) as demo:
                caller = demo.caller()
                venue = demo.venues[CALIFORNIA]
                method = demo.channel.unary_unary(VENUES + "GetVenue")
                for _ in range(random.randint(50, 400)):
                    if self.ends.is_set():
                        break
                    kind = random.random()
                    if kind < 0.3:
                        self.count("GetGuidance", {code.OK}, lambda: caller.get_guidance(venue, explain=random.random() < 0.3))
                    elif kind < 0.6:
                        self.count("GetVenue", {code.OK}, lambda: caller.get_venue(venue))
                    elif kind < 0.8:
                        self.count("ListVenues", {code.OK}, caller.list_venues)
                    elif kind < 0.84:
                        self.count("a wrong key", {code.UNAUTHENTICATED}, caller.with_key("ek_" + "x" * 43).list_venues)
                    elif kind < 0.88:
                        self.count("no entitlement", {code.PERMISSION_DENIED}, demo.caller(NONE).list_venues)
                    elif kind < 0.92:
                        self.count("no such venue", {code.NOT_FOUND}, lambda: caller.get_venue(str(uuid.uuid4())))
                    elif kind < 0.96:
                        self.count(
                            "a broken message", {code.INTERNAL}, lambda: method(b"\xff" * 9, metadata=caller.metadata, timeout=10)
                        )
                    else:
                        self.count(
                            "a deadline too soon", {code.DEADLINE_EXCEEDED, code.INVALID_ARGUMENT},
                            lambda: method(b"", metadata=caller.metadata, timeout=0.0005),
                        )  # fmt: skip
                    self.pause(0.02)

    def batches(self) -> None:
        code = grpc.StatusCode
        while not self.ends.is_set():
            with Demo(self.server) as demo:
                caller = demo.caller()
                for _ in range(random.randint(20, 100)):
                    if self.ends.is_set():
                        break
                    venue = random.choice([CALIFORNIA, OTHER])
                    token = demo.token(venue=venue)
                    events = session(token, device=f"charger-{random.randint(1, 20)}", count=random.randint(3, 40))
                    self.count("SubmitLoadEvents", {code.OK}, lambda: caller.submit(demo.venues[venue], events))
                    if random.random() < 0.2:
                        self.count("the same again", {code.OK}, lambda: caller.submit(demo.venues[venue], events))
                    if random.random() < 0.1:
                        events[0].CopyFrom(load_event_pb2.LoadEvent(id="nonsense"))
                        self.count("a bad batch", {code.INVALID_ARGUMENT}, lambda: caller.submit(demo.venues[venue], events))
                    self.pause(0.2)

    def streams(self) -> None:
        """Thirty subscribers; one leaves and another comes, all the time."""
        with Demo(self.server) as demo:
            open_streams: list[grpc.Call] = []

            def read(stream: grpc.Call) -> None:
                with contextlib.suppress(grpc.RpcError):
                    for _ in stream:
                        with self.lock:
                            self.report.codes["a message of guidance", "OK"] += 1

            while not self.ends.is_set():
                venue = demo.venues[random.choice([CALIFORNIA, OTHER])]
                stream = demo.caller().stream_guidance(venue, limit=3600)
                threading.Thread(target=read, args=(stream,), daemon=True).start()
                open_streams.append(stream)
                if len(open_streams) > 30:
                    open_streams.pop(random.randrange(30)).cancel()
                    with self.lock:
                        self.report.codes["a stream cancelled", "CANCELLED"] += 1
                self.pause(0.3)
            for stream in open_streams:
                stream.cancel()

    def slow_readers(self) -> None:
        """Subscribers and callers that read nothing of what they asked for, for some seconds."""
        key = self.server.demo["clients"][FULL]["api_key"]
        while not self.ends.is_set():
            with contextlib.suppress(OSError, AssertionError):
                with RawClient(self.server.port, receive_buffer=4096, gives_credit=False) as client:
                    for _ in range(50):
                        fields = client.fields(path=VENUES + "ListVenues", authorization=f"Bearer {key}")
                        client.data(client.headers(fields), framed(b""))
                    self.ends.wait(random.uniform(1, 10))
                with self.lock:
                    self.report.codes["a reader that stops", "OK"] += 1

    def churn(self) -> None:
        """Connections that come and go, whole and broken, in the clear and with TLS."""
        context = ssl.create_default_context(cafile=self.authority.path)
        context.set_alpn_protocols(["h2"])
        while not self.ends.is_set():
            kind = random.choice(["silent", "half a preface", "nonsense", "a call", "TLS", "half a handshake", "resets"])
            with contextlib.suppress(OSError, AssertionError):
                self.come_and_go(kind, context)
            with self.lock:
                self.report.codes[f"connection: {kind}", "OK"] += 1
            self.pause(0.1)

    def come_and_go(self, kind: str, context: ssl.SSLContext) -> None:
        if kind == "TLS":
            with RawClient(self.tls_port, tls=context) as client:
                client.ask(b"", path=VENUES + "ListVenues", timeout=5)
        elif kind in ("a call", "resets"):
            with RawClient(self.server.port) as client:
                if kind == "a call":
                    client.ask(b"", path=VENUES + "ListVenues", timeout=5)
                for _ in range(20 if kind == "resets" else 0):
                    client.headers(client.fields(path=VENUES + "ListVenues"))
        else:
            port = self.tls_port if kind == "half a handshake" else self.server.port
            with socket.create_connection(("127.0.0.1", port), timeout=5) as peer:
                words = {"half a preface": b"PRI * HT", "nonsense": os.urandom(200), "half a handshake": b"\x16\x03\x01\x02"}
                peer.sendall(words.get(kind, b""))
                time.sleep(random.uniform(0, 0.05))

    def publications(self) -> None:
        with Demo(self.server) as demo:
            while not self.ends.wait(20 / self.rate):
                self.count("PublishGridSignal", {grpc.StatusCode.OK}, demo.publish_forecast)

    def hang_ups(self) -> None:
        while not self.ends.wait(120):
            os.kill(self.server.pid, signal.SIGHUP)

    def probe(self) -> None:
        """A client that hurts nobody."""
        with Demo(self.server) as demo:
            caller: Caller = demo.caller()
            while not self.ends.wait(1):
                start = time.monotonic()
                self.count("the probe", {grpc.StatusCode.OK}, lambda: caller.get_venue(demo.venues[CALIFORNIA]))
                self.last_probe = time.monotonic() - start
                self.report.probes.append(self.last_probe)

    # What is watched

    def sample(self) -> Sample:
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        stat = Path(f"/proc/{self.server.pid}/stat").read_text().rsplit(")", 1)[1].split()
        threads = next(line for line in status.splitlines() if line.startswith("Threads:"))
        return Sample(
            seconds=time.monotonic() - self.start,
            resident_kib=self.server.rss_kib(),
            descriptors=self.server.descriptor_count(),
            threads=int(threads.split()[1]),
            cpu_seconds=(int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"),
            calls=sum(self.report.codes.values()),
            probe_milliseconds=self.last_probe * 1e3,
        )

    def run(self, seconds: float, interval: float, says: Callable[[str], None]) -> Report:
        with Demo(self.server) as demo:
            demo.token()
        time.sleep(1)
        self.report.before = self.sample()
        work = [self.calls, self.calls, self.batches, self.streams, self.slow_readers, self.slow_readers, self.churn,
                self.publications, self.hang_ups, self.probe]  # fmt: skip
        threads = [threading.Thread(target=each, daemon=True) for each in work]
        self.start = time.monotonic()
        for thread in threads:
            thread.start()
        while (left := seconds - (time.monotonic() - self.start)) > 0:
            self.ends.wait(min(interval, left))
            sample = self.sample()
            self.report.samples.append(sample)
            says(
                f"{left / 60:6.1f} min left  resident {sample.resident_kib:7} KiB  descriptors {sample.descriptors:4}  "
                f"calls {sample.calls:8}  probe {sample.probe_milliseconds:6.1f} ms  surprises {len(self.report.surprises)}"
            )
        self.ends.set()
        for thread in threads:
            thread.join(timeout=30)
        self.settle()
        return self.report

    def settle(self) -> None:
        """Waits until the server has seen that its clients are gone."""
        deadline = time.monotonic() + 60
        before = self.report.before
        while True:
            self.report.after = self.sample()
            if self.report.after.descriptors <= before.descriptors + DESCRIPTOR_SLACK or time.monotonic() > deadline:
                return
            time.sleep(0.5)


def soak(seconds: float, *, rate: float = 1.0, interval: float = 10.0, says: Callable[[str], None] = print) -> Report:
    with tempfile.TemporaryDirectory(prefix="soak") as directory:
        authority = Authority(Path(directory))
        pair = authority.issue_server()
        flags = ["--tls-cert", str(pair.chain_path), "--tls-key", str(pair.key_path), "--listen", "tls+127.0.0.1:0",
                 "--guidance-min-interval", "0", "--drain-seconds", "5"]  # fmt: skip
        with Server(Path(directory) / "data", *flags) as server:
            tls_port = int(server.next_line().rsplit(":", 1)[1])
            report = Soak(server, authority, tls_port, rate).run(seconds, interval, says)
            report.error_lines = [line for line in server.log_text().splitlines() if " error " in line]
            report.exit_code = server.stop()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600, help="how long the load goes on (default: an hour)")
    parser.add_argument("--rate", type=float, default=1.0, help="times the usual pace, which needs about half a core")
    parser.add_argument("--out", type=Path, default=Path("soak-results"), help="where soak.csv, soak.txt and soak.png go")
    options = parser.parse_args()
    report = soak(options.seconds, rate=options.rate, says=lambda line: print(line, flush=True))
    report.write(options.out)
    plot(report, options.out)
    print("\n".join(report.lines()))
    problems = report.problems()
    print("\n".join(problems) if problems else "passed")
    return 1 if problems else 0


def plot(report: Report, directory: Path) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    minutes = [sample.seconds / 60 for sample in report.samples]
    figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(9, 7))
    axes[0].plot(minutes, [sample.resident_kib / 1024 for sample in report.samples])
    axes[0].set_ylabel("resident, MiB")
    axes[0].set_ylim(bottom=0)
    axes[1].plot(minutes, [sample.descriptors for sample in report.samples])
    axes[1].set_ylabel("descriptors")
    axes[2].plot(minutes, [sample.probe_milliseconds for sample in report.samples])
    axes[2].set_ylabel("probe, ms")
    axes[2].set_xlabel("minutes")
    figure.savefig(directory / "soak.png", dpi=100)


if __name__ == "__main__":
    sys.exit(main())
