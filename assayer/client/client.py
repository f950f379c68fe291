"""The client of a site's API."""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import httpx2

from assayer.client.collection.collection import Collection
from assayer.client.records.collections import OwnCollection
from assayer.client.records.record import Records, field_of
from assayer.client.sites import find_site
from assayer.client.transport import KEY_HEADER, TAG_HEADER, Call, Transport, json_of, whole

TIMEOUT, RETRIES = 60.0, 5


class Client:
    """A site, as whoever the token belongs to may see it.

    url, token : those of the site; else ASSAYER_URL and ASSAYER_TOKEN, else what `assayer login`
        keeps
    timeout : seconds to wait for the next part of an answer
    retries : how often a request is sent again that failed for a passing reason and is safe to
        repeat
    show_progress : whether bars on a terminal tell how far jobs and downloads are
    may_be_plain : whether the site may be http on another machine, where others can read the token
    Raises AssayerError where there is no site or no token.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        show_progress: bool = False,
        may_be_plain: bool = False,
    ) -> None:
        site = find_site(url, token, may_be_plain=may_be_plain)
        self.transport = Transport(site, timeout=timeout, retries=retries)
        self.show_progress = show_progress

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.transport.http.close()

    @property
    def url(self) -> str:
        """The address of the site."""
        return self.transport.site.url

    def version(self) -> str:
        """The version of the site."""
        return str(field_of(self.get(""), "version"))

    def collections(self) -> Records[OwnCollection]:
        """The collections that the token's owner has a role in."""
        return Records(OwnCollection.of(row) for row in self.pages("collections/"))

    def collection(self, slug: str) -> Collection:
        """The handle of a collection by its short name; nothing is asked of the site yet."""
        return Collection(self.transport, slug, show_progress=self.show_progress)

    def make_collection(self, slug: str, **fields: Any) -> Collection:
        """Make a collection; returns its handle.

        fields : name and levels; positive_from, measurement, description and guidelines as well.
        Raises Refused.
        """
        self.transport.create("collections/", {"slug": slug, **fields})
        return self.collection(slug)

    def get(self, address: str, **params: Any) -> Any:
        """The JSON at any address: one below /api/v1/, or one that an answer has as its `url`."""
        return self.transport.read(address, **params)

    def pages(self, address: str, **params: Any) -> Iterator[dict[str, Any]]:
        """The rows of any list, of all its pages."""
        return self.transport.pages(address, **params)

    def post(
        self, address: str, fields: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Any:
        """The JSON that follows a POST to any address.

        key : an Idempotency-Key, of those addresses that take one. The request is sent again after
            a failure only with a key: without one it could be done twice.
        """
        headers = {KEY_HEADER: key} if key else {}
        return json_of(self.request("POST", address, json=fields or {}, headers=headers))

    def request(
        self,
        method: str,
        address: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        tag: str | None = None,
    ) -> httpx2.Response:
        """The whole answer to any request, with `.headers`, as its ETag, `.json()` and `.text`.

        tag : an ETag. PUT, PATCH and DELETE with it raise Conflict, and change nothing, where
            something has changed since; only with it they are sent again after a failure.
        """
        tags = {TAG_HEADER: tag} if tag else {}
        call = Call(method, address, params or {}, json, headers={**(headers or {}), **tags})
        return self.transport.send(call, whole)
