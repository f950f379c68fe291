"""Public pages of releases: the same for everybody, without an account, kept by caches."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from metrics.http import ArchivePart, PublicAnswer, for_everybody
from metrics.services.releases.page import DATA_CARD, read_data_card
from metrics.services.releases.public.folder import NotInRelease, PublicFolder
from metrics.services.releases.public.overview import release_overview
from metrics.services.releases.public.queries import query_list, query_pairs
from metrics.services.releases.public.scores import released_board
from metrics.services.releases.public.shelf import PublicShelf, public_shelf

PAGE_SECONDS = 300  # in which a cache, also the product's, may show a page as it was
FILE_SECONDS = 24 * 3600
MAX_WORDS = 200  # characters that somebody looks for
MAX_DIGITS = 9  # of numbers in addresses
FolderView = Callable[..., HttpResponseBase]


def of_release(view: FolderView) -> FolderView:
    """Give a view the folder of a public release; 410 for a withdrawn one, else Http404."""

    @require_safe
    @wraps(view)
    def answer(request: HttpRequest, slug: str, version: str, **arguments: Any) -> HttpResponseBase:
        shelf = _shelf(slug)
        release = shelf.find(version)
        if release is None:
            raise Http404
        folder = PublicFolder(shelf, release)
        if release.withdrawn_at is None:
            return view(request, folder, **arguments)
        html = _html("stone", folder, {})
        headers = {"Cache-Control": f"public, max-age={PAGE_SECONDS}"}
        return HttpResponse(html, status=HTTPStatus.GONE, headers=headers)

    return for_everybody(answer)


@for_everybody
@require_safe
def releases(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The public releases of a collection."""
    shelf = _shelf(slug)
    if not shelf.releases:
        raise Http404
    folder = PublicFolder(shelf, shelf.releases[0])
    return _page(request, folder, "releases", dict, is_kept=True)


@of_release
def overview(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The first page of a release: what it is, how to cite it, its numbers and charts."""
    return _page(
        request,
        folder,
        "overview",
        lambda: {"overview": release_overview(folder=folder)},
        is_kept=True,
    )


@of_release
def data_card(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The data card of a release."""
    return _page(
        request,
        folder,
        "card",
        lambda: {"data_card": read_data_card(folder.read(DATA_CARD))},
        is_kept=True,
    )


@of_release
def scores(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The scores of the runs of a release, by the label source and query set of the address."""
    number, measure = _number(request, "table"), request.GET.get("measure", "")
    return _page(
        request,
        folder,
        "scores",
        lambda: {"board": released_board(manifest=folder.manifest, number=number, measure=measure)},
    )


@of_release
def queries(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The queries of a query set, with their graded targets counted."""
    set_number, page = _number(request, "set") or 1, _number(request, "page") or 1
    find = request.GET.get("find", "").strip()[:MAX_WORDS]
    return _page(
        request,
        folder,
        "queries",
        lambda: {"queries": query_list(folder=folder, set_number=set_number, find=find, page=page)},
    )


@of_release
def query(
    request: HttpRequest, folder: PublicFolder, set_number: int, number: int
) -> HttpResponseBase:
    """A query with its graded targets, under each label source."""
    page = _number(request, "page") or 1
    return _page(
        request,
        folder,
        "query",
        lambda: {
            "pairs": query_pairs(folder=folder, set_number=set_number, number=number, page=page)
        },
    )


@of_release
def files(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The files of a release with their checksums."""
    return _page(request, folder, "files", lambda: {"files": folder.files.values()}, is_kept=True)


@of_release
def file(request: HttpRequest, folder: PublicFolder, path: str) -> HttpResponseBase:
    """One file of a release, or a stretch of it."""
    row = folder.release.files.filter(path=path).first()
    if row is None:
        raise Http404
    return _download(request, folder, ArchivePart.of_file(row))


@of_release
def archive(request: HttpRequest, folder: PublicFolder) -> HttpResponseBase:
    """The whole folder of a release as a zip archive, or a stretch of it."""
    return _download(request, folder, ArchivePart.whole(folder.release))


def _shelf(slug: str) -> PublicShelf:
    """The shelf of a collection; Http404 if nothing is on it."""
    shelf = public_shelf(slug=slug)
    if shelf is None:
        raise Http404
    return shelf


def _number(request: HttpRequest, name: str) -> int:
    """A number of the address, from 1; 0 without one, Http404 for anything else."""
    text = request.GET.get(name, "") or "0"
    if not (text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS):
        raise Http404
    return int(text)


def _page(
    request: HttpRequest,
    folder: PublicFolder,
    name: str,
    contents: Callable[[], dict[str, Any]],
    *,
    is_kept: bool = False,
) -> HttpResponseBase:
    """A page of a release; is_kept : whether the product keeps it in its own cache, too."""
    key = f"public-{name}-{folder.tag}"

    def make() -> HttpResponse:
        html = cache.get(key) if is_kept else None
        if html is None:
            try:
                html = _html(name, folder, contents())
            except (NotInRelease, FileNotFoundError) as error:
                raise Http404 from error
            if is_kept:
                cache.set(key, html, timeout=PAGE_SECONDS)
        return HttpResponse(html)

    answer = PublicAnswer(folder.tag, folder.shelf.changed_at, PAGE_SECONDS)
    return answer.answer(request, make)


def _html(name: str, folder: PublicFolder, contents: dict[str, Any]) -> str:
    """A page drawn without a request: there is nobody in it, and no secret of a session."""
    context = {"folder": folder, "release": folder.release, "shelf": folder.shelf, "tab": name}
    return render_to_string(f"metrics/releases/public/{name}.html", context | contents)


def _download(request: HttpRequest, folder: PublicFolder, part: ArchivePart) -> HttpResponseBase:
    """A part of the archive, or the stretch of it that is requested."""
    published_at = folder.release.published_at or folder.shelf.changed_at
    answer = PublicAnswer(part.sha256, published_at, FILE_SECONDS, is_immutable=True)
    return answer.answer(request, lambda: part.answer(request, folder.release))
