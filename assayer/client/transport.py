"""Requests to the API of a site: what is safe is sent again, and refusals are raised."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import SystemRandom
from time import monotonic, sleep
from typing import Any, TypeVar
from uuid import uuid4

import httpx2

from assayer.client.errors import AssayerError, Conflict, TooFast, Unreachable
from assayer.client.problems import error_of
from assayer.client.sites import Site

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 20.0  # seconds; each is twice the one before
LONGEST_RETRY_AFTER = 120.0
PATIENCE = 600.0  # seconds from the first try to the last
KEY_HEADER, TAG_HEADER = "Idempotency-Key", "If-Match"
READING = ("GET", "HEAD")


@dataclass(frozen=True)
class Call:
    """A request.

    form, files : of a multipart form; files by field as (name, open file), read from their start
    is_safe : whether sent twice is as good as once: a file that the site knows again, a preview
    """

    method: str
    address: str
    params: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    form: Mapping[str, str] | None = None
    files: Mapping[str, tuple[str, Any]] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_safe: bool = False

    @property
    def is_repeatable(self) -> bool:
        """True if it may be sent again where nobody knows if it arrived."""
        is_named = KEY_HEADER in self.headers or TAG_HEADER in self.headers
        return self.method in READING or is_named or self.is_safe


def new_key() -> str:
    """An Idempotency-Key that nobody has used."""
    return str(uuid4())


def json_of(response: httpx2.Response) -> Any:
    """The JSON of an answer that was read; raises AssayerError for anything else."""
    try:
        return response.json()
    except ValueError as error:
        host = f"{response.url.scheme}://{response.url.netloc.decode()}"
        raise AssayerError(f"{host} answers with no JSON: is it the address of a site?") from error


def whole(response: httpx2.Response) -> httpx2.Response:
    """An answer with all of its body."""
    response.read()
    return response


class Transport:
    """The connections to a site.

    timeout : seconds to wait for the next part of an answer
    retries : how often a request is sent again that failed for a passing reason
    """

    def __init__(self, site: Site, *, timeout: float, retries: int) -> None:
        self.site = site
        self.retries = retries
        self.http = httpx2.Client(
            headers={"Authorization": f"Bearer {site.token}", "User-Agent": "assayer"},
            timeout=timeout,
            follow_redirects=False,  # the token stays with the site
            trust_env=not site.is_loopback,  # a proxy is for other machines
        )

    def send(self, call: Call, consume: Callable[[httpx2.Response], T]) -> T:
        """Send a request; returns what `consume` makes of its successful answer.

        `consume` begins anew with each try, and may read the answer in parts. Raises AssayerError.
        """
        start = monotonic()
        n_failures = 0
        may_be_done = False
        while True:
            try:
                with self.answer(call) as response:
                    if response.is_success:
                        return consume(response)
                    error = error_of(whole(response))
            except httpx2.TransportError as failure:
                sentence = f"No answer from {self.site.url}: {failure or type(failure).__name__}"
                error = Unreachable(f"{sentence.rstrip('.')}.", is_passing=True)
                error.__cause__ = failure
            if may_be_done and isinstance(error, Conflict):
                raise Unreachable(f"{error} Maybe by this request, whose first answer was lost.")
            may_be_done |= TAG_HEADER in call.headers and not isinstance(error, TooFast)
            n_failures += 1
            pause = self.pause_after(error, n_failures)
            # a request that came too fast was not looked at
            may_repeat = call.is_repeatable or isinstance(error, TooFast)
            is_over = n_failures > self.retries or monotonic() - start + pause > PATIENCE
            if is_over or not (may_repeat and error.is_passing) or pause > LONGEST_RETRY_AFTER:
                raise error
            sleep(pause)

    def pause_after(self, error: AssayerError, n_failures: int) -> float:
        """Seconds until the next try: those the site names, or more with each failure."""
        pause = min(FIRST_PAUSE * 2 ** (n_failures - 1), LONGEST_PAUSE)
        # many programs that failed together do not come back together
        return max(pause * SystemRandom().uniform(0.5, 1), error.retry_after)

    @contextmanager
    def answer(self, call: Call) -> Iterator[httpx2.Response]:
        """The answer to one try of a request, of which only the headers were read."""
        params = {name: value for name, value in call.params.items() if value is not None}
        address = httpx2.URL(self.site.address(call.address)).copy_merge_params(params)
        request = self.http.build_request(
            call.method,
            address,
            json=call.json,
            data=call.form,
            files=call.files,
            headers=call.headers,
        )
        response = self.http.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()

    def read(self, address: str, **params: Any) -> Any:
        """The JSON at an address."""
        return json_of(self.send(Call("GET", address, params), whole))

    def create(self, address: str, fields: Mapping[str, Any] | None = None) -> Any:
        """The JSON of what a POST makes, once however often it has to be sent."""
        headers = {KEY_HEADER: new_key()}
        call = Call("POST", address, json=fields or {}, headers=headers)
        return json_of(self.send(call, whole))

    def act(self, address: str, fields: Mapping[str, Any] | None = None) -> Any:
        """The JSON that follows a POST, which is sent once: nobody knows if it may be repeated."""
        return json_of(self.send(Call("POST", address, json=fields or {}), whole))

    def pages(self, address: str, **params: Any) -> Iterator[dict[str, Any]]:
        """The rows of a list, of all its pages, each of which is read when its turn comes.

        Raises AssayerError for an address of anything else.
        """
        next_address: str | None = address
        filters = {"page_size": 1000, **params}
        while next_address:
            page = self.read(next_address, **filters)
            if not isinstance(page, dict) or "next" not in page or len(page) != 2:
                raise AssayerError(f"{next_address} is no list.")
            next_address, filters = page.pop("next"), {}
            (rows,) = page.values()
            yield from rows
