"""Accounts made by the operator: site admins, and links to choose a password."""

from base64 import b64encode
from typing import NamedTuple

from allauth.account import app_settings
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from annotate.models import User
from annotate.services.people.accounts import DEMO_SALT


class AccountNotMade(Exception):
    """The account cannot be made; the text says why, and nothing was changed."""


class AdminAccount(NamedTuple):
    """The account of a site admin; is_new : it was made just now."""

    user: User
    is_new: bool


@transaction.atomic
def make_admin(*, username: str, email: str = "") -> AdminAccount:
    """Make a site admin's account without a password, or an account that is there an admin's.

    Raises AccountNotMade.
    """
    _require_sound(username, email)
    user = User.objects.select_for_update().filter(username__iexact=username).first()
    is_new = user is None
    if user is None:
        if email and User.objects.filter(email__iexact=email).exists():
            raise AccountNotMade(
                f"Another account has the address {email}; give another one, or none."
            )
        user = User.objects.create_user(username, email, None)
    user.is_staff = user.is_superuser = user.is_active = True
    user.save(update_fields=["is_staff", "is_superuser", "is_active"])
    return AdminAccount(user, is_new)


def password_link(*, user: User) -> str:
    """Return a link to choose a password, once, within three days and before a later password."""
    key = app_settings.PASSWORD_RESET_TOKEN_GENERATOR().make_token(user)
    arguments = {"uidb36": user_pk_to_url_str(user), "key": key}
    return settings.SITE_URL + reverse("account_reset_password_from_key", kwargs=arguments)


@transaction.atomic
def close_demo_accounts(*, passwords: dict[str, str]) -> list[str]:
    """Take the password from every account that still has the demo's; return their names."""
    closed_names = []
    for user in open_demo_accounts(passwords=passwords, among=User.objects.select_for_update()):
        user.set_unusable_password()
        user.save(update_fields=["password"])  # which ends its sessions too
        closed_names.append(user.username)
    return closed_names


def open_demo_accounts(
    *, passwords: dict[str, str], among: QuerySet[User] | None = None
) -> list[User]:
    """Return the accounts with a demo password, among these, or among all that may sign in."""
    users = (User.objects.filter(is_active=True) if among is None else among).order_by("username")
    mark = f"${b64encode(DEMO_SALT.encode()).decode()}"
    return [
        user
        for user in users.filter(Q(password__contains=mark) | Q(username__in=passwords))
        if mark in user.password or user.check_password(passwords[user.username])
    ]


def _require_sound(username: str, email: str) -> None:
    try:
        UnicodeUsernameValidator()(username)
        longest = User._meta.get_field("username").max_length
        if longest is not None and len(username) > longest:
            raise ValidationError("A user name has at most 150 characters.")
        if email:
            validate_email(email)
    except ValidationError as error:
        raise AccountNotMade(" ".join(error.messages)) from error
