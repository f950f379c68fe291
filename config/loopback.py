"""The reach of a host's address: this machine alone, or others, too."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """True if a host's name or number is a loopback address, which no other machine reaches."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
