"""Every address of the product; the pages' addresses are in the applications' own tables."""

from importlib.util import find_spec

from allauth.account import urls as allauth_urls
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from config import health, old_addresses
from config.find.views import find
from config.reference import views
from config.site.navigation import SECTIONS, section

# People's addresses are changed on the account page; allauth's own pages for that are closed.
CLOSED = ("account_email", "account_email_verification_sent", "account_confirm_email")
ACCOUNTS = [
    *(page for page in allauth_urls.urlpatterns if page.name not in CLOSED),
    path(
        "email/", RedirectView.as_view(pattern_name="annotate:account-email"), name="account_email"
    ),
]
PAGES = [app for app in ("annotate", "pooling", "metrics") if find_spec(f"{app}.urls")]

handler400 = "config.site.uploads.bad_request"
handler404 = "config.site.uploads.not_found"
handler500 = "config.site.outages.server_error"
urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("accounts/", include(ACCOUNTS)),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("config.api_urls")),
    path("api/", views.reference, name="reference"),
    path("api/openapi.json", views.schema, name="openapi"),
    path("api/<slug:group>/", views.operations, name="reference-group"),
    path("find/", find, name="find"),
    path("c/<slug:slug>/find/", find, name="find-in-collection"),
    *[path("", include(f"{app}.urls")) for app in PAGES],
    *[
        path(
            f"c/<slug:slug>/{label.lower()}/",
            section,
            {"label": label},
            name=f"section-{label.lower()}",
        )
        for label in SECTIONS
        if label not in ("Home", "Inbox")  # their addresses are pages
    ],
    re_path(old_addresses.PATTERN, old_addresses.moved, name="moved"),
]
