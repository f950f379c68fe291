"""The lead's dashboard: progress, agreement, people; live by a conditional request that costs little."""

import hashlib
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.models import Collection, Role
from annotate.queue import enqueue_on_commit
from annotate.services import stuck_labels
from metrics import tasks
from metrics.services import closer, people_pages
from metrics.services import dashboard as room

CURRENT_FOR = 1  # seconds in which a version is taken for current without looking


@require_safe
@login_required
def dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole page."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    asked = _asked(request, collection)
    shown = room.dashboard(collection=collection, asked=asked, now=_look(collection, asked))
    context = {
        "collection": collection,
        "asked": asked,
        "shown": shown,
        "may_name": _may_name(request, collection),
        "may_invite": Role.LEAD in access.roles_in(user=request.user, collection=collection),
        "stuck": stuck_labels.together(stuck_labels.stuck_labels(collection=collection)),
    }
    return render(request, "metrics/dashboard.html", context)


@require_safe
def numbers(request: HttpRequest, slug: str) -> HttpResponse:
    """The part that changes; 304 while it has not."""
    return _still(request) or _numbers(request, slug)


@login_required
def _numbers(request: HttpRequest, slug: str) -> HttpResponse:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    asked = _asked(request, collection)
    now = _look(collection, asked)

    def context() -> dict[str, Any]:
        return {"shown": room.dashboard(collection=collection, asked=asked, now=now), "asked": asked}

    return _unless_known(request, collection, now, "metrics/_numbers.html", context)


@require_safe
@login_required
def person(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One person's labels beside everybody else's."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    asked = _asked(request, collection)
    shown = people_pages.page(collection=collection, pk=pk, asked=asked, now=_look(collection, asked))
    may = {"may_name": _may_name(request, collection)}
    return render(request, "metrics/person.html", may | {"collection": collection, "asked": asked, "shown": shown})


@require_safe
def person_numbers(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The part of it that changes; 304 while it has not."""
    return _still(request) or _person_numbers(request, slug, pk)


@login_required
def _person_numbers(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    asked = _asked(request, collection)
    now = _look(collection, asked)

    def context() -> dict[str, Any]:
        return {"shown": people_pages.page(collection=collection, pk=pk, asked=asked, now=now), "asked": asked}

    return _unless_known(request, collection, now, "metrics/_person.html", context)


def _still(request: HttpRequest) -> HttpResponse | None:
    """304 to who sends the version that was current a second ago: a thousand viewers ask the database once a second.

    The version is a hash that nobody can guess. Who sends it has been shown that page, and learns only that it stands.
    """
    etag = request.headers.get("If-None-Match")
    if not etag or cache.get(_key(request)) != etag:
        return None
    return HttpResponseNotModified(headers={"ETag": etag})


def _key(request: HttpRequest) -> str:
    return "dashboard-" + hashlib.sha256(request.get_full_path().encode()).hexdigest()


def _asked(request: HttpRequest, collection: Collection) -> room.Asked:
    level = room.known_level(collection=collection, wanted=request.GET.get("level"))
    return room.Asked(level, "names" in request.GET and _may_name(request, collection))


def _may_name(request: HttpRequest, collection: Collection) -> bool:
    """Leads know who is who; everybody else reads pseudonyms."""
    return Role.LEAD in access.roles_in(user=request.user, collection=collection)


def _look(collection: Collection, asked: room.Asked) -> str:
    """The version of what there is; a closer look is asked for where it is due."""
    standing = room.standing(collection=collection, asked=asked)
    if closer.should_look(collection=collection, moments=standing.moments):
        enqueue_on_commit(tasks.look_closer, collection_id=collection.pk)
    return standing.version


def _unless_known(
    request: HttpRequest, collection: Collection, now: str, template: str, context: Callable[[], dict[str, Any]]
) -> HttpResponse:
    etag = quote_etag(now)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, template, {"collection": collection, **context()})
    cache.set(_key(request), etag, timeout=CURRENT_FOR)
    response["ETag"] = etag
    return response
