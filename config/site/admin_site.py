"""The administration behind the product's own sign-in, with its limits and second factor."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator


class SiteAdmin(AdminSite):
    """Django's administration without a sign-in and a password form of its own."""

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the product's sign-in.

        Raises Http404 for signed-in people who do not administer the site.
        """
        if request.user.is_authenticated and not self.has_permission(request):
            raise Http404
        return self._sign_in(request)

    @method_decorator(secure_admin_login)
    def _sign_in(self, request: HttpRequest) -> HttpResponse:
        return redirect("admin:index")

    def password_change(  # type: ignore[override]  # the stubs know a page as its only answer
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to the account's page, which limits guessing at the old password."""
        return redirect("account_change_password")
