"""The addresses of the API, below /api/v1/; each application brings its own."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

PARTS = [app for app in ("annotate", "pooling", "metrics") if find_spec(f"{app}.api_urls")]

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [path("", include(f"{app}.api_urls")) for app in PARTS]
