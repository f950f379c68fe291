"""The lead's dashboard: progress, agreement, people; live by a conditional request."""

import hashlib
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from annotate import access
from annotate.access import LEADERS
from annotate.models import Collection, Role
from metrics.services.cockpit import cockpit
from metrics.services.dashboard import dashboard as service
from metrics.services.dashboard.tabs import DashboardTab

TAB_NAMES = {tab.value for tab in DashboardTab}
CURRENT_SECONDS = 1  # seconds for which a version counts as current without a query


@require_safe
@login_required
def dashboard(request: HttpRequest, slug: str, tab: str = "") -> HttpResponse:
    """A whole page of the dashboard; without a tab the four answers."""
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    options = options_of(request, collection, tab)
    state = service.state_of(collection=collection, options=options)
    context = {
        "collection": collection,
        "tabs": list(DashboardTab),
        "may_name": options.is_lead,
        "may_invite": options.is_lead,
        "stuck": state.stuck,
    }
    return render(
        request,
        "metrics/dashboard/dashboard.html",
        context | _numbers_context(collection, options, state),
    )


@require_safe
def numbers(request: HttpRequest, slug: str, tab: str = "") -> HttpResponse:
    """The live part of a page of the dashboard; 304 while nothing has changed."""
    return unchanged_response(request) or _numbers(request, slug, tab)


@login_required
def _numbers(request: HttpRequest, slug: str, tab: str) -> HttpResponse:
    collection = access.get_collection(user=request.user, slug=slug, roles=LEADERS)
    options = options_of(request, collection, tab)
    state = service.state_of(collection=collection, options=options)
    return response_unless_current(
        request,
        collection,
        state.version,
        "metrics/dashboard/_numbers.html",
        lambda: {
            **_numbers_context(collection, options, state),
            "may_name": options.is_lead,
        },
    )


def first_page_context(request: HttpRequest, collection: Collection) -> dict[str, Any]:
    """The context of the four answers, for a page that shows them with other things."""
    options = options_of(request, collection)
    state = service.state_of(collection=collection, options=options)
    return {
        **_numbers_context(collection, options, state),
        "may_name": options.is_lead,
    }


def _numbers_context(
    collection: Collection, options: service.DashboardOptions, state: service.DashboardState
) -> dict[str, Any]:
    page = service.dashboard(collection=collection, options=options, state=state)
    answers = cockpit.cockpit(collection=collection, dashboard=page, state=state)
    context: dict[str, Any] = {"dashboard": page, "options": options, "cockpit": answers}
    if options.tab == DashboardTab.FORECAST:
        progress = cockpit.progress_of(dashboard=page, stuck=state.stuck, today=state.today)
        context["progress"] = progress
    return context


def unchanged_response(request: HttpRequest) -> HttpResponse | None:
    """304 to a request with the version of a second ago.

    A thousand viewers of one address so cost one reading of its state a second. That of the first
    page has what waits in it.

    The version is a hash that nobody can guess. Its sender was shown that page, and learns only
    that it is current.
    """
    etag = request.headers.get("If-None-Match")
    if not etag or cache.get(_cache_key(request)) != etag:
        return None
    return HttpResponseNotModified(headers={"ETag": etag})


def _cache_key(request: HttpRequest) -> str:
    return "dashboard-" + hashlib.sha256(request.get_full_path().encode()).hexdigest()


def options_of(
    request: HttpRequest, collection: Collection, tab: str = ""
) -> service.DashboardOptions:
    if tab not in TAB_NAMES:
        raise Http404
    level = service.level_or_default(collection=collection, requested=request.GET.get("level"))
    is_lead = may_name(request, collection)
    return service.DashboardOptions(
        level, "names" in request.GET and is_lead, DashboardTab(tab), is_lead
    )


def may_name(request: HttpRequest, collection: Collection) -> bool:
    """True for leads, who may see people's names; everybody else sees pseudonyms."""
    return Role.LEAD in access.roles_in(user=request.user, collection=collection)


def response_unless_current(
    request: HttpRequest,
    collection: Collection,
    version: str,
    template: str,
    context: Callable[[], dict[str, Any]],
) -> HttpResponse:
    etag = quote_etag(version)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, template, {"collection": collection, **context()})
    cache.set(_cache_key(request), etag, timeout=CURRENT_SECONDS)
    response["ETag"] = etag
    return response
