"""The accounts of the demo: one for each role, named as the role."""

from django.contrib.auth import get_user_model
from django.db import transaction


@transaction.atomic
def ensure_demo_accounts(passwords: dict[str, str]) -> None:
    """Make an account for each role with the password given; an existing one gets the password."""
    for role, password in passwords.items():
        user, _ = get_user_model().objects.get_or_create(username=role)
        user.is_staff = user.is_superuser = role == "admin"
        user.set_password(password)
        user.save()
