"""API of rounds: what a pool or an import asks of people, under which policy, and how far it is."""

from typing import Any

from django.db.models import QuerySet
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer, MomentField
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_at_once
from annotate.core.labels.pair_states import StateCounts
from annotate.models import ApiToken, Round
from pooling.api.pool_fields import STATES, states_json
from pooling.services.pages.pool_figures import pair_counts, seat_counts


class RoundFilters(Filters):
    """Filters of the list of rounds."""

    kind = ListedChoiceField([str(kind) for kind in Round.FOR_LABELS])
    state = ListedChoiceField(Round.State.values)


class RoundAnswer(AnswerSerializer):
    """A round of a pool or an import; context: `pairs` and `seats`, counted by its key."""

    kind = serializers.CharField(help_text="`pool` or `import`.")
    state = serializers.CharField(help_text=f"One of {', '.join(Round.State.values)}.")
    pool = serializers.SerializerMethodField(help_text="The address of its pool, or null.")
    policy_version = serializers.IntegerField(source="policy.version")
    opened_at = MomentField(
        source="pool.opened_at", allow_null=True, help_text="Of a pool; null until it is open."
    )
    pairs = serializers.SerializerMethodField(help_text=STATES)
    seats = serializers.SerializerMethodField(help_text="Seats for labels by state.")

    class Meta:
        model = Round
        fields = [
            "id",
            "name",
            "kind",
            "state",
            "pool",
            "policy_version",
            "created_at",
            "opened_at",
            "closed_at",
            "following_since",
            "pairs",
            "seats",
        ]

    def get_pool(self, round_: Round) -> str | None:
        """The address of its pool."""
        if not hasattr(round_, "pool"):
            return None
        return reverse("api:pool", args=[round_.collection.slug, round_.pool.pk])

    def get_pairs(self, round_: Round) -> dict[str, int]:
        """The pairs by state."""
        return states_json(StateCounts(self.context["pairs"][round_.pk]))

    def get_seats(self, round_: Round) -> dict[str, int]:
        """The seats for labels by state."""
        counts: dict[str, int] = self.context["seats"][round_.pk]
        return counts


class RoundsView(Endpoint):
    """GET collections/<slug>/rounds/"""

    scope = ApiToken.Scope.POOLS_READ

    @extend_schema(
        parameters=[RoundFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="rounds", row=RoundAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the rounds of pools and imports, for leads and researchers."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=RoundFilters)
        rows: QuerySet[Round] = collection.rounds.filter(kind__in=Round.FOR_LABELS)
        return page_at_once(
            request=request,
            rows=rows.filter(**filters).select_related("collection", "policy", "pool"),
            ordering=("pk",),
            name="rounds",
            as_json=rounds_json,
        )


def rounds_json(rounds: list[Round]) -> list[dict[str, Any]]:
    """Rounds with their counts."""
    keys = [round_.pk for round_ in rounds]
    context = {"pairs": pair_counts(rounds=keys), "seats": seat_counts(rounds=keys)}
    return list(RoundAnswer(rounds, many=True, context=context).data)


urlpatterns = [path("collections/<slug:slug>/rounds/", RoundsView.as_view(), name="rounds")]
