"""The little of a browser that judging over plain HTTP needs."""

import http.cookiejar
import json
import re
import time
import urllib.parse
import urllib.request
from typing import Any

from tests import cast


class WebClient:
    """Cookies and a CSRF token, for one person."""

    def __init__(self, base: str) -> None:
        self.base = base
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.csrf = ""
        self.n_failures = 0  # tries that `insist` made again

    def get(self, path: str) -> str:
        """Read a page, and the CSRF token it holds."""
        text = self.opener.open(self.base + path, timeout=240).read().decode()
        found = re.search(r'name="csrf(?:-token" content|middlewaretoken" value)="([^"]+)"', text)
        self.csrf = found.group(1) if found else self.csrf
        return text

    def sign_in(self, username: str, password: str = cast.PASSWORD) -> None:
        """As a person does, by the form."""
        self.get("/accounts/login/")
        form = {"login": username, "password": password, "csrfmiddlewaretoken": self.csrf}
        self.opener.open(self.base + "/accounts/login/", urllib.parse.urlencode(form).encode(), timeout=240).read()

    def post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """Send JSON; returns the answer and the seconds it took."""
        headers = {"X-CSRFToken": self.csrf, "Content-Type": "application/json", "Referer": self.base}
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)
        begun = time.perf_counter()
        answer = json.loads(self.opener.open(request, timeout=240).read())
        return answer, time.perf_counter() - begun
