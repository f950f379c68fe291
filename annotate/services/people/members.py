"""Members of a collection, each with the annotator that she judges as."""

from typing import Any, NamedTuple

from django.db.models import Prefetch, QuerySet

from annotate.models import Annotator, Collection, Membership, Role, User


class MemberRoles(NamedTuple):
    """A person of a collection: the roles she holds, oldest first, and the annotator she is."""

    user: User
    memberships: list[Membership]
    annotator: Annotator | None


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
    """The people of a collection by name, each once however many roles she holds; two queries."""
    memberships_by_user: dict[int, list[Membership]] = {}
    for membership in members_of(collection=collection).order_by("user__username", "pk"):
        memberships_by_user.setdefault(membership.user_id, []).append(membership)
    return [
        MemberRoles(
            memberships[0].user,
            memberships,
            next(filter(None, map(annotator_of, memberships)), None),
        )
        for memberships in memberships_by_user.values()
    ]
