"""IP addresses that nothing may be sent to: all but those that the internet routes.

Python's `is_global` follows the registries of its own version, and takes shared and embedded
addresses for public ones: the registries stand here. Sources: IANA's IPv4 and IPv6 Special-Purpose
Address Registries (RFC 6890), RFC 4291, 6052, 3056, 4380.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
_IPV4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a provider",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "for protocols",
    "192.0.2.0/24": "for documentation",
    "192.31.196.0/24": "for protocols",
    "192.52.193.0/24": "for protocols",
    "192.88.99.0/24": "a relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "for protocols",
    "198.18.0.0/15": "for benchmarks",
    "198.51.100.0/24": "for documentation",
    "203.0.113.0/24": "for documentation",
    "168.63.129.16/32": "of a cloud's host",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
_IPV6 = {
    "::/128": "this network",
    "::1/128": "loopback",
    "fe80::/10": "link-local",
    "fec0::/10": "private",
    "fc00::/7": "private",
    "ff00::/8": "multicast",
    "2001::/23": "for protocols",
    "2001:db8::/32": "for documentation",
    "2002::/16": "a tunnel",
    "2620:4f:8000::/48": "for protocols",
    "3fff::/20": "for documentation",
}
SPECIAL_IPV4 = [(IPv4Network(network), kind) for network, kind in _IPV4.items()]
SPECIAL_IPV6 = [(IPv6Network(network), kind) for network, kind in _IPV6.items()]
ROUTED_IPV6 = IPv6Network("2000::/3")
# Networks whose last 32 bits are an IPv4 address: mapped, translated, NAT64.
EMBEDDING = [IPv6Network(f"{start}/96") for start in ("::ffff:0:0", "::ffff:0:0:0", "64:ff9b::")]
# Kinds that an operator may let a receiver have; the rest is nobody's receiver.
INTERNAL = {"private", "loopback", "shared by a provider"}


def plain_address(address: Address) -> Address:
    """The address itself, or the IPv4 address that it only wraps."""
    if isinstance(address, IPv6Address) and any(address in network for network in EMBEDDING):
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def special_kind(address: Address) -> str:
    """The kind of an address that the internet does not route, such as "loopback"; "" for others.

    The narrowest network that holds it decides.
    """
    address = plain_address(address)
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in SPECIAL_IPV4 if address in network), "")
    kind = next((kind for network, kind in SPECIAL_IPV6 if address in network), "")
    return kind or ("" if address in ROUTED_IPV6 else "reserved")
