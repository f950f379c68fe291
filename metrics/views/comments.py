"""Comments and reasons of a collection, for its leads: in one place, and as a file."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Role
from annotate.services.background import progress
from metrics.forms.comments import CommentsForm
from metrics.services.comments.comment_file import as_csv
from metrics.services.comments.comments import page_of
from metrics.services.comments.kept_counts import inquiry_of

PLAIN = "text/plain; charset=utf-8"


@require_safe
@never_cache
@login_required
def comments(request: SignedIn, slug: str) -> HttpResponse:
    """List labels with a comment or reasons; the address holds all filters."""
    context = _context(request, slug)
    status = 200 if "page" in context else 422
    return render(request, "metrics/comments/page.html", context, status=status)


@require_safe
@never_cache
@login_required
def comments_state(request: SignedIn, slug: str) -> HttpResponse:
    """Answer the poll, every 2 seconds, while labels are counted: then with the counts."""
    context = _context(request, slug)
    if "page" not in context:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "metrics/comments/_counts.html", context)


@require_safe
@never_cache
@login_required
def comments_file(request: SignedIn, slug: str) -> HttpResponseBase:
    """Send all labels that meet the filters as CSV; 422 for filters that there are not."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = CommentsForm(request.GET, collection=collection, viewer=request.user)
    if not form.is_valid():
        text = "\n".join(form.sentences) + "\n"
        return HttpResponse(text, status=422, content_type=PLAIN)
    return StreamingHttpResponse(
        as_csv(collection=collection, filters=form.filters()),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-comments.csv"'},
    )


def _context(request: SignedIn, slug: str) -> dict[str, object]:
    """The context of the page; without `page` where there are no such filters."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = CommentsForm(request.GET, collection=collection, viewer=request.user)
    context: dict[str, object] = {"collection": collection, "form": form}
    if not form.is_valid():
        return context
    filters = form.filters()
    page = page_of(collection=collection, filters=filters)
    if page.table is None:
        job = inquiry_of(collection=collection, filters=filters).job
        poll = f"{reverse('metrics:comments-state', args=[slug])}?{request.GET.urlencode()}"
        context["job"] = {"poll_url": poll, "job_status": progress.job_status(job=job)}
    else:
        form.add_used_reasons(page.table.reasons)
    left_out = ("before", "names")
    parameters = {
        name: str(text) for name, text in request.GET.items() if text and name not in left_out
    }
    context |= {"page": page, "file_query": urlencode(parameters)}
    return context | {"shows_names": bool(form.cleaned_data["names"])}
