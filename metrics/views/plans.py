"""The page of plans: fix a plan, see the decisions of its looks, end it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotate import access
from annotate.http import SignedIn
from annotate.models import Role
from metrics.forms.plans import PlanForm
from metrics.models import Plan
from metrics.services.plans import plans as service
from metrics.services.plans import plans_page
from metrics.services.scores import labels


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def plan(request: SignedIn, slug: str) -> HttpResponse:
    """The page of plans; POST fixes one."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    set_names = labels.set_names(collection=collection)
    form = PlanForm(
        request.POST or None, collection=collection, set_names=set_names, methods=service.METHODS
    )
    if request.method == "POST" and form.is_valid():
        try:
            service.fix_plan(collection=collection, by=request.user, **form.cleaned_data)
        except service.PlanRefused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The plan is fixed.")
            return redirect("metrics:plan", slug)
    page = plans_page.page_of(collection=collection, viewer=request.user)
    context = {"collection": collection, "form": form, "page": page}
    return render(
        request, "metrics/plans/plan.html", context, status=422 if request.method == "POST" else 200
    )


@require_POST
@login_required
def end_plan(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End a plan."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    service.end_plan(plan=get_object_or_404(Plan, collection=collection, pk=pk))
    messages.success(request, "The plan is ended; what its tests decided stays.")
    return redirect("metrics:plan", slug)
