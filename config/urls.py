"""Every address of the product; the pages are in the applications' own tables."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config import health

PAGES = [app for app in ("annotate", "pooling", "metrics") if find_spec(f"{app}.urls")]

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("config.api")),
    *[path("", include(f"{app}.urls")) for app in PAGES],
]
