"""Adapters for django-allauth: invitations only, own sign-in limits, encrypted second factors."""

import base64
import logging
import secrets
from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal.ratelimit import get_ip
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponseBase

from annotate.models import User
from annotate.services.people import sign_in_limits
from annotate.services.storage.ciphers import cipher
from annotate.sign_in import known_browsers

log = logging.getLogger(__name__)

PURPOSE = "second factor"  # of the cipher
MARK = "fernet:"  # prefix of encrypted texts; older ones are not encrypted


class AccountAdapter(DefaultAccountAdapter):
    """People join by invitation, so nobody can sign up alone."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "too_many_login_attempts": "This was wrong too often. Wait five minutes, then try again; "
        "after many tries from one place or at one name it takes an hour.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the try by our own limits; allauth's one count by name locks out its owner."""
        person = sign_in_limits.person_of(
            login=credentials.get("username") or credentials.get("email", "")
        )
        browser = known_browsers.number_for(request, person)
        try:
            self._sign_in_try = sign_in_limits.begin_try(
                person=person, address=get_ip(request), browser=browser
            )
        except sign_in_limits.TooManyTries:
            raise self.validation_error("too_many_login_attempts") from None

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        """Return the person with this password; a right password does not count as a try."""
        user = super().authenticate(request, **credentials)
        if user is not None:
            sign_in_limits.forget_try(sign_in_try=self._sign_in_try)
        return user

    def post_login(self, request: HttpRequest, user: User, **facts: Any) -> HttpResponseBase:
        """Redirect her after all steps of signing in, and remember the browser from now on."""
        response = super().post_login(request, user, **facts)
        known_browsers.remember(request, response, user)
        return response

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Forget the person's tries.

        Allauth calls this once a link from a mail has set a new password.
        """
        sign_in_limits.forget_person(person=sign_in_limits.person_of(login=credentials["email"]))


class SecondFactorAdapter(DefaultMFAAdapter):
    """Encrypts secrets of second factors: a copy of the database makes no codes.

    Their key is derived from SECRET_KEY; those of SECRET_KEY_FALLBACKS read what was written under
    an older one.
    """

    def encrypt(self, text: str) -> str:
        return MARK + cipher(PURPOSE).encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        if not encrypted_text.startswith(MARK):
            return encrypted_text
        try:
            return cipher(PURPOSE).decrypt(encrypted_text.removeprefix(MARK)).decode()
        except InvalidToken:
            log.error(
                "A second factor cannot be read: SECRET_KEY was changed, and the old one is no "
                "fallback."
            )
            # A secret that nobody has: every code is wrong, as it must be, and no page breaks.
            return base64.b32encode(secrets.token_bytes(20)).decode()
