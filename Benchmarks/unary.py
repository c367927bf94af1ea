#!/usr/bin/env python3
"""Processor time of a server per unary call, against the C++ and the Rust peer.

SubmitLoadEvents with a session of 10 new EV events in each request, and GetGuidance, at several shapes (connections x
calls in flight on each). In each round every server runs once, so that what else the machine does hits all alike;
shown are medians. Processor time stays meaningful where the client is the bottleneck, calls per second do not.
"""

import json

import harness


def measure(name, method, shape, requests):
    connections, streams = shape.split("x")
    with harness.Server(name, buffered=False) as server:
        result = harness.run_client("unary", [server.port, server.pid, method, connections, streams, requests,
                                              server.venue, server.key])
    if result["good"] != result["requests"]:
        raise SystemExit(f"{name}, {method} {shape}: {result}")
    return result


def main():
    parser = harness.parser(__doc__, rounds=5)
    parser.add_argument("--shapes", default="8x1,16x32,64x100")
    parser.add_argument("--methods", default="submit,guidance")
    parser.add_argument("--requests", type=int, default=40_000, help="in each run, after a tenth as many to warm up")
    arguments = parser.parse_args()
    rounds, requests = (1, 5_000) if arguments.quick else (arguments.rounds, arguments.requests)
    servers = harness.available(arguments.servers)
    everything = []
    for method in arguments.methods.split(","):
        for shape in arguments.shapes.split(","):
            results = {name: [] for name in servers}
            for _ in range(rounds):
                for name in servers:
                    results[name].append(measure(name, method, shape, requests // 4 if shape == "8x1" else requests))
            show(method, shape, rounds, results)
            everything.append({"method": method, "shape": shape, "results": results})
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")


def show(method, shape, rounds, results):
    title = {"submit": "SubmitLoadEvents, 10 EV events", "guidance": "GetGuidance"}[method]
    print(f"\n{title}, {shape}, median of {rounds}")
    for name, runs in results.items():
        m = {field: harness.median(runs, field) for field in runs[0]}
        spread = f"{min(r['cpu_us'] for r in runs):.2f}...{max(r['cpu_us'] for r in runs):.2f}"
        print(f"  {name:11} {m['cpu_us']:7.2f} us CPU/call ({spread})  {m['per_second']:7.0f} calls/s  "
              f"p50 {m['p50_us']:.0f} us  p99 {m['p99_us']:.0f} us  {m['request_bytes']:.0f} B in, "
              f"{m['answer_bytes']:.0f} B out", flush=True)
    text = harness.ratios({name: harness.median(runs, "cpu_us") for name, runs in results.items()})
    if text:
        print(f"  energykitd's CPU is {text}", flush=True)


if __name__ == "__main__":
    main()
