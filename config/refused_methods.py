"""Addresses that take a form alone, such as one that deletes: whoever opens one is shown a page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.loader import render_to_string


class RefusedMethodMiddleware:
    """Gives browsers a page for 405, which has an empty body otherwise; `Allow` stays as it is.

    Programs, which do not ask for HTML by name, get the empty body. The API has its own errors.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_refused = isinstance(response, HttpResponseNotAllowed) and not response.content
        if is_refused and "text/html" in request.headers.get("Accept", ""):
            response.content = render_to_string("405.html", request=request).encode()
        return response
