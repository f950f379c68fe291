"""Signatures of webhooks, by the scheme of Standard Webhooks 1.0 (standardwebhooks.com)."""

import base64
import hashlib
import hmac
from collections.abc import Sequence

PREFIX = "whsec_"
KEY_BYTES = 32


def secret_text(key: bytes) -> str:
    """A key as its receiver keeps it: `whsec_` and its bytes in base64."""
    return PREFIX + base64.b64encode(key).decode()


def signature(*, secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The header `webhook-signature`: one signature for each secret, by HMAC-SHA256.

    secrets : the present one first, and the one before while it is being replaced
    timestamp : seconds since 1970, signed too: the receiver refuses what is old
    """
    signed_bytes = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_digest(secret, signed_bytes)}" for secret in secrets)


def _digest(secret: str, signed_bytes: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, signed_bytes, hashlib.sha256)).decode()
