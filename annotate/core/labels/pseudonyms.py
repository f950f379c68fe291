"""Pseudonyms of annotators in exports: fixed per collection, and without any hint at the person."""

from base64 import b32encode
from hashlib import blake2b

LENGTH = 8


def pseudonym(key: bytes, *identity: str) -> str:
    """An annotator's pseudonym in the collection of this key, such as "A-K7Q2MWXB".

    key : secret of the collection, at most 64 bytes; without it nobody gets from a user to a
        pseudonym
    identity : words that identify the annotator; the first one names the kind of identity
    """
    # Its own person parameter: the keyed hashes that choose doubles must not show in a public name.
    digest = blake2b(
        "\0".join(identity).encode(), key=key, digest_size=10, person=b"pseudonym"
    ).digest()
    return f"A-{b32encode(digest).decode()[:LENGTH]}"
