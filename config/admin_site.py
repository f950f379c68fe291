"""The administration, whose door is the product's own: sign-in with its limits, and the second factor behind it."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator


class SiteAdmin(AdminSite):
    """Django's administration without a sign-in and a password form of its own."""

    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
        """On to the product's sign-in; who is signed in is let in here, or refused."""
        return redirect("admin:index")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponseBase:
        """On to the account's page, which limits guessing at the old one."""
        return redirect("account_change_password")
