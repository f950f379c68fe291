"""One pair that waits for a lead: all that was said of it, and what is decided about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.http import Shown, as_shown
from annotate.models import Collection, Level, Pair, Report, ReviewWork, Role
from annotate.review_forms import AdjudicateForm, PairAct, ReasonForm
from annotate.services import adjudicating, excluding, inbox, review_work, settling
from annotate.services.pair_history import History, history_of
from annotate.views.inbox import asked_tab
from annotate.views.review_log import shown_work

REASONED = (PairAct.EXCLUDE_PAIR, PairAct.EXCLUDE_QUERY, PairAct.EXCLUDE_DOCUMENT)
PAIR_ACTS: dict[PairAct, tuple[Callable[..., object], str]] = {
    PairAct.UNDO: (adjudicating.undo_adjudication, "The labels decide {pair} again."),
    PairAct.RETURN: (settling.settle_reports, "{pair} is back in the queue, for others than those who reported it."),
    PairAct.REOPEN: (settling.reopen_reports, "The reports on {pair} are open again."),
    PairAct.EXCLUDE_PAIR: (
        excluding.exclude_pair,
        "{pair} is excluded: nobody is asked for it, and it counts as unjudged.",
    ),
    PairAct.RESTORE_PAIR: (excluding.restore_pair, "{pair} is taken back in."),
}
ITEM_ACTS: dict[PairAct, tuple[Callable[..., ReviewWork], str]] = {
    PairAct.EXCLUDE_QUERY: (excluding.exclude_item, "query"),
    PairAct.EXCLUDE_DOCUMENT: (excluding.exclude_item, "document"),
    PairAct.RESTORE_QUERY: (excluding.restore_item, "query"),
    PairAct.RESTORE_DOCUMENT: (excluding.restore_item, "document"),
}
REFUSED = (
    adjudicating.NotAdjudicated, adjudicating.NotInARound, settling.NothingOpen, settling.NothingSettled,
    excluding.Excluded, review_work.UnderWay,
)  # fmt: skip


@require_safe
@never_cache
@login_required
def pair(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One pair with all that was said of it, to decide about."""
    found = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    return _pair_page(request, found)


@require_POST
@login_required
def adjudicate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let the lead's grade be the pair's, and go to the next one that waits."""
    found = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    form = AdjudicateForm(request.POST, levels=_levels(found.collection))
    if not form.is_valid():
        return _pair_page(request, found, form=form)
    try:
        adjudicating.adjudicate(pair=found, by=request.user, **form.cleaned_data)
    except adjudicating.NotInARound as error:
        return _pair_page(request, found, form=form, refusal=str(error))
    _tell(request, found, f"Grade {form.cleaned_data['grade']} decides {found}.")
    return _onward(request, found)


@require_POST
@login_required
def pair_act(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Return the pair to the queue, leave it or one of its items out, or take one of these back."""
    found = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    form = ReasonForm(request.POST, acts=PairAct, reasoned=REASONED)
    if not form.is_valid():
        return _pair_page(request, found, act_form=form)
    act = PairAct(form.cleaned_data["act"])
    try:
        said = _do(act, found, by=request.user, reason=form.cleaned_data["reason"])
    except REFUSED as error:
        return _pair_page(request, found, act_form=form, refusal=str(error))
    _tell(request, found, said)
    return _onward(request, found) if act in (*REASONED, PairAct.RETURN) else redirect(_address(found, request))


def _do(act: PairAct, pair: Pair, **why: Any) -> str:
    """Do it; what was done, in words."""
    if act in ITEM_ACTS:
        change, side = ITEM_ACTS[act]
        return review_work.said(change(item=getattr(pair, side), **why))
    service, said = PAIR_ACTS[act]
    service(pair=pair, **why)
    return said.format(pair=pair)


def _pair_page(
    request: HttpRequest,
    pair: Pair,
    *,
    form: AdjudicateForm | None = None,
    act_form: ReasonForm | None = None,
    refusal: str = "",
) -> HttpResponse:
    collection, levels = pair.collection, _levels(pair.collection)
    decisions, history = review_work.of_items(items=[pair.query, pair.document]), history_of(pair=pair, for_lead=True)
    context = {
        "collection": collection,
        "pair": pair,
        "levels": levels,
        "history": history,
        "was_returned": _was_returned(history),
        "works": [shown_work(decision, collection.slug) for decision in decisions],
        "sides": [(item.get_side_display(), Shown(item, as_shown(item, collection.slug)))
                  for item in (pair.query, pair.document)],
        "tab": asked_tab(request) or "",
        "names": "names" in request.GET,
        "form": form or AdjudicateForm(levels=levels),
        "act_form": act_form or ReasonForm(acts=PairAct, reasoned=REASONED),
        "refusal": refusal,
    }  # fmt: skip
    return render(request, "annotate/inbox_pair.html", context, status=422 if form or act_form else 200)


def _was_returned(history: History) -> bool:
    """Whether returning it to the queue settled its reports; what a grade or leaving out settled opens with these."""
    pair = history.pair
    is_out = history.exclusion or pair.query.excluded_at or pair.document.excluded_at
    has_settled = any(report.state == Report.State.SETTLED for report in history.reports)
    return has_settled and not (history.open_reports or history.adjudication or is_out)


def _tell(request: HttpRequest, pair: Pair, said: str) -> None:
    """Say what was done, with the way back to where it can be undone."""
    messages.success(request, format_html('{} <a href="{}">Look at it again</a>', said, _address(pair, request)))


def _onward(request: HttpRequest, pair: Pair) -> HttpResponse:
    """To the next pair of the tab one came from, or to its empty page."""
    tab = asked_tab(request)
    if tab is None or tab not in inbox.OF_PAIRS:
        return redirect(_address(pair, request))
    following = inbox.next_pair(collection=pair.collection, tab=tab, after=pair)
    slug, query = pair.collection.slug, _query(request)
    if following is None:
        return redirect(f"{reverse('annotate:inbox', args=[slug])}?{query}")
    return redirect(f"{reverse('annotate:inbox-pair', args=[slug, following])}?{query}")


def _address(pair: Pair, request: HttpRequest) -> str:
    return f"{reverse('annotate:inbox-pair', args=[pair.collection.slug, pair.pk])}?{_query(request)}"


def _query(request: HttpRequest) -> str:
    """The tab, and whether names are shown, as they go from page to page."""
    return urlencode({name: request.GET[name] for name in ("tab", "names") if name in request.GET})


def _levels(collection: Collection) -> list[Level]:
    return list(collection.levels.order_by("-grade"))
