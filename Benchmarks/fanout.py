#!/usr/bin/env python3
"""Guidance to many subscribers at once, against the C++ and the Rust peer.

StreamGuidance on 100 connections with 100 streams each; then forecasts are published by AdminService, and each is timed
from the publishing call's first byte to the last byte at the last subscriber. Also the server's processor time for that,
and its memory per connection and per subscription that waits. A fresh server for each run, rounds interleaved, medians.
"""

import json
import tempfile

import harness


def measure(name, connections, streams, count, gap):
    with harness.Server(name, buffered=True) as server, tempfile.NamedTemporaryFile() as file:
        file.write(harness.publishes(server.region, count + 3))
        file.flush()
        return harness.run_client("fanout", [server.port, server.pid, connections, streams, gap, server.venue,
                                             server.key, server.admin_key, file.name])


def main():
    parser = harness.parser(__doc__, rounds=5)
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--streams", type=int, default=100, help="subscriptions of each connection")
    parser.add_argument("--publishes", type=int, default=20)
    parser.add_argument("--gap", type=int, default=30, help="milliseconds between two")
    arguments = parser.parse_args()
    rounds, connections, streams, count = (
        (1, 20, 50, 5) if arguments.quick
        else (arguments.rounds, arguments.connections, arguments.streams, arguments.publishes))
    servers = harness.available(arguments.servers)
    results = {name: [] for name in servers}
    for _ in range(rounds):
        for name in servers:
            results[name].append(measure(name, connections, streams, count, arguments.gap))
    show(connections, streams, rounds, results)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


def show(connections, streams, rounds, results):
    print(f"\nStreamGuidance, {connections * streams} subscribers on {connections} connections, median of {rounds}")
    for name, runs in results.items():
        m = {field: harness.median(runs, field) for field in runs[0]}
        print(f"  {name:11} {m['median_ms']:7.2f} ms to the last byte (p90 {m['p90_ms']:.2f})  {m['cpu_ms']:7.2f} ms CPU  "
              f"{m['kib_per_subscription']:6.2f} KiB/subscription  {m['kib_per_connection']:6.2f} KiB/connection  "
              f"{m['message_bytes']:.0f} B each  all subscribed in {m['subscribe_ms']:.0f} ms", flush=True)
    for field, what in (("median_ms", "time"), ("cpu_ms", "CPU"), ("kib_per_subscription", "memory per subscription")):
        text = harness.ratios({name: harness.median(runs, field) for name, runs in results.items()})
        if text:
            print(f"  energykitd's {what} is {text}", flush=True)


if __name__ == "__main__":
    main()
