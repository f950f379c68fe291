"""The door to the outside: what it refuses, where it connects to, and how long it waits.

DNS is the test's: the table of names stands in place of the resolver, all else is the product's.
"""

import socket
import ssl
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from annotate.core.webhooks.outbound_addresses import special_kind
from annotate.services.webhooks import door
from tests.annotate.services.webhooks.receiver import running_receiver
from tests.annotate.services.webhooks.spellings import NAMES, PUBLIC, SPELLINGS


@pytest.fixture
def resolver(monkeypatch):
    """Names by the table, and the lookups; a connection to anything else than 127.0.0.1 fails."""
    table, lookups, connections = dict(NAMES), [], []
    connect = socket.socket.connect

    def getaddrinfo(host, port, **_):
        lookups.append(host)
        if host not in table:
            raise socket.gaierror("no such name")
        return [(0, 0, 0, "", (address, port)) for address in table[host]]

    def connect_here(self, address):
        connections.append(address[0])
        if address[0] != "127.0.0.1":
            raise OSError("the test has no network")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    resolver = type("Resolver", (), {})()
    resolver.table, resolver.lookups, resolver.connections = table, lookups, connections
    return resolver


def send(url):
    return door.post(url=url, body=b"{}", headers={"Content-Type": "application/json"})


def test_more_than_sixty_spellings_are_refused_and_nothing_is_connected_to(resolver):
    assert len(SPELLINGS) >= 60
    outcomes = {}
    for url, reason in SPELLINGS:
        with pytest.raises(door.AddressRefused) as refusal:
            send(url)
        if reason not in str(refusal.value):
            outcomes[url] = str(refusal.value)
    assert outcomes == {}
    assert resolver.connections == []
    assert set(resolver.lookups) == set(NAMES), "names alone are looked up"


def test_addresses_of_the_internet_are_none_of_them():
    assert [special_kind(ip_address(address)) for address in PUBLIC] == [""] * len(PUBLIC)


def test_a_public_host_is_resolved_once_and_connected_to_by_its_number(resolver):
    resolver.table["hooks.example.org"] = ["93.184.216.34", "2606:4700:4700::1111"]
    with pytest.raises(door.Unreachable, match="no network"):
        send("https://hooks.example.org/x")
    assert resolver.lookups == ["hooks.example.org"]
    assert resolver.connections == ["93.184.216.34", "2606:4700:4700::1111"]


def test_a_name_without_an_address_is_unreachable_and_may_come_later(resolver):
    with pytest.raises(door.Unreachable, match=r"nowhere\.example\.org cannot be resolved"):
        send("https://nowhere.example.org/")


def test_a_resolver_that_says_nothing_is_left(resolver, monkeypatch):
    monkeypatch.setattr(door, "TOTAL_SECONDS", 0.2)
    is_over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: is_over.wait(60) and [])
    with pytest.raises(door.Unreachable, match=r"hooks\.example\.org was not resolved in time"):
        send("https://hooks.example.org/x")
    assert not is_over.is_set(), "nobody waited for it"
    is_over.set()


def test_the_time_of_the_resolver_is_part_of_the_limit(settings, receiver, monkeypatch):
    limits, port = [], receiver.server_port

    class NotedTimer(threading.Timer):
        """The standard library's timer, which notes its limit."""

        def __init__(self, seconds, act):
            limits.append(seconds)
            super().__init__(seconds, act)

    def getaddrinfo(*_, **__):
        time.sleep(0.1)  # at least
        return [(0, 0, 0, "", ("127.0.0.1", port))]

    monkeypatch.setattr(threading, "Timer", NotedTimer)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    settings.WEBHOOK_HOSTS = [f"slow.lab:{port}"]
    assert send(f"http://slow.lab:{port}/x").status == 204
    assert len(limits) == 1 and limits[0] <= door.TOTAL_SECONDS - 0.1


def test_a_listed_receiver_may_be_internal_but_never_link_local(resolver, settings):
    with running_receiver() as receiver:
        port = receiver.server_port
        settings.WEBHOOK_HOSTS = [f"Inner.Lab:{port}", f"169.254.169.254:{port}", "secure.lab"]
        resolver.table |= {"inner.lab": ["127.0.0.1"], "other.lab": ["127.0.0.1"]}
        assert send(f"http://inner.lab:{port}/x").status == 204
        assert receiver.messages[0].headers["host"] == f"inner.lab:{port}"
        for url in (
            f"http://other.lab:{port}/",
            f"http://127.0.0.1:{port}/",
            f"http://inner.lab:{port + 1}/",
            f"http://169.254.169.254:{port}/",
        ):
            with pytest.raises(door.AddressRefused):
                send(url)
        resolver.table["inner.lab"] = ["169.254.169.254"]
        with pytest.raises(door.AddressRefused, match="link-local"):
            send(f"http://inner.lab:{port}/x")
        assert len(receiver.messages) == 1
    assert door.is_listed(door.allowed_url("https://secure.lab/x")), "443 goes without saying"
    assert not door.is_listed(door.allowed_url("https://secure.lab:8443/x"))
    settings.WEBHOOK_HOSTS = ["[FD00:0::1]:8080", "[fd00::2]"]
    for url in ("http://[fd00::1]:8080/", "https://[fd00:0:0::2]/"):
        assert door.is_listed(door.allowed_url(url)), "an address is listed in any spelling"


def test_no_redirect_is_followed_and_no_proxy_is_asked(receiver, monkeypatch):
    with running_receiver() as other:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{other.authority}")
        receiver.status, receiver.headers = 307, {"Location": other.url}
        assert send(receiver.url).status == 307
        assert (len(receiver.messages), other.messages) == (1, [])


def test_an_answer_is_read_in_part(receiver):
    receiver.status, receiver.answer = 500, b"x" * 100_000
    answer = send(receiver.url)
    assert (answer.status, answer.body) == (500, b"x" * door.ANSWER_BYTES)


def test_a_receiver_that_says_nothing_is_left(receiver, monkeypatch):
    monkeypatch.setattr(door, "TOTAL_SECONDS", 0.2)
    is_over = threading.Event()
    receiver.before_answer = lambda: is_over.wait(60)
    with pytest.raises(door.Unreachable, match="did not answer in time"):
        send(receiver.url)
    is_over.set()


@pytest.mark.parametrize("rest_of_head", [b"", b"Connection: close\r\n\r\n"])
def test_bytes_that_trickle_in_do_not_prolong_the_wait(settings, monkeypatch, rest_of_head):
    """Those of the head, and those of an answer that ends with the connection."""
    monkeypatch.setattr(door, "TOTAL_SECONDS", 0.5)
    hang_ups = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def trickle():
            connection, _ = server.accept()
            with closing(connection):
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + rest_of_head)
                for _ in range(1000):  # for twenty seconds at least, if nobody hangs up
                    try:
                        connection.sendall(b"x")
                    except OSError as error:
                        hang_ups.append(error)
                        return
                    time.sleep(0.02)

        thread = threading.Thread(target=trickle)
        thread.start()
        authority = f"127.0.0.1:{server.getsockname()[1]}"
        settings.WEBHOOK_HOSTS = [authority]
        with pytest.raises(door.Unreachable, match="did not answer in time"):
            send(f"http://{authority}/")
        thread.join()
    assert len(hang_ups) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"-ERR unknown command 'POST'\r\n", "-ERR unknown command 'POST'"),
        (b"HTTP/1.1 a\0b\x1b[2J\r\n", "HTTP/1.1 a�b�[2J"),
        (b"x" * 60_000 + b"\r\n", "x" * 200),
    ],
)
def test_what_is_no_http_is_unreachable_for_a_reason_in_short(settings, answer, reason):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def respond():
            connection, _ = server.accept()
            with closing(connection):
                connection.recv(10_000)
                connection.sendall(answer)

        thread = threading.Thread(target=respond)
        thread.start()
        authority = f"127.0.0.1:{server.getsockname()[1]}"
        settings.WEBHOOK_HOSTS = [authority]
        with pytest.raises(door.Unreachable) as refusal:
            send(f"http://{authority}/")
        assert str(refusal.value) == f"It cannot be reached: {reason}."
        thread.join()
    with pytest.raises(door.Unreachable, match="It cannot be reached"):
        send(f"http://{authority}/")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of hooks.lab that signed itself, with its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.lab")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.lab")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "hooks.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file


def test_a_certificate_must_be_valid_and_of_the_name(resolver, settings, certificate, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with running_receiver() as receiver:
        receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
        port = receiver.server_port
        settings.WEBHOOK_HOSTS = [f"hooks.lab:{port}", f"other.lab:{port}"]
        resolver.table |= {"hooks.lab": ["127.0.0.1"], "other.lab": ["127.0.0.1"]}
        with pytest.raises(door.Unreachable, match="certificate is not valid: self-signed"):
            send(f"https://hooks.lab:{port}/x")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(door.Unreachable, match="not valid: Hostname mismatch"):
            send(f"https://other.lab:{port}/x")
        assert receiver.messages == []
        assert send(f"https://hooks.lab:{port}/x").status == 204
        assert receiver.messages[0].path == "/x"
