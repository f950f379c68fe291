"""Names under which people appear in exports: fixed per collection, and nothing to be read from them."""

from base64 import b32encode
from hashlib import blake2b

LENGTH = 8


def pseudonym(key: bytes, *who: str) -> str:
    """The name of somebody in the collection this key belongs to, such as "A-K7Q2MWXB".

    key : secret of the collection, at most 64 bytes; without it nobody can go from a user to a name
    who : what tells this person from all others; the first word says what kind of identity it is
    """
    # Its own person parameter: the keyed hashes that choose doubles must not show in a public name.
    digest = blake2b("\0".join(who).encode(), key=key, digest_size=10, person=b"pseudonym").digest()
    return f"A-{b32encode(digest).decode()[:LENGTH]}"
