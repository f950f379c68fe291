"""Members of a collection, for its leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access, tasks
from annotate.forms.people import InviteForm
from annotate.http import SignedIn
from annotate.models import Collection, Role
from annotate.services.people import accounts
from annotate.services.people.invitation_mail import delivery_note
from annotate.services.people.members import people_of
from annotate.task_queue import enqueue_on_commit
from annotate.views.new_secrets import NewSecret

NEW_LINK = NewSecret("new-invitation")


@require_safe
@never_cache
@login_required
def members(request: SignedIn, slug: str) -> HttpResponse:
    """Members, open invitations, the form for a new one, and the link just made, for a while."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    token = NEW_LINK.of(request)
    invitation = accounts.find_invitation(token=token)
    if invitation is None or invitation.collection != collection:
        return _page(request, collection, InviteForm())
    link = request.build_absolute_uri(reverse("annotate:invitation", args=[token]))
    return _page(request, collection, InviteForm(), link=link, invitation=invitation)


@require_POST
@login_required
def invite(request: SignedIn, slug: str) -> HttpResponse:
    """Make an invitation; the page behind shows its link to her who made it, and to nobody else."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, collection, form, status=422)
    if form.cleaned_data.pop("by_mail", False):
        invitation = accounts.invite(
            collection=collection, by=request.user, by_mail=True, **form.cleaned_data
        ).invitation
        enqueue_on_commit(tasks.mail_invitation, invitation_id=invitation.pk)
        messages.success(request, f"An invitation goes out to {invitation.email}.")
        return redirect("annotate:members", slug)
    invitation_link = accounts.invite(collection=collection, by=request.user, **form.cleaned_data)
    return NEW_LINK.leading_to(request, invitation_link.token, "annotate:members", slug)


@require_POST
@login_required
def revoke(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Make an unused link worthless."""
    accounts.revoke_invitation(
        invitation=access.get_invitation(user=request.user, slug=slug, pk=pk)
    )
    messages.success(request, "The link no longer works.")
    return redirect("annotate:members", slug)


@require_POST
@login_required
def remove(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Take a role from a member."""
    membership = access.get_membership(user=request.user, slug=slug, pk=pk)
    try:
        accounts.leave(membership=membership)
        messages.success(
            request, f"{membership.user} is no longer {membership.get_role_display().lower()} here."
        )
    except accounts.LastLead as error:
        messages.error(request, str(error))
    if membership.user == request.user:
        return redirect("annotate:home")
    return redirect("annotate:members", slug)


def _page(
    request: HttpRequest,
    collection: Collection,
    form: InviteForm,
    *,
    status: int = 200,
    **context: object,
) -> HttpResponse:
    invitations = [
        (invitation, delivery_note(invitation))
        for invitation in collection.invitations.usable().order_by("expires_at")
    ]
    context |= {
        "collection": collection,
        "people": people_of(collection=collection),
        "invitations": invitations,
        "form": form,
    }
    return render(request, "annotate/people/members.html", context, status=status)
