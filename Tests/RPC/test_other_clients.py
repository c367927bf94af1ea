"""HTTP/2 tools and libraries that know nothing of gRPC, as its clients: h2load, nghttp, Python's h2."""

import re
import socket
import subprocess

import h2.config
import h2.connection
import h2.events
import pytest

from raw_http2 import PATH, framed, messages
from sanitizers import within

HEADERS = ["-H", "content-type: application/grpc", "-H", "te: trailers"]


@pytest.fixture
def request_file(tmp_path):
    file = tmp_path / "request"
    file.write_bytes(framed(b"hello"))
    return file


@pytest.mark.parametrize("clients, streams", [(1, 1), (4, 32), (16, 100)])
def test_h2load_gets_every_answer(echo, request_file, clients, streams):
    """G-065, G-088, G-093: 3200 calls, all answered with 200, and no more and no fewer bytes of messages than that."""
    command = [
        "h2load", "-n", "3200", "-c", str(clients), "-m", str(streams), "-d", str(request_file), *HEADERS,
        f"http://127.0.0.1:{echo.port}{PATH}Unary",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=within(25))
    assert "3200 total, 3200 started, 3200 done, 3200 succeeded, 0 failed, 0 errored, 0 timeout" in done.stdout
    assert "3200 2xx, 0 3xx, 0 4xx, 0 5xx" in done.stdout
    assert re.search(r"\((\d+)\) data", done.stdout).group(1) == str(3_200 * len(framed(b"hello")))


def test_nghttp_shows_answer_and_trailers(echo, request_file):
    """G-065, G-066: headers, message, trailers with grpc-status, in this order."""
    command = [
        "nghttp", "-v", "-t", "5", "-d", str(request_file), "-H", ":method: POST", *HEADERS,
        f"http://127.0.0.1:{echo.port}{PATH}Unary",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=within(20))
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    shown = ["recv (stream_id=13) :status: 200", "recv DATA frame", "recv (stream_id=13) grpc-status: 0"]
    places = [text.find(part) for part in shown]
    assert -1 not in places and places == sorted(places), text


class Caller:
    """A call by Python's h2, which keeps its own state of the connection and refuses what breaks HTTP/2."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(within(10))
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        self.state.initiate_connection()
        self.answers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.state.close_connection()
        self.flush()
        self.socket.close()

    def flush(self):
        self.socket.sendall(self.state.data_to_send())

    def open(self, method="Unary"):
        stream = self.state.get_next_available_stream_id()
        self.state.send_headers(
            stream,
            [
                (":method", "POST"),
                (":scheme", "http"),
                (":path", PATH + method),
                (":authority", "localhost"),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
            ],
        )
        self.answers[stream] = {"data": b"", "ended": False}
        return stream

    def send(self, stream, data):
        """All of it, as the windows allow, with END_STREAM."""
        while True:
            room = min(self.state.local_flow_control_window(stream), self.state.max_outbound_frame_size, len(data))
            if room or not data:
                self.state.send_data(stream, data[:room], end_stream=room == len(data))
                data = data[room:]
                self.flush()
                if not data:
                    return
            else:
                self.receive()

    def receive(self):
        data = self.socket.recv(1 << 16)
        assert data, "the connection has ended"
        for event in self.state.receive_data(data):
            match event:
                case h2.events.ResponseReceived():
                    self.answers[event.stream_id]["headers"] = dict(event.headers)
                case h2.events.DataReceived():
                    self.answers[event.stream_id]["data"] += event.data
                    self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case h2.events.TrailersReceived():
                    self.answers[event.stream_id]["trailers"] = dict(event.headers)
                case h2.events.StreamEnded():
                    self.answers[event.stream_id]["ended"] = True
                case h2.events.ConnectionTerminated() | h2.events.StreamReset():
                    raise AssertionError(event)
        self.flush()

    def answer(self, stream):
        while not self.answers[stream]["ended"]:
            self.receive()
        return self.answers[stream]


@pytest.mark.parametrize("size", [0, 5, 65_535, 1 << 20])
def test_python_h2_calls(echo, size):
    """G-065, G-088, G-092: many frames and windows; h2 fails on anything that breaks the protocol."""
    with Caller(echo.port) as caller:
        streams = [caller.open() for _ in range(3)]
        for stream in streams:
            caller.send(stream, framed(bytes(size)))
        for stream in streams:
            answer = caller.answer(stream)
            assert answer["headers"][b":status"] == b"200"
            assert messages(answer["data"]) == [bytes(size)]
            assert answer["trailers"][b"grpc-status"] == b"0"


def test_python_h2_sees_the_ping_answered(echo):
    """G-008"""
    with Caller(echo.port) as caller:
        caller.state.ping(b"12345678")
        stream = caller.open()
        caller.send(stream, framed(b"hello"))
        seen = []
        receive = caller.state.receive_data
        caller.state.receive_data = lambda data: (events := receive(data), seen.extend(events), events)[-1]
        caller.answer(stream)
        assert [event.ping_data for event in seen if isinstance(event, h2.events.PingAckReceived)] == [b"12345678"]
