"""Access to runs and pools: one lookup, which checks roles, for each; see annotate/access.py."""

from collections.abc import Collection as Container

from django.shortcuts import get_object_or_404

from annotate import access
from annotate.access import LEADERS, Person
from annotate.models import Role
from pooling.models import Pool, Run


def get_run(*, user: Person, slug: str, pk: int, roles: Container[Role] = LEADERS) -> Run:
    """One run of a collection, if the person holds one of the roles in it and may see the run.

    Raises Http404 otherwise.
    """
    collection = access.get_collection(user=user, slug=slug, roles=roles)
    runs = Run.objects.visible_to(user).select_related("collection", "uploaded_by", "work")
    return get_object_or_404(runs, pk=pk, collection=collection)


def get_pool(*, user: Person, slug: str, pk: int, roles: Container[Role] = LEADERS) -> Pool:
    """One pool of a collection, if the person holds one of the roles in it; else Http404."""
    collection = access.get_collection(user=user, slug=slug, roles=roles)
    pools = Pool.objects.select_related(
        "collection", "round__policy", "query_set", "created_by", "work"
    )
    return get_object_or_404(pools, pk=pk, collection=collection)
