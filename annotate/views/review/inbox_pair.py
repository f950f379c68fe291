"""One pair that waits for a lead: its answers and reports, and the lead's decisions about it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access
from annotate.forms.review import AdjudicateForm, PairActForm, ReasonForm
from annotate.http import ItemContent, SignedIn, item_content
from annotate.models import Collection, Level, Pair, Report, Role
from annotate.services.review import decisions, inbox
from annotate.services.review.decisions import PAIR_ACTS_WITH_REASON, PairAct, ReviewResult
from annotate.services.review.exclusion_consequences import exclusion_acts
from annotate.services.review.inbox_hints import saving_hint
from annotate.services.review.pair_history import History, history_of
from annotate.services.supervision import bulk_decisions
from annotate.views import undoing
from annotate.views.review.inbox import requested_tab
from annotate.views.review.review_log import WorkPanel, work_panel


@require_safe
@never_cache
@login_required
def pair(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show one pair with its answers and reports, for a decision."""
    pair_ = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    return _pair_page(request, pair_)


@require_POST
@login_required
def adjudicate(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Give the pair the lead's grade, and go to the next one that waits."""
    pair = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    form = AdjudicateForm(request.POST, levels=_levels(pair.collection))
    if not form.is_valid():
        return _pair_page(request, pair, form=form)
    try:
        decision = decisions.adjudicate(pair=pair, by=request.user, **form.cleaned_data)
    except decisions.PAIR_REFUSALS as error:
        return _pair_page(request, pair, form=form, refusal=str(error))
    _tell(request, pair, decision)
    return _onward(request, pair)


@require_POST
@login_required
def pair_act(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Return the pair to the queue, leave it or one of its items out, or take one of these back."""
    pair = access.get_pair(user=request.user, slug=slug, pk=pk, roles=(Role.LEAD,))
    form = PairActForm(request.POST, acts=PairAct, acts_with_reason=PAIR_ACTS_WITH_REASON)
    if not form.is_valid():
        return _pair_page(request, pair, act_form=form)
    act = PairAct(form.cleaned_data["act"])
    try:
        decision = decisions.decide_pair(
            pair=pair, by=request.user, **form.cleaned_data | {"act": act}
        )
    except decisions.PAIR_REFUSALS as error:
        return _pair_page(request, pair, act_form=form, refusal=str(error))
    _tell(request, pair, decision)
    return (
        _onward(request, pair)
        if act in (*PAIR_ACTS_WITH_REASON, PairAct.RETURN)
        else redirect(_address(pair, request))
    )


def _pair_page(
    request: HttpRequest,
    pair: Pair,
    *,
    form: AdjudicateForm | None = None,
    act_form: ReasonForm | None = None,
    refusal: str = "",
) -> HttpResponse:
    collection, levels, tab = pair.collection, _levels(pair.collection), requested_tab(request)
    history = history_of(pair=pair, for_lead=True)
    context = {
        "collection": collection,
        "pair": pair,
        "levels": levels,
        "history": history,
        "was_returned": _was_returned(history),
        "works": _works(pair),
        "sides": _sides(pair),
        "tab": tab or "",
        "saving_hint": saving_hint(tab),
        "shows_names": "names" in request.GET,
        "form": form or AdjudicateForm(levels=levels),
        "exclusions": exclusion_acts(pair=pair, exclusion=history.exclusion),
        "act_form": act_form or ReasonForm(acts=PairAct, acts_with_reason=PAIR_ACTS_WITH_REASON),
        "refusal": refusal,
    }
    status = 422 if form or act_form else 200
    return render(request, "annotate/review/pair.html", context, status=status)


def _works(pair: Pair) -> list[WorkPanel]:
    """The panels of decisions about its items that are under way or half done."""
    works = bulk_decisions.unfinished_of_items(items=[pair.query, pair.document])
    return [work_panel(decision, pair.collection.slug) for decision in works]


def _sides(pair: Pair) -> list[tuple[str, ItemContent]]:
    """The query and the document, each with the name of its side and what the page shows of it."""
    return [
        (item.get_side_display(), ItemContent(item, item_content(item, pair.collection.slug)))
        for item in (pair.query, pair.document)
    ]


def _was_returned(history: History) -> bool:
    """True if returning the pair settled its reports; a grade or exclusion reopens its own."""
    pair = history.pair
    is_out = history.exclusion or pair.query.excluded_at or pair.document.excluded_at
    has_settled = any(report.state == Report.State.SETTLED for report in history.reports)
    return has_settled and not (history.open_reports or history.adjudication or is_out)


def _tell(request: HttpRequest, pair: Pair, decision: ReviewResult) -> None:
    """Add a message about the decision, with a link to the pair, and Undo where it can be undone.

    By then the page may show the next pair.
    """
    link = '{} <a href="{}">Look at it again</a>'
    text = format_html(link, decision.sentence, _address(pair, request))
    url = reverse("annotate:inbox-pair-act", args=[pair.collection.slug, pair.pk])
    fields = {"act": decision.undo_act.value} if decision.may_undo and decision.undo_act else {}
    undo_url = f"{url}?{_query(request)}"
    undoing.notify(request, text, undo_url=undo_url, done_at=decision.done_at, **fields)


def _onward(request: HttpRequest, pair: Pair) -> HttpResponse:
    """Redirect to the next pair of the tab the lead came from, or to its empty page."""
    tab = requested_tab(request)
    if tab is None or tab not in inbox.OF_PAIRS:
        return redirect(_address(pair, request))
    next_pk = inbox.next_pair(collection=pair.collection, tab=tab, after=pair)
    slug, query = pair.collection.slug, _query(request)
    if next_pk is None:
        return redirect(f"{reverse('annotate:inbox', args=[slug])}?{query}")
    return redirect(f"{reverse('annotate:inbox-pair', args=[slug, next_pk])}?{query}")


def _address(pair: Pair, request: HttpRequest) -> str:
    return (
        f"{reverse('annotate:inbox-pair', args=[pair.collection.slug, pair.pk])}?{_query(request)}"
    )


def _query(request: HttpRequest) -> str:
    """Query string that keeps the tab and the choice of names from page to page."""
    return urlencode({name: request.GET[name] for name in ("tab", "names") if name in request.GET})


def _levels(collection: Collection) -> list[Level]:
    return list(collection.levels.order_by("-grade"))
