"""Something between a client and a server that forgets silent connections, as home routers and mobile networks do."""

from __future__ import annotations

import socket
import threading
import time


class ForgetfulProxy:
    """A proxy of TCP. A connection on which nothing has come for `seconds` is forgotten: the proxy goes on to take bytes,
    and passes none; neither side is told."""

    def __init__(self, port: int, seconds: float):
        self.seconds = seconds
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = [self.listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> ForgetfulProxy:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.sockets:
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                inside, _ = self.listener.accept()
                outside = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.sockets += [inside, outside]
            memory = Memory(self.seconds)
            for source, sink in [(inside, outside), (outside, inside)]:
                threading.Thread(target=carry, args=(source, sink, memory), daemon=True).start()


class Memory:
    """Of one connection."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.last = time.monotonic()
        self.is_lost = False

    def holds(self) -> bool:
        """Whether the connection is still known, as a piece of data comes by."""
        now = time.monotonic()
        if now - self.last > self.seconds:
            self.is_lost = True
        self.last = now
        return not self.is_lost


def carry(source: socket.socket, sink: socket.socket, memory: Memory) -> None:
    try:
        while data := source.recv(1 << 16):
            if memory.holds():
                sink.sendall(data)
        if not memory.is_lost:
            sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
