"""Secrets that must be read again, encrypted under SECRET_KEY: a copy of the database has none."""

import base64

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def cipher(purpose: str) -> MultiFernet:
    """The cipher for one purpose; keys of SECRET_KEY_FALLBACKS read what was written under them.

    Decrypting raises cryptography.fernet.InvalidToken where no key fits.
    """
    fernets = []
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        # a key for this purpose alone (HKDF, RFC 5869); leaked, it reveals no other use's key
        derived_key = HKDF(
            algorithm=SHA256(), length=32, salt=None, info=f"assayer {purpose}".encode()
        ).derive(secret.encode())
        fernets.append(Fernet(base64.urlsafe_b64encode(derived_key)))
    return MultiFernet(fernets)
