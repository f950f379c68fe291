"""First page of a collection."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from annotate import access
from annotate.http import SignedIn
from annotate.models import Annotator, Role
from annotate.services.judging import work_availability
from annotate.services.pages import annotator_progress, overview, pairs_left
from annotate.services.webhooks import hook_page
from metrics.services.setup import steps
from metrics.views import dashboard


@require_safe
@login_required
def collection(request: SignedIn, slug: str) -> HttpResponse:
    """Show leaders the set-up, then the cockpit; to annotators their own work alone.

    Researchers who judge, too, have the cockpit on its own page alone: beside their work it would
    tell with each answer whether it was one to a gold.
    """
    collection_ = access.get_collection(user=request.user, slug=slug)
    roles = access.roles_in(user=request.user, collection=collection_)
    context = {"collection": collection_, "roles": roles, "levels": collection_.levels.all()}
    if Role.ANNOTATOR in roles:
        context |= _own_work(access.get_annotator(user=request.user, slug=slug))
    if roles & set(access.LEADERS):
        context |= {
            "figures": overview.overview(collection=collection_),
            "may_load": Role.RESEARCHER in roles and not collection_.archived_at,
        }
        if not collection_.archived_at:
            context["setup"] = steps.setup(collection=collection_, roles=roles)
        may_see_cockpit = Role.LEAD in roles or Role.ANNOTATOR not in roles
        if may_see_cockpit and not collection_.is_being_set_up:
            context |= dashboard.first_page_context(request, collection_)
    if Role.LEAD in roles:
        context["hooks_sentence"] = hook_page.trouble_sentence(collection=collection_)
    return render(request, "metrics/home/home.html", context)


@require_safe
@login_required
def next_step(request: SignedIn, slug: str) -> HttpResponse:
    """Go to the next step of the set-up, after that of a page; without one to the first page.

    What was saved is told there, without the way on from it, which was just gone.
    """
    collection_ = access.get_collection(user=request.user, slug=slug, roles=access.LEADERS)
    roles = access.roles_in(user=request.user, collection=collection_)
    setup = steps.setup(collection=collection_, roles=roles)
    page, import_kind = (request.GET.get(name, "") for name in ("after", "kind"))
    for message in messages.get_messages(request):
        messages.add_message(request, message.level, message.message, extra_tags="went-on")
    return redirect(setup.address_after(setup.step_of(page, import_kind=import_kind)))


def _own_work(annotator: Annotator) -> dict[str, Any]:
    """A person's progress, the pairs that are left, or why there is none."""
    return {
        "progress": annotator_progress.progress(annotator=annotator),
        "left": pairs_left.pairs_left(annotators=[annotator])[annotator.pk],
        "empty": work_availability.no_work_reasons(annotators=[annotator])[annotator.pk],
    }
