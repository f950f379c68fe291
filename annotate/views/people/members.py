"""Members of a collection, for its leads."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate import access, tasks
from annotate.core.phrases import counted, enumeration
from annotate.forms.people import InvitationsForm
from annotate.http import SignedIn
from annotate.models import Collection, Membership, Role
from annotate.services.people import accounts
from annotate.services.people.invitation_mail import delivery_note
from annotate.services.people.members import (
    RemovalUnknown,
    n_in_hand_of,
    people_of,
    removal_token,
    return_role,
    revocation_of_invitation,
)
from annotate.task_queue import enqueue_on_commit
from annotate.views import undoing
from annotate.views.new_secrets import NewSecret

NEW_LINKS = NewSecret("new-invitation")


@require_safe
@never_cache
@login_required
def members(request: SignedIn, slug: str) -> HttpResponse:
    """Members, open invitations, the form for new ones, and the links just made, for a while."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    return _page(request, collection, InvitationsForm())


@require_POST
@login_required
def invite(request: SignedIn, slug: str) -> HttpResponse:
    """Make invitations; the page behind shows their links to her who made them alone."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    form = InvitationsForm(request.POST)
    if not form.is_valid():
        return _page(request, collection, form, status=422)
    links = accounts.invite_several(collection=collection, by=request.user, **form.cleaned_data)
    if not form.cleaned_data.get("by_mail"):
        tokens = " ".join(link.token for link in links)
        return NEW_LINKS.leading_to(request, tokens, "annotate:members", slug)
    for link in links:
        enqueue_on_commit(tasks.mail_invitation, invitation_id=link.invitation.pk)
    addresses = enumeration([link.invitation.email for link in links])
    messages.success(request, f"{counted(len(links), 'invitation')} on the way to {addresses}.")
    return redirect("annotate:members", slug)


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
    """Take a role from a member; the notice has what gives it back."""
    membership = access.get_membership(user=request.user, slug=slug, pk=pk)
    is_own = membership.user == request.user
    try:
        accounts.leave(membership=membership)
    except accounts.LastLead as error:
        messages.error(request, str(error))
    else:
        _tell_removal(request, slug, membership)
    return redirect("annotate:home") if is_own else redirect("annotate:members", slug)


@require_POST
@login_required
def give_back(request: SignedIn, slug: str) -> HttpResponse:
    """Give a member the role back that was taken from her a moment ago."""
    collection = access.get_collection(user=request.user, slug=slug, roles=(Role.LEAD,))
    try:
        membership = return_role(collection=collection, token=request.POST.get("removal", ""))
    except RemovalUnknown as error:
        messages.error(request, str(error))
    else:
        text = f"{membership.user} is {membership.get_role_display().lower()} here again"
        if n_in_hand := n_in_hand_of(membership=membership):
            text += f", with {counted(n_in_hand, 'pair')} in hand"
        messages.success(request, f"{text}.")
    return redirect("annotate:members", slug)


def _tell_removal(request: SignedIn, slug: str, membership: Membership) -> None:
    text = f"{membership.user} is no longer {membership.get_role_display().lower()} here"
    if n_in_hand := n_in_hand_of(membership=membership):
        in_hand = f"{counted(n_in_hand, 'pair')} in hand"
        text += f"; {in_hand} may still go to others, once the time for them is up"
    # who is no lead any more could not send it
    is_over = membership.user == request.user and membership.role == Role.LEAD
    undo = {} if is_over else {"removal": removal_token(membership=membership)}
    url = reverse("annotate:member-return", args=[slug])
    undoing.notify(request, f"{text}.", undo_url=url, **undo)


def _page(
    request: SignedIn, collection: Collection, form: InvitationsForm, *, status: int = 200
) -> HttpResponse:
    tokens = NEW_LINKS.of(request).split()
    invitations = [
        (invitation, delivery_note(invitation), revocation_of_invitation(invitation=invitation))
        for invitation in collection.invitations.usable().order_by("expires_at")
    ]
    context = {
        "collection": collection,
        "people": people_of(collection=collection),
        "invitations": invitations,
        "form": form,
        "new_links": [
            (invitation, request.build_absolute_uri(reverse("annotate:invitation", args=[token])))
            for token in tokens
            if (invitation := accounts.find_invitation(token=token))
            and invitation.collection == collection
        ],
    }
    return render(request, "annotate/people/members.html", context, status=status)
