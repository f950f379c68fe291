"""How accounts behave where the product differs from django-allauth."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """People join by invitation, so nobody can sign up alone."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
