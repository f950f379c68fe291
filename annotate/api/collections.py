"""Collections for programs: which there are for a token, and the facts of one."""

from decimal import Decimal
from typing import Any

from django.db.models import F, Prefetch
from django.urls import path, reverse
from rest_framework.response import Response

from annotate.access import LEADERS, collections_of, roles_of
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.pages import page_of
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, Collection, Membership
from annotate.services.collection.collections import figures
from annotate.services.pages.overview import counted_query_sets, counted_references

OF_SCORES = ("measurement", "positive_from", "query_groups")
OF_PUBLICATION = ("licence", "creators", "cite_as", "texts_may_leave", "media_may_leave")


class CollectionsView(Endpoint):
    """GET collections/, of the token's owner; the one collection of a token that is for one."""

    def get(self, request: TokenRequest) -> Response:
        """A page of them with her roles, by their short names."""
        memberships = Membership.objects.filter(user=request.user)
        rows = collections_of(user=request.user).prefetch_related(
            Prefetch("memberships", memberships, to_attr="own_memberships")
        )
        if request.auth.collection_id is not None:
            rows = rows.filter(pk=request.auth.collection_id)

        def as_json(collection: Any) -> dict[str, Any]:
            roles = roles_of(user=request.user, memberships=collection.own_memberships)
            return collection_json(collection) | {"roles": sorted(roles)}

        return page_of(
            request=request, rows=rows, ordering=("slug",), name="collections", as_json=as_json
        )


class CollectionView(Endpoint):
    """GET collections/<slug>/"""

    scope = ApiToken.Scope.NUMBERS_READ

    def get(self, request: TokenRequest, slug: str) -> Response:
        """The facts of a collection, for its leads and researchers."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        levels = collection.levels.values("grade", "name", "key", "sentence", "colour", "reasons")
        query_sets = counted_query_sets(collection=collection)
        reference_sets = counted_references(collection=collection)
        return Response(
            {
                **collection_json(collection),
                "description": collection.description,
                "created_at": timestamp(collection.created_at),
                **{name: getattr(collection, name) for name in OF_SCORES},
                "scheme_frozen_at": timestamp(collection.scheme_frozen_at),
                "levels": list(levels),
                "query_sets": list(
                    query_sets.values("name", "direction", n_queries=F("n_sources"))
                ),
                "reference_sets": list(reference_sets.values("name", "n_labels")),
                "policy": policy_json(collection),
                "guidelines_version": collection.guidelines.latest("version").version,
                **{name: getattr(collection, name) for name in OF_PUBLICATION},
            }
        )


def collection_json(collection: Collection) -> dict[str, Any]:
    """The facts that every member may know."""
    return {
        "url": reverse("api:collection", args=[collection.slug]),
        "slug": collection.slug,
        "name": collection.name,
        "is_rehearsal": collection.is_rehearsal,
    }


def policy_json(collection: Collection) -> dict[str, Any]:
    """The newest version of the policy; shares are numbers from 0 to 1."""
    policy = collection.policies.latest("version")
    return {"version": policy.version} | {
        name: float(value) if isinstance(value, Decimal) else value
        for name, value in figures(policy).items()
    }


urlpatterns = [
    path("collections/", CollectionsView.as_view(), name="collections"),
    path("collections/<slug:slug>/", CollectionView.as_view(), name="collection"),
]
