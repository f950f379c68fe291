"""Answers for load balancers: is this process alive, and is everything it needs there?"""

from django.http import HttpRequest, JsonResponse


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """The parts the product stands on."""
    return JsonResponse({"status": "ok"})
