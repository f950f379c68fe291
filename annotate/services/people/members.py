"""Members of a collection, each with the annotator that she judges as."""

from typing import Any

from django.db.models import Prefetch, QuerySet

from annotate.models import Annotator, Collection, Membership, Role


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
