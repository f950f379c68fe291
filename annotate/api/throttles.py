"""The pace of programs: so many requests of a token in a minute, and headers that tell how many."""

import math

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from annotate.models import ApiToken

SECONDS = 60


class TokenThrottle(SimpleRateThrottle):
    """Counts the requests of each token over the last minute."""

    scope = "token"

    def __init__(self) -> None:
        super().__init__()
        self.key: str | None = None
        self.history: list[float] = []  # the moments of the requests, the newest first
        self.now = self.timer()

    def get_rate(self) -> str:
        """The pace that the site allows."""
        return f"{settings.API_REQUESTS_A_MINUTE}/min"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """The key of the token; None for a request without one, which is refused anyway."""
        return f"api-{request.auth.sha256}" if isinstance(request.auth, ApiToken) else None

    @property
    def headers(self) -> dict[str, str]:
        """The requests that a minute allows, those left, and the seconds until one more is.

        None for a request that was refused before it was counted.
        """
        if self.key is None or not self.history:
            return {}
        limit = settings.API_REQUESTS_A_MINUTE
        seconds = math.ceil(self.history[-1] + SECONDS - self.now)
        return {
            "RateLimit-Limit": str(limit),
            "RateLimit-Remaining": str(limit - len(self.history)),
            "RateLimit-Reset": str(seconds),
        }
