"""The addresses of the API, below /api/v1/; each application's api.py ends with its own table."""

from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

PARTS = [app for app in ("annotate", "pooling", "metrics") if find_spec(f"{app}.api")]

app_name = "api"
urlpatterns: list[URLPattern | URLResolver] = [path("", include(f"{app}.api")) for app in PARTS]
