"""Fields of pairs: a pool's pair with its origin, and all that explains the grade of one."""

from typing import Any, NamedTuple

from django.urls import reverse
from rest_framework import serializers

from annotate.api.fields import MomentField
from annotate.api.filters import Filters, ListedChoiceField
from annotate.core.labels.pair_states import PairState
from annotate.models import ReferenceLabel, Seat
from annotate.services.review.pair_history import History, HistoryEvent
from pooling.services.pages.pool_pairs import PairLine
from pooling.services.pages.provenance import Origin


class PoolPairFilters(Filters):
    """Filters of the pairs of a pool."""

    state = ListedChoiceField([state.value for state in PairState])
    query = serializers.CharField(
        required=False, max_length=255, trim_whitespace=False, help_text="The id of a query."
    )
    run = serializers.CharField(
        required=False, max_length=80, help_text="The id or name of a run that brought it."
    )


class RunRankAnswer(serializers.Serializer):
    """A run that holds a pair."""

    id = serializers.IntegerField(source="run.pk")
    name = serializers.CharField(source="run.name")
    rank = serializers.IntegerField(help_text="From 1.")


class PoolPlaceAnswer(serializers.Serializer):
    """A pool that asks, or asked, about a pair."""

    id = serializers.IntegerField(source="pool.pk")
    name = serializers.CharField(source="pool.name")
    best_rank = serializers.IntegerField(
        allow_null=True, help_text="In the runs of the pool; null where none of them holds it."
    )
    inclusion_probability = serializers.FloatField(help_text="The chance of being drawn.")


class PoolPairAnswer(serializers.Serializer):
    """A pair of a pool; context: `slug` of the collection."""

    id = serializers.IntegerField(source="row.pair_id")
    url = serializers.SerializerMethodField(help_text="Its explanation, for `judgments:read`.")
    query = serializers.CharField(source="row.pair.query.external_id")
    document = serializers.CharField(source="row.pair.document.external_id")
    state = serializers.CharField(help_text=f"One of {', '.join(PairState)}.")
    grade = serializers.IntegerField(
        source="resolution.grade", allow_null=True, help_text="Null while it has none."
    )
    status = serializers.CharField(
        source="resolution.status", allow_null=True, help_text="How the grade came about."
    )
    runs = RunRankAnswer(
        source="origin.run_ranks", many=True, help_text="The runs that hold it, best rank first."
    )
    pools = PoolPlaceAnswer(source="origin.pools", many=True)

    def get_url(self, line: PairLine) -> str:
        """Its address."""
        return reverse("api:pair", args=[self.context["slug"], line.row.pair_id])


class PairExplanation(NamedTuple):
    """All that explains the grade of a pair."""

    history: History
    origin: Origin


class PairSideAnswer(serializers.Serializer):
    """An item of a pair."""

    id = serializers.CharField(source="external_id", help_text="The id in the collection's file.")
    excluded_at = MomentField(allow_null=True)
    excluded_reason = serializers.CharField()


class PairJudgmentAnswer(serializers.Serializer):
    """A judgment of a pair; comments are for leads, and empty for others."""

    id = serializers.IntegerField(source="judgment.pk")
    annotator = serializers.CharField(source="judgment.annotator.pseudonym")
    purpose = serializers.CharField(source="judgment.purpose")
    grade = serializers.IntegerField(source="judgment.level.grade")
    level = serializers.CharField(source="judgment.level.name")
    outcome = serializers.CharField(
        help_text="`counts`, `superseded`, `undone`, `withdrawn` or `surplus`."
    )
    reasons = serializers.ListField(source="judgment.reasons", child=serializers.CharField())
    comment = serializers.CharField()
    supersedes = serializers.IntegerField(source="judgment.supersedes_id", allow_null=True)
    active_seconds = serializers.FloatField(source="seconds", allow_null=True)
    at = MomentField(source="judgment.at")


class PairReportAnswer(serializers.Serializer):
    """A report on a pair; notes are for leads, and empty for others."""

    annotator = serializers.CharField(source="annotator.pseudonym")
    kind = serializers.CharField()
    why = serializers.CharField()
    note = serializers.CharField()
    state = serializers.CharField()
    at = MomentField()


class PairSeatAnswer(serializers.Serializer):
    """A seat of a pair."""

    purpose = serializers.CharField()
    number = serializers.IntegerField()
    why = serializers.SerializerMethodField(help_text="Why a label is wanted; else null.")
    state = serializers.CharField(help_text="`free`, `held`, `done` or `withdrawn`.")
    held_until = MomentField(source="leased_until", allow_null=True)
    annotator = serializers.CharField(source="annotator.pseudonym", allow_null=True)
    round = serializers.IntegerField(source="round_id")

    def get_why(self, seat: Seat) -> str | None:
        """The reason of a label's seat."""
        return seat.why if seat.purpose == Seat.Purpose.LABEL else None


class PairRoundAnswer(serializers.Serializer):
    """A round that asks, or asked, about a pair."""

    id = serializers.IntegerField(source="round_id")
    name = serializers.CharField(source="round.name")
    state = serializers.CharField(source="round.state")
    policy_version = serializers.IntegerField(source="round.policy.version")
    n_wanted = serializers.IntegerField(help_text="Labels.")
    dropped_at = MomentField(allow_null=True, help_text="Since then it wants no more of them.")


class PairGoldAnswer(serializers.Serializer):
    """A gold that the pair is or was."""

    grade = serializers.IntegerField()
    origin = serializers.CharField(help_text="`reference`, `random` or `curated`.")
    explanation = serializers.CharField()
    retired_at = MomentField(allow_null=True)


class PairReferenceAnswer(serializers.Serializer):
    """A label of the pair in a reference set."""

    name = serializers.CharField(source="reference_set.name")
    grade = serializers.IntegerField()


class PairEventAnswer(serializers.Serializer):
    """An event of the pair's history; context: `for_lead`."""

    at = MomentField()
    actor = serializers.SerializerMethodField(
        help_text="A pseudonym, `The policy`, or a lead: only leads are told which."
    )
    action = serializers.CharField()
    detail = serializers.CharField()

    def get_actor(self, event: HistoryEvent) -> str:
        """The pseudonym, the lead or the policy behind it."""
        return event.actor(for_lead=self.context["for_lead"])


class ExplainedPairAnswer(serializers.Serializer):
    """A label explained: the grade of a pair and all that it rests on."""

    id = serializers.IntegerField(source="history.pair.pk")
    url = serializers.SerializerMethodField()
    query = PairSideAnswer(source="history.pair.query")
    document = PairSideAnswer(source="history.pair.document")
    sentence = serializers.CharField(
        source="history.sentence", help_text="How the grade came about, in words."
    )
    grade = serializers.IntegerField(source="history.resolution.grade", allow_null=True)
    status = serializers.CharField(source="history.resolution.status", allow_null=True)
    policy_version = serializers.IntegerField(
        source="history.resolution.policy.version", allow_null=True
    )
    exclusion = serializers.CharField(
        source="history.exclusion.reason",
        allow_null=True,
        help_text="Why a lead excluded the pair; null where none did.",
    )
    original = serializers.CharField(
        source="history.original", help_text="The ids of the pair that it repeats, or empty."
    )
    judgments = PairJudgmentAnswer(source="history.judgments", many=True)
    reports = PairReportAnswer(source="history.reports", many=True)
    kept_back = serializers.CharField(
        source="history.kept_back_note", help_text="What is hidden from who is no lead, or empty."
    )
    seats = PairSeatAnswer(source="history.seats", many=True)
    rounds = PairRoundAnswer(source="history.round_pairs", many=True)
    golds = PairGoldAnswer(source="history.golds", many=True)
    runs = RunRankAnswer(source="origin.run_ranks", many=True)
    pools = PoolPlaceAnswer(source="origin.pools", many=True)
    references = serializers.SerializerMethodField()
    events = PairEventAnswer(
        source="history.events", many=True, help_text="All that happened, from the beginning."
    )

    def get_url(self, explanation: PairExplanation) -> str:
        """Its address."""
        pair = explanation.history.pair
        return reverse("api:pair", args=[pair.collection.slug, pair.pk])

    def get_references(self, explanation: PairExplanation) -> list[dict[str, Any]]:
        """The labels of reference sets."""
        pair = explanation.history.pair
        labels = ReferenceLabel.objects.filter(query=pair.query_id, document=pair.document_id)
        rows = labels.select_related("reference_set").order_by("reference_set__name")
        return list(PairReferenceAnswer(rows, many=True).data)
