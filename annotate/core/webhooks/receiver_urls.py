"""Addresses of receivers of webhooks: one strict form, so that nobody reads them otherwise."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple

MAX_LENGTH = 1000
DEFAULT_PORTS = {"https": 443, "http": 80}
# Letters of ASCII alone: no name and password, no escapes in the host, no zone, no fragment.
_URL = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>(?:/[!-~]*)?(?:\?[!-~]*)?)",
    re.ASCII,
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)  # that resolvers take for a part of IPv4
_NOT_IN_TARGET = set('#\\"<>^`{|}')


class BadUrl(Exception):
    """The address cannot be that of a receiver; the text says why."""


class ReceiverUrl(NamedTuple):
    """The parts of a receiver's address.

    host : in small letters, IPv6 without its brackets
    address : the IP address that the host is, None for a name
    target : path and query, at least "/"
    """

    scheme: str
    host: str
    address: IPv4Address | IPv6Address | None
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The host and its port: `hooks.example.org:443`."""
        return f"{self._bracketed_host}:{self.port}"

    @property
    def text(self) -> str:
        """The address in one spelling: small letters, no port where it goes without saying."""
        is_usual = self.port == DEFAULT_PORTS[self.scheme]
        return (
            f"{self.scheme}://{self._bracketed_host if is_usual else self.authority}{self.target}"
        )

    @property
    def _bracketed_host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def read_url(text: str) -> ReceiverUrl:
    """Read an address; raises BadUrl for any spelling that could be read in two ways."""
    if len(text) > MAX_LENGTH:
        raise BadUrl(f"The address has more than {MAX_LENGTH:,} characters.")
    match = _URL.fullmatch(text)
    if match is None or _NOT_IN_TARGET & set(match["target"]):
        raise BadUrl(
            "Write it as https://host/path: plain letters, no user name, no fragment, names of "
            "other alphabets as xn--."
        )
    port = int(match["port"] or DEFAULT_PORTS[match["scheme"]])
    if not 1 <= port <= 65_535:
        raise BadUrl(f"There is no port {port}.")
    host = match["host"].lower()
    target = match["target"] if match["target"].startswith("/") else f"/{match['target']}"
    address = _literal_address(host)
    host = str(address) if isinstance(address, IPv6Address) else host
    return ReceiverUrl(match["scheme"], host, address, port, target)


def listed_authority(text: str) -> str:
    """The host and port that an operator lists, the port 443 if none is named; raises BadUrl."""
    url = read_url(f"https://{text}/")
    if url.target != "/":
        raise BadUrl(f"{text} has more than a host and a port.")
    return url.authority


def _literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """The IP address that a host is; None for a name."""
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _NUMBER.fullmatch(host.rpartition(".")[2]):
            return IPv4Address(host)
    except AddressValueError as error:
        raise BadUrl(f"{host} is no IP address in its usual spelling.") from error
    if not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise BadUrl(f"{host} is no name of a host.")
    return None
