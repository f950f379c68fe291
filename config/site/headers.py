"""Response headers that no other middleware sets."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in ("camera", "display-capture", "geolocation", "microphone", "payment", "usb")
)


class HeadersMiddleware:
    """Adds the headers to every answer, static files and errors included."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        # by the cookie, not by request.user: error pages and /healthz must not ask the database
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            # a shared machine keeps no signed-in page
            response.headers.setdefault("Cache-Control", "no-store")
        return response
