"""Another client, which measures how it is served while something else goes on."""

from __future__ import annotations

import threading
import time

import grpc
from sanitizers import within

from .caller import Caller
from .server import Server


class Prober:
    """Lists the venues every 20 ms on a connection of its own; `worst` is the longest that took, in seconds."""

    def __init__(self, server: Server):
        self.channel = grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.caller = Caller(self.channel, server.demo["clients"][0]["api_key"])
        self.worst = 0.0
        self.count = 0
        self.error: grpc.RpcError | None = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._ends.is_set():
            start = time.monotonic()
            try:
                self.caller.list_venues()
            except grpc.RpcError as error:
                self.error = error
                return
            self.worst = max(self.worst, time.monotonic() - start)
            self.count += 1
            self._ends.wait(0.02)

    def __enter__(self) -> Prober:
        self.caller.list_venues()
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._ends.set()
        self._thread.join(timeout=within(30))
        self.channel.close()
        if kind is None:
            assert self.error is None, self.error
            print(f"measured: others meanwhile: {self.count} calls, the slowest {self.worst * 1000:.0f} ms")
            assert self.count > 0 and self.worst < within(2)
