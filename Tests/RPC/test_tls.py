"""TLS listeners: ALPN, versions, client certificates, reload, hostile peers."""

import json
import signal
import socket
import ssl
import statistics
import subprocess
import threading
import time

import grpc
import pytest

from certificates import Authority
from echo_server import EchoServer, channel, eventually, server_stream, unary
from raw_http2 import RawClient, messages
from sanitizers import within


class Site:
    """Two authorities, a server's certificate and some of clients."""

    def __init__(self, directory):
        self.authority = Authority(directory)
        self.stranger = Authority(directory, "unknown authority")
        self.server = self.authority.issue_server()
        self.client = self.authority.issue_client()

    def flags(self, client_ca=True):
        flags = ["--tls-cert", str(self.server.chain_path), "--tls-key", str(self.server.key_path)]
        return [*flags, "--tls-client-ca", str(self.authority.path)] if client_ca else flags

    def credentials(self, client=None, authority=None):
        return grpc.ssl_channel_credentials(
            (authority or self.authority).pem,
            client.key_bytes if client else None,
            client.chain if client else None,
        )

    def context(self, version=None, alpn=("h2",), client=None):
        context = ssl.create_default_context(cafile=self.authority.path)
        if version is not None:
            context.minimum_version = context.maximum_version = version
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if client:
            context.load_cert_chain(client.chain_path, client.key_path)
        return context


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return Site(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def shared_secure(site):
    """Listeners, in this order: TLS, mutual TLS, in the clear."""
    with EchoServer(*site.flags(), address=["tls+127.0.0.1:0", "mtls+127.0.0.1:0", "127.0.0.1:0"]) as server:
        yield server


@pytest.fixture
def secure(shared_secure):
    yield shared_secure
    assert shared_secure.is_alive(), shared_secure.errors


def port(address):
    return int(address.rsplit(":", 1)[1])


def peer_lines(connection):
    return unary(connection, "Peer")(b"", timeout=5).decode().splitlines()


# grpcio


def test_grpcio_calls_over_tls(site, secure):
    """G-024, G-025."""
    with channel(secure.address, site.credentials()) as connection:
        assert unary(connection, "Unary")(b"x" * 3_000_000, timeout=10) == b"x" * 3_000_000
        assert list(server_stream(connection, "ServerStream")(b"50 70000 0", timeout=10)) == [b"m" * 70_000] * 50
        assert len(peer_lines(connection)) == 1


@pytest.mark.parametrize("listen", ["tls+[::1]:0", "tls+unix:PATH"])
def test_tls_over_every_kind_of_socket(site, tmp_path, listen):
    """G-027, G-029."""
    listen = listen.replace("PATH", str(tmp_path / "echo.sock"))
    with EchoServer(*site.flags(), address=listen) as server:
        options = {"grpc.ssl_target_name_override": "localhost"}
        with channel(server.address, site.credentials(), **options) as connection:
            assert unary(connection, "Unary")(b"x", timeout=5) == b"x"


@pytest.mark.parametrize("listener", [0, 1], ids=["tls", "mtls"])
def test_names_of_a_client_certificate_reach_the_call(site, secure, listener):
    """G-026, G-048."""
    with channel(secure.addresses[listener], site.credentials(site.client)) as connection:
        assert peer_lines(connection)[1:] == ["CN=client", "DNS:hub.example", "URI:energykit:client:7"]


def test_client_without_a_certificate_is_refused_by_mtls_only(site, secure):
    """G-026."""
    with channel(secure.addresses[1], site.credentials()) as connection, pytest.raises(grpc.RpcError) as error:
        unary(connection, "Unary")(b"x", timeout=5)
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE
    with channel(secure.addresses[0], site.credentials()) as connection:
        assert unary(connection, "Unary")(b"x", timeout=5) == b"x"


@pytest.mark.parametrize("listener", [0, 1], ids=["tls", "mtls"])
@pytest.mark.parametrize("kind", ["expired", "not yet valid", "of an unknown authority", "for servers"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_bad_client_certificate_is_refused_with_an_alert(site, secure, listener, kind, version):
    """G-026: also where none is demanded."""
    client, alert = {
        "expired": lambda: (site.authority.issue_client("expired", days=(-9, -2)), "EXPIRED"),
        "not yet valid": lambda: (site.authority.issue_client("early", days=(2, 9)), "ALERT"),
        "of an unknown authority": lambda: (site.stranger.issue_client("stranger"), "UNKNOWN_CA"),
        "for servers": lambda: (site.authority.issue_server("wrong use"), "ALERT"),
    }[kind]()
    with pytest.raises(ssl.SSLError) as error:
        with RawClient(port(secure.addresses[listener]), tls=site.context(version, client=client)) as raw:
            raw.ask()
    assert alert in error.value.reason and "ALERT" in error.value.reason


# Protocol


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_both_versions(site, secure, version):
    """G-025."""
    with RawClient(secure.port, tls=site.context(version)) as client:
        assert client.socket.selected_alpn_protocol() == "h2"
        assert messages(client.ask().data) == [b"hello"]


@pytest.mark.parametrize("alpn", [(), ("http/1.1",), ("h3", "spdy/3")], ids=["none", "http/1.1", "others"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_client_without_h2_is_refused(site, secure, alpn, version):
    """G-024: no_application_protocol."""
    with pytest.raises(ssl.SSLError) as error:
        RawClient(secure.port, tls=site.context(version, alpn))
    assert "alert no application protocol" in str(error.value)


def test_h2_is_found_among_others(site, secure):
    """G-024."""
    with RawClient(secure.port, tls=site.context(alpn=("http/1.1", "grpc-exp", "h2"))) as client:
        assert messages(client.ask().data) == [b"hello"]


@pytest.mark.parametrize("suite", ["AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA"])
def test_suites_that_http2_forbids_are_refused(site, secure, suite):
    """G-025, RFC 9113 section 9.2.2."""
    context = site.context(ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(suite)
    with pytest.raises(ssl.SSLError) as error:
        RawClient(secure.port, tls=context)
    assert "HANDSHAKE_FAILURE" in error.value.reason


@pytest.mark.parametrize("suite", ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
def test_suites_that_http2_allows_are_spoken(site, secure, suite):
    """G-025."""
    context = site.context(ssl.TLSVersion.TLSv1_2)
    context.set_ciphers(suite)
    with RawClient(secure.port, tls=context) as client:
        assert client.socket.cipher()[0] == suite
        assert messages(client.ask().data) == [b"hello"]
        assert client.socket.compression() is None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_older_versions_are_refused(site, secure):
    """G-025."""
    context = site.context()
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionError)) as error:
        RawClient(secure.port, tls=context)
    assert "VERSION" in error.value.reason


@pytest.mark.parametrize(
    "junk", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0" * 100, b"\xff" * 20_000]
)
def test_what_is_no_tls_is_closed_at_once(secure, junk):
    """G-080."""
    with socket.create_connection(("127.0.0.1", secure.port), timeout=5) as client:
        client.sendall(junk)
        client.settimeout(5)
        start = time.monotonic()
        # An alert at most, then the end.
        try:
            received = b"".join(iter(lambda: client.recv(4096), b""))
        except ConnectionResetError:
            received = b""
        assert len(received) <= 7
        assert time.monotonic() - start < 1


def test_tls_on_a_listener_in_the_clear_is_closed_at_once(site, secure):
    """G-003."""
    with pytest.raises((ssl.SSLError, ConnectionError)):
        RawClient(port(secure.addresses[2]), tls=site.context())


def test_end_is_said(site, secure):
    """close_notify before the FIN, so that a cut connection can be told from an ended one."""
    with RawClient(secure.port, tls=site.context()) as client:
        client.ask()
        client.socket.suppress_ragged_eofs = False
        client.send_bytes(b"\0" * 100)
        # A ragged end would be an SSLEOFError.
        while client.socket.recv(4096):
            pass


def test_client_that_says_goodbye_is_let_go(site, secure):
    """G-109: close_notify without a FIN."""
    before = secure.descriptors()
    with RawClient(secure.port, tls=site.context()) as client:
        client.ask()
        client.socket.settimeout(5)
        client.socket.unwrap().close()
        eventually(lambda: secure.descriptors() <= before, 1, "the connection is closed")


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_bytes_may_come_in_any_pieces(site, secure, cut):
    """G-001: handshake, preface and call, a few octets at a time."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = site.context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", secure.port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(5)

        def send_all():
            data = outgoing.read()
            for start in range(0, len(data), cut):
                connection.sendall(data[start : start + cut])

        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                send_all()
                incoming.write(connection.recv(65536))
        send_all()
        tls.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        send_all()
        frames = b""
        while len(frames) < 9 or frames[3] != 4:
            try:
                frames += tls.read(65536)
            except ssl.SSLWantReadError:
                incoming.write(connection.recv(65536))


# Files


def test_bad_files_are_one_clear_line_and_exit_code_2(site, tmp_path):
    other = site.authority.issue_server("other")
    empty = tmp_path / "empty.pem"
    empty.write_text("")
    locked = tmp_path / "locked.key"
    locked.write_text("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n")
    chain, key = str(site.server.chain_path), str(site.server.key_path)
    cases = [
        (str(tmp_path / "none.pem"), key, "No such file"),
        (str(empty), key, "empty"),
        (key, key, "no certificate"),
        (chain, chain, "no private key"),
        (chain, str(locked), "passphrase"),
        (chain, str(other.key_path), "is not the key of the certificate"),
        (chain, str(tmp_path), "directory"),
    ]
    for cert_file, key_file, words in cases:
        flags = ["--tls-cert", cert_file, "--tls-key", key_file]
        with EchoServer(*flags, address="tls+127.0.0.1:0", wait=False) as server:
            assert server.wait(10) == 2
            server.reader.join(5)
            assert len(server.errors) == 1 and words.lower() in server.errors[0].lower(), server.errors


def certificate_of(server_port, site):
    """The serial number that the server shows now."""
    from cryptography import x509

    context = site.context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with RawClient(server_port, tls=context) as client:
        client.ask()
        return x509.load_der_x509_certificate(client.socket.getpeercert(True)).serial_number


def reloaded(server):
    server.signal(signal.SIGHUP)
    assert server.lines.get(timeout=5) == "certificates read anew\n"


def test_reload_under_traffic_loses_nothing(tmp_path):
    """G-026: old connections live on, new ones get the new certificate; no call fails."""
    site = Site(tmp_path)
    newer = site.authority.issue_server("newer")
    with EchoServer(*site.flags(), address="tls+127.0.0.1:0") as server:
        outcomes = []
        stop = threading.Event()

        def calls(index):
            while not stop.is_set():
                with channel(server.address, site.credentials()) as connection:
                    for _ in range(50 if index % 2 else 1):
                        try:
                            outcomes.append(unary(connection, "Unary")(b"x", timeout=5))
                        except grpc.RpcError as error:
                            outcomes.append(error.details())

        with RawClient(server.port, tls=site.context()) as old:
            old.ask()
            threads = [threading.Thread(target=calls, args=(index,)) for index in range(4)]
            for thread in threads:
                thread.start()
            for pair in [newer, site.server, newer]:
                time.sleep(0.3)
                pair.write(onto=site.server)
                reloaded(server)
                assert certificate_of(server.port, site) == pair.certificate.serial_number
            stop.set()
            for thread in threads:
                thread.join(10)
            assert messages(old.ask(b"still").data) == [b"still"]
        print(f"measured: calls over TLS while certificates were read anew three times: {len(outcomes)}, all good")
        assert set(outcomes) == {b"x"}


def test_bad_new_file_changes_nothing(tmp_path):
    """G-026."""
    site = Site(tmp_path)
    with EchoServer(*site.flags(), address="tls+127.0.0.1:0") as server:
        before = certificate_of(server.port, site)
        site.server.key_path.write_bytes(site.client.key_bytes)
        server.signal(signal.SIGHUP)
        eventually(lambda: server.errors, 5, "a word on standard error")
        assert "is not the key of the certificate" in server.errors[0] and len(server.errors) == 1
        assert certificate_of(server.port, site) == before
        server.errors.clear()


def test_new_authority_counts_from_the_next_connection_on(tmp_path):
    """G-026: no session is resumed past it."""
    site = Site(tmp_path)
    with EchoServer(*site.flags(), address="mtls+127.0.0.1:0") as server:
        context = site.context(client=site.client)
        with RawClient(server.port, tls=context) as first:
            first.ask()
            session = first.socket.session
            site.authority.path.write_bytes(site.stranger.pem)
            reloaded(server)
            assert messages(first.ask().data) == [b"hello"]
        with pytest.raises(ssl.SSLError):
            with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
                tls = context.wrap_socket(connection, server_hostname="localhost", session=session)
                tls.recv(1)


@pytest.mark.parametrize("asks", [False, True], ids=["no certificate asked for", "certificate asked for"])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_sessions_are_resumed_only_where_no_client_is_asked_for_a_certificate(site, version, asks):
    with EchoServer(*site.flags(client_ca=asks), address="tls+127.0.0.1:0") as server:
        context = site.context(version)
        with RawClient(server.port, tls=context) as first:
            first.ask()
            assert not first.socket.session_reused
            session = first.socket.session
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            tls = context.wrap_socket(connection, server_hostname="localhost", session=session)
            assert tls.session_reused != asks
            tls.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
            assert tls.recv(9)[3] == 4


# Hostile


def test_handshakes_that_stall_hold_nobody_up(site, secure):
    """G-151: 200 clients that have sent half a ClientHello, while another is served."""
    hello = bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) + b"\0" * 100
    stalled = []
    try:
        for _ in range(200):
            client = socket.create_connection(("127.0.0.1", secure.port))
            client.sendall(hello)
            stalled.append(client)
        start = time.monotonic()
        with RawClient(secure.port, tls=site.context()) as client:
            assert messages(client.ask().data) == [b"hello"]
        assert time.monotonic() - start < 2
    finally:
        for client in stalled:
            client.close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_bytes_that_were_changed_end_the_connection(site, secure, version):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = site.context(version).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", secure.port), timeout=5) as connection:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                incoming.write(connection.recv(65536))
        tls.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        data = bytearray(outgoing.read())
        data[-1] ^= 1
        connection.sendall(data)
        start = time.monotonic()
        while connection.recv(65536):
            pass
        assert time.monotonic() - start < 1


# Figures


@pytest.mark.memory
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "scheme, version",
    [("tls+", ssl.TLSVersion.TLSv1_3), ("tls+", ssl.TLSVersion.TLSv1_2), ("mtls+", ssl.TLSVersion.TLSv1_3), ("", None)],
    ids=["TLS 1.3", "TLS 1.2", "mutual TLS 1.3", "clear"],
)
def test_idle_connections_cost_little(site, scheme, version):
    """G-110: 1,000 connections that have made one call, on a server of their own."""
    context = site.context(version, client=site.client if scheme == "mtls+" else None) if version else None
    with EchoServer(*site.flags(), address=f"{scheme}127.0.0.1:0") as server:
        for _ in range(4):
            with RawClient(server.port, tls=context) as client:
                client.ask()
        before = server.resident_kib()
        clients, seconds = [], []
        for _ in range(1_000):
            start = time.monotonic()
            client = RawClient(server.port, tls=context)
            client.ask()
            seconds.append(time.monotonic() - start)
            clients.append(client)
        time.sleep(0.3)
        each = (server.resident_kib() - before) / 1_000
        for client in clients:
            client.socket.close()
        print(
            f"measured: idle connection, {scheme or 'clear'} {version.name if version else ''}: {each:.1f} KiB resident; "
            f"connect and first call {1000 * statistics.median(seconds):.2f} ms (client and server on one machine)"
        )
        # A debug build has some more for itself. A client's certificate is kept by OpenSSL, parsed.
        assert each < {"tls+": 36, "mtls+": 44, "": 20}[scheme]


def test_handshake_has_a_time_limit(site):
    """G-004, G-151: nothing, and the beginning of a greeting."""
    with EchoServer(*site.flags(), "--establishment-time", "0.5", address="tls+127.0.0.1:0") as server:
        start = time.monotonic()
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        for client in clients[::2]:
            client.sendall(bytes.fromhex("1603010200010001fc0303"))
        for client in clients:
            client.settimeout(within(5))
            assert client.recv(1) == b""
            client.close()
        assert 0.4 < time.monotonic() - start < within(3)


@pytest.mark.memory
@pytest.mark.parametrize("length", [100, 15_000], ids=["the begin", "nearly all that is allowed"])
def test_stalled_handshakes_cost_little(site, length):
    """G-151: 500 clients that have sent a part of a ClientHello and say no more."""
    message = bytes([1, 1, 0, 0, 3, 3]) + b"\0" * length
    records = b"".join(
        bytes([22, 3, 1]) + len(message[start : start + 16_000]).to_bytes(2, "big") + message[start : start + 16_000]
        for start in range(0, length, 16_000)
    )
    # More would be refused, see the unit tests.
    with EchoServer(*site.flags(), address="tls+127.0.0.1:0") as server:
        with RawClient(server.port, tls=site.context()) as client:
            client.ask()
        before = server.resident_kib()
        clients = []
        for _ in range(500):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(records)
            clients.append(client)
        with RawClient(server.port, tls=site.context()) as client:
            start = time.monotonic()
            assert messages(client.ask().data) == [b"hello"]
            assert time.monotonic() - start < 2
        each = (server.resident_kib() - before) / 500
        for client in clients:
            client.close()
        print(f"measured: stalled handshake, {len(records)} bytes sent: {each:.1f} KiB resident")
        assert each < 60 + 2 * length / 1024


def test_nghttp_speaks_to_it(secure):
    """A client that is nobody's gRPC library: an HTTP/2 GET is answered, though not served."""
    result = subprocess.run(
        ["nghttp", "-v", "-y", "-t", "5", f"https://127.0.0.1:{secure.port}/"], capture_output=True, text=True, timeout=20
    )
    assert "The negotiated protocol: h2" in result.stdout and ":status: 405" in result.stdout, result.stdout


def test_certificates_are_not_needed_in_the_clear(secure):
    with RawClient(port(secure.addresses[2])) as client:
        stats = json.loads(messages(client.ask(b"", method="Stats").data)[0])
        assert stats["active"] == 0
