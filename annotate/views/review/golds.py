"""The golds of a collection, how people answered them, and those that its leads add or retire."""

from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.core.consequences import ActChanged, CountChanged
from annotate.forms.golds import GoldForm, GoldReasonForm
from annotate.http import SignedIn
from annotate.models import Collection, Gold, Role, User
from annotate.services.golds import golds as service
from annotate.services.golds import quality as gold_quality
from annotate.services.golds import reach as gold_reach
from annotate.services.golds.consequences import restoration_consequences
from annotate.views import undoing

PAGE_SIZE = 50
# notices, and the act that takes back what they tell
RETIRED = "Retired: nobody is handed it any more, and answers to it count for nobody.", "restore"
BROUGHT_BACK = "Brought back: it is handed out again, and answers to it count again.", "retire"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def golds(request: SignedIn, slug: str) -> HttpResponse:
    """The golds in use, doubtful ones first, and a form for one more."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    post_data = request.POST if request.method == "POST" else None
    form = GoldForm(post_data, levels=list(collection.levels.all()))
    if form.is_valid():
        try:
            service.add_gold(collection=collection, by=request.user, **form.cleaned_data)
        except service.BadGold as error:
            form.add_error(error.field, str(error))
        else:
            messages.success(request, "Added: it is handed out with the next batches that it fits.")
            return redirect("annotate:golds", slug)
    return _page(request, collection, form)


@require_POST
@login_required
def gold_retire(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Hand a gold out no more, or again."""
    gold = access.get_gold(user=request.user, slug=slug, pk=pk)
    form = GoldReasonForm(request.POST)
    if not form.is_valid():
        return _refusal(request, gold, form)
    opposite = "restore" if gold.retired_at else "retire"
    is_retirement = request.POST.get("act", opposite) == "retire"
    text, undo_act = RETIRED if is_retirement else BROUGHT_BACK
    try:
        is_new = _change(gold, is_retirement, by=request.user, **form.cleaned_data)
    except (CountChanged, ActChanged) as error:
        form.add_error("reason", str(error))
        return _refusal(request, gold, form)
    if is_new:
        undo_url = reverse("annotate:gold-retire", args=[slug, pk])
        undoing.notify(request, text, undo_url=undo_url, done_at=gold.retired_at, act=undo_act)
    else:
        messages.info(request, "Nothing was changed: it had been done before.")
    return redirect("annotate:golds", slug)


def _change(
    gold: Gold,
    is_retirement: bool,
    *,
    by: User,
    reason: str,
    expected: int | None,
    done_at: datetime | None,
) -> bool:
    """Retire a gold or bring it back; False if it had been done before.

    Raises CountChanged, ActChanged.
    """
    if is_retirement:
        return service.retire_gold(gold=gold, by=by, reason=reason, expected=expected)
    return service.bring_back_gold(gold=gold, by=by, reason=reason, done_at=done_at)


def _refusal(request: HttpRequest, gold: Gold, form: GoldReasonForm) -> HttpResponse:
    """The page with what was refused of one gold."""
    blank_form = GoldForm(levels=list(gold.collection.levels.all()))
    return _page(request, gold.collection, blank_form, reason_form=form, refused_gold=gold)


def _page(
    request: HttpRequest,
    collection: Collection,
    form: GoldForm,
    *,
    reason_form: GoldReasonForm | None = None,
    refused_gold: Gold | None = None,
) -> HttpResponse:
    """Make the page; `reason_form` is of the gold that could not be retired or brought back."""
    context = {
        "collection": collection,
        "form": form,
        "reason_form": reason_form,
        "refused_gold": refused_gold,
        "policy": collection.policies.latest("version"),
        "reach": gold_reach.gold_reach(collection=collection),
        **_gold_context(request, collection),
    }
    status = 422 if form.errors or reason_form else 200
    return render(request, "annotate/review/golds.html", context, status=status)


def _gold_context(request: HttpRequest, collection: Collection) -> dict[str, object]:
    """Context: a page of the golds in use, the last ones retired, and their numbers."""
    lines = gold_quality.gold_lines(collection=collection)
    page = Paginator(lines, PAGE_SIZE).get_page(request.GET.get("page"))
    golds_on_page = [line.gold for line in page.object_list]
    retired_golds = list(
        Gold.objects.filter(collection=collection, retired_at__isnull=False).order_by(
            "-retired_at"
        )[:20]
    )
    prefetch_related_objects(
        [*golds_on_page, *retired_golds], "pair__query__parts", "pair__document__parts"
    )
    n_flagged = sum(line.is_flagged for line in lines)
    retired = [(gold, restoration_consequences(gold=gold)) for gold in retired_golds]
    return {"page": page, "n_golds": len(lines), "n_flagged": n_flagged, "retired": retired}
