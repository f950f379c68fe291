"""Comments and reasons of a collection, for its leads: in one place, and as a file."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Role
from metrics.forms.comments import CommentsForm
from metrics.services.comments.comment_file import as_csv
from metrics.services.comments.comments import page_of

PLAIN = "text/plain; charset=utf-8"


@require_safe
@never_cache
@login_required
def comments(request: SignedIn, slug: str) -> HttpResponse:
    """List labels with a comment or reasons; the address holds all filters."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = CommentsForm(request.GET, collection=collection, viewer=request.user)
    context: dict[str, object] = {"collection": collection, "form": form}
    if not form.is_valid():
        return render(request, "metrics/comments/page.html", context, status=422)
    page = page_of(collection=collection, filters=form.filters())
    form.add_used_reasons(page.table.reasons)
    context["page"] = page
    context["shows_names"] = bool(form.cleaned_data["names"])
    parameters = {
        name: str(value)
        for name, value in request.GET.items()
        if value and name not in ("before", "names")
    }
    context["file_query"] = urlencode(parameters)
    return render(request, "metrics/comments/page.html", context)


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
