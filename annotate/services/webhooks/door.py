"""The only door to the outside: no other code opens a connection to an address that people chose.

The host is resolved once, all its addresses are checked, and the connection goes to one of those
that were checked: a name that resolves otherwise a moment later leads nowhere else (DNS rebinding).
Nothing is followed, no proxy of the environment is asked, and an answer is read in part.
"""

import http.client
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from ipaddress import ip_address
from typing import NamedTuple

from django.conf import settings

from annotate.core.webhooks import outbound_addresses
from annotate.core.webhooks.outbound_addresses import Address
from annotate.core.webhooks.receiver_urls import (
    DEFAULT_PORTS,
    BadUrl,
    ReceiverUrl,
    listed_authority,
    read_url,
)

PORTS = (443, 8443)
CONNECT_SECONDS, TOTAL_SECONDS = 5.0, 10.0
ANSWER_BYTES = 4096
MAX_ADDRESSES = 2  # that are tried
MAX_REASON = 200  # characters of why none came


class AddressRefused(Exception):
    """Nothing was sent: the address is none that this site sends to."""


class Unreachable(Exception):
    """No answer came; the text says why."""


class ReceiverAnswer(NamedTuple):
    """The answer of a receiver: its status, and its first bytes."""

    status: int
    body: bytes


def allowed_url(text: str) -> ReceiverUrl:
    """Read an address that something may be sent to, as far as one sees without asking DNS.

    Raises AddressRefused.
    """
    try:
        url = read_url(text)
    except BadUrl as error:
        raise AddressRefused(str(error)) from error
    if not is_listed(url):
        if url.scheme != "https":
            raise AddressRefused(f"Only https:// is sent to, {_advice(url)}.")
        if url.port not in PORTS:
            raise AddressRefused(f"Only the ports 443 and 8443 are sent to, {_advice(url)}.")
        if url.address is None and "." not in url.host:
            raise AddressRefused(
                f"{url.host} is no full name of a host: nothing is sent to it, {_advice(url)}."
            )
    if url.address is not None:
        _require_allowed(url, url.address)
    return url


def is_listed(url: ReceiverUrl) -> bool:
    """True if the operator lets this host and port be a receiver although they are internal."""
    return url.authority in {listed_authority(text) for text in settings.WEBHOOK_HOSTS}


def post(*, url: str, body: bytes, headers: Mapping[str, str]) -> ReceiverAnswer:
    """Send a request, in TOTAL_SECONDS at most with DNS; raises AddressRefused, Unreachable."""
    receiver, until = allowed_url(url), time.monotonic() + TOTAL_SECONDS
    addresses = checked_addresses(receiver, until=until)
    try:
        with (
            closing(_CheckedConnection(receiver, addresses, until)) as connection,
            _time_limit(connection),
        ):
            connection.request("POST", receiver.target, body, dict(headers))
            answer = connection.getresponse()
            return ReceiverAnswer(answer.status, answer.read(ANSWER_BYTES))
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(f"Its certificate is not valid: {error.verify_message}.") from error
    except TimeoutError as error:
        raise Unreachable("It did not answer in time.") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(f"It cannot be reached: {_reason(error)}.") from error


def checked_addresses(url: ReceiverUrl, *, until: float) -> list[Address]:
    """The addresses of a host, resolved now. Raises AddressRefused if any of them is special.

    until : of the monotonic clock; a resolver that takes longer is Unreachable
    """
    if url.address is not None:
        return [url.address]
    addresses = resolved_addresses(url, until=until)
    for address in addresses:
        _require_allowed(url, address)
    return list(dict.fromkeys(addresses))


def resolved_addresses(url: ReceiverUrl, *, until: float) -> list[Address]:
    """The addresses of a name, by the system's resolver.

    It takes no limit, so it is asked in a thread, which is left to its own end when time is over.
    """
    answers: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()

    def resolve() -> None:
        try:
            rows = socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            answers.put(None)
        else:
            answers.put([str(row[4][0]) for row in rows])

    threading.Thread(target=resolve, name="resolver", daemon=True).start()
    try:
        texts = answers.get(timeout=max(0.0, until - time.monotonic()))
    except queue.Empty as error:
        raise Unreachable(f"The name {url.host} was not resolved in time.") from error
    if texts is None:
        raise Unreachable(f"The name {url.host} cannot be resolved.")
    # a zone belongs to a link-local address, which is refused
    return [ip_address(text.partition("%")[0]) for text in texts]


def _reason(error: Exception) -> str:
    """The words of an error in short; a part of them may be the receiver's, whatever it sent."""
    text = str(error).strip()[:MAX_REASON] or type(error).__name__
    return "".join(character if character.isprintable() else "�" for character in text)


def _require_allowed(url: ReceiverUrl, address: Address) -> None:
    kind = outbound_addresses.special_kind(address)
    if kind and not (kind in outbound_addresses.INTERNAL and is_listed(url)):
        subject = url.host if url.address is not None else f"{url.host} leads to {address}, which"
        advice = f", {_advice(url)}" if kind in outbound_addresses.INTERNAL else ""
        raise AddressRefused(f"{subject} is {kind}: nothing is sent to it{advice}.")


def _advice(url: ReceiverUrl) -> str:
    return f"unless the operator lists {url.authority} in WEBHOOK_HOSTS"


class _CheckedConnection(http.client.HTTPConnection):
    """A connection to addresses that were checked, whatever the host's name means by now.

    It ends at a moment, `until`: a receiver that sends a byte a second holds no worker.
    """

    def __init__(self, url: ReceiverUrl, addresses: list[Address], until: float) -> None:
        super().__init__(url.host, url.port, timeout=TOTAL_SECONDS)
        self.url, self.addresses, self.until = url, addresses, until
        self.default_port = DEFAULT_PORTS[url.scheme]  # which the header Host leaves out
        self.is_over = threading.Event()
        self.open_socket: socket.socket | None = None

    def connect(self) -> None:
        """Connect to the first address that answers, and hold its certificate to the name."""
        self.sock = self._first_socket()
        self.sock.settimeout(TOTAL_SECONDS)
        if self.url.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.url.host, do_handshake_on_connect=False
            )
        self.open_socket = self.sock  # `sock` is None once an answer begins that ends with it
        if self.is_over.is_set():  # it was while there was no socket to be shut down
            raise TimeoutError
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()

    def _first_socket(self) -> socket.socket:
        *first_addresses, last = self.addresses[:MAX_ADDRESSES]
        for address in first_addresses:
            with suppress(OSError):
                return connected_socket(address, self.port, until=self.until)
        return connected_socket(last, self.port, until=self.until)

    def shut_down(self) -> None:
        """End all reading and writing, from another thread."""
        self.is_over.set()
        with suppress(OSError):
            if self.open_socket is not None:
                self.open_socket.shutdown(socket.SHUT_RDWR)


def connected_socket(address: Address, port: int, *, until: float) -> socket.socket:
    """A connection to an address by its number: nothing is resolved. Raises OSError."""
    seconds = min(CONNECT_SECONDS, until - time.monotonic())
    if seconds <= 0:
        raise TimeoutError
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect((str(address), port))
    except OSError:
        connection.close()
        raise
    return connection


@contextmanager
def _time_limit(connection: _CheckedConnection) -> Iterator[None]:
    """Shut the connection down at its moment; raises TimeoutError where that came to pass."""
    timer = threading.Timer(connection.until - time.monotonic(), connection.shut_down)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if connection.is_over.is_set():
            raise TimeoutError
