"""Who can reach an address."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host's name or number is this machine's own, which nobody elsewhere reaches."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
