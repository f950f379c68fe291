"""Members of a collection, each with the annotator that she judges as."""

from datetime import timedelta
from typing import Any, NamedTuple

from django.core import signing
from django.db.models import Count, Prefetch, QuerySet

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import (
    Annotator,
    Collection,
    CountingJudgment,
    Invitation,
    Membership,
    Role,
    Seat,
    User,
)
from annotate.services.people.accounts import join

SALT = "annotate.services.people.members"
VALID_FOR = timedelta(hours=1)  # the notice of a removal is on the next page alone


class RemovalUnknown(Exception):
    """A removal is not of this collection, too long ago, or of somebody who has no account now."""


class MemberRoles(NamedTuple):
    """A person of a collection: the roles she holds, oldest first, and the annotator she is.

    n_in_hand : pairs that she holds now; n_labels : labels of hers that count
    """

    user: User
    memberships: list[Membership]
    annotator: Annotator | None
    n_in_hand: int
    n_labels: int

    @property
    def removals(self) -> list[tuple[Membership, Consequences]]:
        """Her roles, each with the consequences of taking it from her."""
        return [
            (
                membership,
                removal_consequences(
                    membership=membership,
                    person=str(self.user),
                    n_in_hand=self.n_in_hand,
                    n_labels=self.n_labels,
                ),
            )
            for membership in self.memberships
        ]


def members_of(*, collection: Collection) -> QuerySet[Membership]:
    """The roles that people hold in a collection, ready for `annotator_of`; two queries."""
    annotators = collection.annotators.all()
    return collection.memberships.select_related("user").prefetch_related(
        Prefetch("user__annotators", annotators, to_attr="annotators_here")
    )


def annotator_of(membership: Membership) -> Annotator | None:
    """The annotator behind a role of `members_of`; None for a role that does not judge."""
    if membership.role != Role.ANNOTATOR:
        return None
    user: Any = membership.user
    return next(iter(user.annotators_here), None)


def people_of(*, collection: Collection) -> list[MemberRoles]:
    """The people of a collection by name, each once however many roles she holds; four queries."""
    held_seats = Seat.objects.filter(annotator__collection=collection, state=Seat.State.HELD)
    labels = CountingJudgment.objects.labels().filter(collection=collection)
    n_in_hand, n_labels = (
        dict(rows.values_list("annotator__user").annotate(n=Count("pk")))
        for rows in (held_seats, labels)
    )
    memberships_by_user: dict[int, list[Membership]] = {}
    for membership in members_of(collection=collection).order_by("user__username", "pk"):
        memberships_by_user.setdefault(membership.user_id, []).append(membership)
    return [
        MemberRoles(
            memberships[0].user,
            memberships,
            next(filter(None, map(annotator_of, memberships)), None),
            n_in_hand.get(memberships[0].user_id, 0),
            n_labels.get(memberships[0].user_id, 0),
        )
        for memberships in memberships_by_user.values()
    ]


def n_labels_of(*, annotator: Annotator) -> int:
    """Return the number of an annotator's labels that count."""
    return CountingJudgment.objects.labels().filter(annotator=annotator).count()


def n_in_hand_of(*, membership: Membership) -> int:
    """Return the number of pairs that a person holds now by a role, 0 unless it judges."""
    if membership.role != Role.ANNOTATOR:
        return 0
    seats = Seat.objects.filter(state=Seat.State.HELD)
    return seats.filter(
        annotator__collection=membership.collection_id, annotator__user=membership.user_id
    ).count()


def removal_token(*, membership: Membership) -> str:
    """Return what gives a role back that is taken from a person, to nobody else, for an hour."""
    fields = [membership.collection_id, membership.user_id, membership.role]
    return signing.dumps(fields, salt=SALT)


def return_role(*, collection: Collection, token: str) -> Membership:
    """Give a person back the role that was taken from her. Raises RemovalUnknown."""
    try:
        collection_id, user_id, role = signing.loads(token, salt=SALT, max_age=VALID_FOR)
    except signing.BadSignature:
        collection_id = user_id = role = None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if collection_id != collection.pk or user is None:
        raise RemovalUnknown("This is too long ago to be undone; invite the person anew.")
    return join(collection=collection, user=user, role=Role(role))


def removal_consequences(
    *, membership: Membership, person: str, n_in_hand: int, n_labels: int
) -> Consequences:
    """Return the consequences of taking a role from a person.

    person : her name on the page; n_in_hand : pairs that she holds now, as an annotator;
    n_labels : labels of hers that count
    """
    role = membership.get_role_display().lower()
    in_hand = counted(n_in_hand, "pair")
    button, sentences = f"Remove the {role}", [f"{person} loses the role {role} here."]
    way_back = "The notice after it has Undo; later it takes a new invitation."
    if membership.role == Role.LEAD:
        way_back = "The notice after it has Undo, but not for a role of your own."
    if membership.role == Role.ANNOTATOR:
        verbs = "stays and counts" if n_labels == 1 else "stay and count"
        labels = f"{counted(n_labels, 'label')} {verbs}." if n_labels else "No label counts so far."
        sentences.append(labels)
        way_back = f"{way_back} The pseudonym is the same then."
        if n_in_hand:
            sentences.append(f"What is in hand, {in_hand}, goes to others once its time is up.")
            button = f"{button}, with {in_hand} in hand"
    return Consequences(
        act="remove",
        title="Remove",
        subject=f"{person} as {role}",
        button=button,
        sentences=tuple(sentences),
        way_back=way_back,
    )


def revocation_of_invitation(*, invitation: Invitation) -> Consequences:
    """Return the consequences of making the link of an open invitation worthless."""
    role = invitation.get_role_display().lower()
    invitee = invitation.email or f"somebody as {role}"
    sentence = f"The link that lets {invitee} in, as {role}, works no more from that moment on."
    if not invitation.email:
        sentence = f"The link that lets {invitee} in works no more from that moment on."
    return Consequences(
        act="revoke",
        title="Revoke",
        subject=f"the invitation of {invitee}",
        button=f"Revoke the link of {invitation.email}" if invitation.email else "Revoke the link",
        sentences=(sentence, "Who opens it is told to ask for another."),
        way_back="It cannot be taken back, since a link is kept nowhere; a new one can be made "
        "on this page.",
    )
