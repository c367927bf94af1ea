"""What the benchmarks share: the servers to compare, how they are started, and the tables that are printed."""

import argparse
import json
import math
import os
import pathlib
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / "build"
ENERGYKITD = HERE.parent / ".build" / "release" / "energykitd"

# The peers look at no key and no venue; these are as long as real ones.
PEER_KEY = "ek_" + "k" * 43
PEER_VENUE = "3c0e9d52-7b1f-4f6a-9f0d-2a6f5b8c1e47"

SERVERS = ("energykitd", "cpp", "rust-hyper", "rust-h2")


class Server:
    """A server on a port of its own, on core 0. A context manager: it is ended by its own process id."""

    def __init__(self, name, buffered, extra=()):
        self.name = name
        self.port = free_port()
        self.directory = None
        self.venue, self.key, self.admin_key, self.region = PEER_VENUE, PEER_KEY, PEER_KEY, "CISO"
        if name == "energykitd":
            self.directory = tempfile.mkdtemp(prefix="energykitd-bench-")
            command = [ENERGYKITD, "--demo", "--data", self.directory, "--store", "memory:", "--loops", "1",
                       "--guidance-min-interval", "0", "--log-level", "warning",
                       "--calls-per-second", "0", "--events-per-second", "0", "--streams-per-client", "0",
                       "--listen", f"127.0.0.1:{self.port}", *extra]
        elif name == "cpp":
            command = [BUILD / "peer-cpp", str(self.port)]
        else:
            command = [BUILD / "peer-rust", "--port", str(self.port), "--stack", name.removeprefix("rust-"),
                       "--io", "buf" if buffered or name == "rust-h2" else "plain"]
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(pinned(0, command), stdout=subprocess.PIPE, stderr=self.log, text=True)
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self):
        return self.process.pid

    def wait(self):
        line = self.process.stdout.readline()
        if not line.startswith("listening on"):
            self.log.seek(0)
            raise SystemExit(f"{self.name} did not start: {line}{self.log.read().decode(errors='replace')}")
        if self.directory:
            demo = json.loads((pathlib.Path(self.directory) / "demo.json").read_text())
            self.venue, self.region = demo["venues"][0]["id"], demo["venues"][0]["grid_region"]
            self.key, self.admin_key = demo["clients"][0]["api_key"], demo["admin_key"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        if self.directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def pinned(core, command):
    """The server on one core, the load on the other, so that neither takes the other's time."""
    command = [str(part) for part in command]
    return ["taskset", "-c", str(core), *command] if os.cpu_count() > 1 else command


def run_client(program, arguments):
    """Runs a load client and gives its line of JSON."""
    result = subprocess.run(pinned(1, [BUILD / program, *arguments]), capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise SystemExit(f"{program} {' '.join(map(str, arguments[2:5]))}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def parser(description, rounds):
    p = argparse.ArgumentParser(description=description)
    p.add_argument("--rounds", type=int, default=rounds, help=f"interleaved rounds, of which medians are shown ({rounds})")
    p.add_argument("--quick", action="store_true", help="small and short: shows that it works, measures little")
    p.add_argument("--servers", default=",".join(SERVERS), help="which to compare, in this order")
    p.add_argument("--json", type=pathlib.Path, help="also write all results to this file")
    return p


def available(names):
    """Those of the servers that are built; says which are not."""
    programs = {"energykitd": ENERGYKITD, "cpp": BUILD / "peer-cpp"}
    found = []
    for name in names.split(","):
        if name not in SERVERS:
            raise SystemExit(f"no server {name}: {', '.join(SERVERS)}")
        if programs.get(name, BUILD / "peer-rust").exists():
            found.append(name)
        else:
            print(f"({name} is not built and is left out)")
    return found


def median(results, field):
    return statistics.median(result[field] for result in results)


def ratios(values):
    """`values` by server, lower is better, as a share of each of the others: what the targets are about."""
    ours = values.get("energykitd")
    if not ours:
        return ""
    return "  ".join(f"{ours / value:.2f} of {name}" for name, value in values.items() if name != "energykitd" and value)


# The few fields of the contract's PublishGridSignalRequest, so that no generated code is needed.


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def publishes(region, count):
    """Forecasts of 48 hours, each the opposite of the one before, so that each changes the guidance."""
    hour = int(time.time()) // 3600 * 3600
    out = b""
    for n in range(count):
        message = data(1, region.encode()) + number(2, 1) + data(3, b"eia930-lifecycle-2023")
        message += data(5, number(1, int(time.time()))) + number(6, 3600)
        for k in range(48):
            value = 300 + 200 * math.sin(k / 24 * 2 * math.pi + math.pi * (n % 2)) + n / 10
            message += data(7, data(1, number(1, hour + k * 3600)) + varint(2 << 3 | 1) + struct.pack("<d", value))
        out += struct.pack(">BI", 0, len(message)) + message
    return out
