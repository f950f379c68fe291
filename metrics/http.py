"""Requests for qrels, addresses with label sources, answers for caches, parts of archives."""

import re
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Any, BinaryIO, NamedTuple, Self, TypeVar
from urllib.parse import quote

from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
)
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from annotate.core.media.ranges import Range, UnsatisfiableRange, parse_range
from annotate.models import Direction, QuerySet
from metrics.core.files.stretches import FileStretch
from metrics.core.labels.label_sources import LabelSource, RequestedSource, UnknownLabelSource
from metrics.models import Download, Release, ReleaseFile

View = TypeVar("View", bound=Callable[..., Any])
CACHEABLE = {200, 206, 304}
NO_PAGE = "application/octet-stream"  # no browser opens it as a page
MAX_SOURCE = 100  # characters of a label source in a file's name


class QrelsRequest(NamedTuple):
    """The requested qrels: the grades of a label source in one direction.

    query_set : only labels of its queries (and targets of its gallery); None means all
    threshold : write 1 from this grade up and 0 below; None writes the grades
    rule : a key of metrics.core.labels.download_rules.RULES; "" takes people's grades as the
        collection's policy decided them
    """

    direction: Direction
    label_source: LabelSource
    query_set: QuerySet | None = None
    threshold: int | None = None
    rule: str = ""

    @property
    def file_name(self) -> str:
        """A file name that describes the content."""
        binary = "" if self.threshold is None else f"-from-{self.threshold}"
        rule = f"-{self.rule}" if self.rule else ""
        return f"{self.direction}-{source_in_name(self.label_source)}{rule}{binary}.qrels"


def source_in_name(label_source: LabelSource) -> str:
    """Return a label source as a part of a file's name."""
    source = quote(label_source.key.replace(":", "-"), safe=",%()")
    if len(source) > MAX_SOURCE:  # a long one is cut and marked with its hash
        mark = sha256(source.encode()).hexdigest()[:8]
        source = f"{re.sub('%.?$', '', source[: MAX_SOURCE - 9])}~{mark}"
    return source


def single_key_address(parameters: QueryDict) -> str:
    """Return the same query string with the label source as one key, if a form named its parts.

    Else "".
    Parts that make no source are left as they are, so that the page reports the error.
    """
    sets = tuple(parameters.getlist("sets"))
    if not sets:
        return ""
    address = parameters.copy()
    del address["sets"]
    try:
        address["labels"] = RequestedSource(parameters.get("labels", ""), sets).source().key
    except UnknownLabelSource:
        return ""
    return address.urlencode(safe=":,")


class PublicAnswer(NamedTuple):
    """An answer that is the same for everybody, so that caches may keep it.

    tag : a hash of all that it shows; changed_at : moment of its last change
    seconds : for which a cache may answer by itself; is_immutable : it never changes
    """

    tag: str
    changed_at: datetime
    seconds: int
    is_immutable: bool = False

    def answer(
        self, request: HttpRequest, make: Callable[[], HttpResponseBase]
    ) -> HttpResponseBase:
        """The answer to a request; 304 without making it where the asker has it already."""
        etag, changed_at = f'"{self.tag}"', int(self.changed_at.timestamp())
        response: HttpResponseBase = (
            get_conditional_response(request, etag=etag, last_modified=changed_at) or make()
        )
        if response.status_code in CACHEABLE:
            immutable = ", immutable" if self.is_immutable else ""
            response.headers["Cache-Control"] = f"public, max-age={self.seconds}{immutable}"
            response.headers["ETag"] = etag
            response.headers["Last-Modified"] = http_date(changed_at)
        return response


def for_everybody(view: View) -> View:
    """Mark a view whose answer is the same for everybody: nobody's session is read for it."""
    view.is_public = True  # type: ignore[attr-defined]  # a mark for config/site/second_factor.py
    return view


def download_answer(download: Download) -> FileResponse:
    """The file of a download as an attachment; Http404 where it is not made, or not kept."""
    stored_name = download.file.name
    if not stored_name or not download.file.storage.exists(stored_name):
        raise Http404
    return FileResponse(
        download.file.open("rb"),
        as_attachment=True,
        filename=download.file_name,
        content_type=NO_PAGE,
    )


class ArchivePart(NamedTuple):
    """A part of the archive of a release that is fetched by itself, or all of it."""

    name: str
    sha256: str
    offset: int
    n_bytes: int

    @classmethod
    def whole(cls, release: Release) -> Self:
        """The archive of a release that is made."""
        return cls(release.file_name, release.sha256, 0, release.n_bytes or 0)

    @classmethod
    def of_file(cls, file: ReleaseFile) -> Self:
        """A file of a release."""
        return cls(file.path.rsplit("/", 1)[-1], file.sha256, file.offset, file.n_bytes)

    def answer(self, request: HttpRequest, release: Release) -> HttpResponseBase:
        """The part as an attachment, or the range of it that is requested; else Http404."""
        # a range of another version of the file does not count
        is_current = request.headers.get("If-Range", f'"{self.sha256}"') == f'"{self.sha256}"'
        header = request.headers.get("Range", "") if is_current else ""
        try:
            byte_range = parse_range(header, size=self.n_bytes)
        except UnsatisfiableRange:
            return HttpResponse(
                status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                headers={"Content-Range": f"bytes */{self.n_bytes}"},
            )
        try:
            stream = release.open_archive()
        except (FileNotFoundError, ValueError) as error:  # it is not made, or it was withdrawn
            raise Http404 from error
        return self._response(stream, byte_range)

    def _response(self, stream: BinaryIO, byte_range: Range | None) -> FileResponse:
        first, length = (byte_range.first, byte_range.length) if byte_range else (0, self.n_bytes)
        response = FileResponse(
            FileStretch(stream, self.offset + first, length),
            status=HTTPStatus.PARTIAL_CONTENT if byte_range else HTTPStatus.OK,
            as_attachment=True,
            filename=self.name,
            content_type=NO_PAGE,
        )
        response.headers["Accept-Ranges"] = "bytes"
        response.headers["Content-Length"] = str(length)
        response.headers["ETag"] = f'"{self.sha256}"'
        if byte_range:
            ends = f"{byte_range.first}-{byte_range.last}"
            response.headers["Content-Range"] = f"bytes {ends}/{self.n_bytes}"
        return response
