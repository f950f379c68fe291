"""How accounts behave where the product differs from django-allauth."""

import base64
import logging
import secrets

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.http import HttpRequest

log = logging.getLogger(__name__)

MARK = "fernet:"  # begins what is encrypted; what lies there from before is not


class AccountAdapter(DefaultAccountAdapter):
    """People join by invitation, so nobody can sign up alone."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


class SecondFactorAdapter(DefaultMFAAdapter):
    """Secrets of authenticator apps and recovery codes lie encrypted: a copy of the database makes no codes.

    Their key is derived from SECRET_KEY; those of SECRET_KEY_FALLBACKS read what was written under an older one.
    """

    def encrypt(self, text: str) -> str:
        return MARK + _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        if not encrypted_text.startswith(MARK):
            return encrypted_text
        try:
            return _cipher().decrypt(encrypted_text.removeprefix(MARK)).decode()
        except InvalidToken:
            log.error("A second factor cannot be read: SECRET_KEY was changed, and the old one is no fallback.")
            # A secret that nobody has: every code is wrong, as it must be, and no page breaks.
            return base64.b32encode(secrets.token_bytes(20)).decode()


def _cipher() -> MultiFernet:
    return MultiFernet([Fernet(_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str) -> bytes:
    """A key for this purpose alone (HKDF, RFC 5869): what leaks of one use of SECRET_KEY tells nothing of another."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"assayer second factor").derive(secret.encode())
    return base64.urlsafe_b64encode(derived)
