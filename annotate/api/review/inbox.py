"""API of a lead's inbox: what waits, counted by kind, and each kind in pages."""

from typing import Any, NamedTuple

from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import Filters, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.review.decision_fields import ReportAnswer, SluggedSerializer
from annotate.models import ApiToken, Batch, Collection, Gold, Role
from annotate.services.golds import quality as gold_quality
from annotate.services.judging import unplayable_pairs
from annotate.services.pages import stuck_labels
from annotate.services.review import inbox
from annotate.services.review.inbox import Tab, WaitingPair

LEAD = (Role.LEAD,)


class InboxKind(NamedTuple):
    """A kind of what waits, and how much of it there is."""

    kind: str
    name: str
    n: int
    url: str


class InboxKindAnswer(serializers.Serializer):
    """A kind of what waits."""

    kind = serializers.ChoiceField(Tab.choices)
    name = serializers.CharField()
    n = serializers.IntegerField(help_text="Batches, pairs or golds. A pair may be in several.")
    url = serializers.CharField(help_text="Of the list.")


class UnplayableTypeAnswer(serializers.Serializer):
    """A type of media that some browsers do not play."""

    type = serializers.CharField(help_text="Empty where nobody knows it.")
    n_pairs = serializers.IntegerField()


class UnplayableAnswer(serializers.Serializer):
    """Pairs that went on to others, since somebody's browser does not play them."""

    n_pairs = serializers.IntegerField()
    n_people = serializers.IntegerField()
    n_waiting = serializers.IntegerField(help_text="Of these pairs, those that want a label.")
    types = serializers.SerializerMethodField()

    def get_types(self, pairs: unplayable_pairs.UnplayablePairs) -> list[dict[str, Any]]:
        """Each type with its pairs."""
        return [{"type": reason, "n_pairs": n} for reason, n in pairs.kinds]


class StuckLabelsAnswer(serializers.Serializer):
    """Labels that no present annotator can give."""

    n_labels = serializers.IntegerField()
    n_pairs = serializers.IntegerField()
    is_more = serializers.BooleanField(help_text="There may be more than were counted.")


class InboxAnswer(serializers.Serializer):
    """Batches, pairs and golds that wait for a lead."""

    kinds = InboxKindAnswer(many=True)
    unplayable = UnplayableAnswer(allow_null=True, help_text="Null where there is none.")
    stuck_labels = StuckLabelsAnswer(
        allow_null=True, help_text="Looked for where pairs do not play everywhere; else null."
    )


class BatchAnswer(AnswerSerializer, SluggedSerializer):
    """A batch; its labels count until it is rejected or asked again."""

    url = serializers.SerializerMethodField()
    number = serializers.IntegerField(
        source="judging_number", help_text="Among the annotator's batches without training."
    )
    annotator = serializers.CharField(source="annotator.pseudonym")
    is_held = serializers.SerializerMethodField(help_text="The policy held it for a lead.")
    n_pairs = serializers.IntegerField()

    class Meta:
        model = Batch
        fields = [
            "id",
            "url",
            "number",
            "annotator",
            "is_held",
            "n_golds",
            "n_golds_right",
            "n_pairs",
            "finished_at",
        ]

    def get_url(self, batch: Batch) -> str:
        """Its address."""
        return self.batch_url(batch.pk)

    def get_is_held(self, batch: Batch) -> bool:
        """True if it is held."""
        return batch.verdict == Batch.Verdict.HELD


class WaitingPairAnswer(SluggedSerializer):
    """A pair that waits for a decision."""

    id = serializers.IntegerField(source="pair.pk")
    url = serializers.SerializerMethodField()
    query = serializers.CharField(source="pair.query.external_id")
    document = serializers.CharField(source="pair.document.external_id")
    grades = serializers.SerializerMethodField(help_text="Of the labels that count, by seat.")
    n_people = serializers.IntegerField(help_text="People whose reports are open.")
    reports = ReportAnswer(many=True, help_text="The open ones of this kind.")

    def get_url(self, row: WaitingPair) -> str:
        """Its address."""
        return self.pair_url(row.pair.pk)

    def get_grades(self, row: WaitingPair) -> list[int]:
        """The grades of its labels."""
        return [level.grade for level in row.levels]


class DoubtfulGoldAnswer(SluggedSerializer):
    """A gold that most people who are right on the others answer otherwise."""

    id = serializers.IntegerField(source="gold.pk")
    pair = serializers.IntegerField(source="gold.pair_id")
    url = serializers.SerializerMethodField(help_text="Of the pair.")
    query = serializers.CharField(source="gold.pair.query.external_id")
    document = serializers.CharField(source="gold.pair.document.external_id")
    grade = serializers.IntegerField(source="gold.grade")
    origin = serializers.ChoiceField(Gold.Origin.choices, source="gold.origin")
    n_good = serializers.IntegerField(help_text="Good people who answered it.")
    n_good_wrong = serializers.IntegerField(help_text="Those of them who fail it.")
    n = serializers.IntegerField(help_text="All who answered it.")
    n_wrong = serializers.IntegerField(help_text="All who fail it.")

    def get_url(self, line: gold_quality.GoldLine) -> str:
        """The address of its pair."""
        return self.pair_url(line.gold.pair_id)


class BatchFilters(Filters):
    """Filters of batches that wait."""

    annotator = serializers.CharField(
        max_length=120, required=False, help_text="Only those of this pseudonym."
    )


class PairFilters(Filters):
    """Filters of pairs that wait."""

    query = serializers.CharField(
        max_length=500, required=False, help_text="Only pairs of the query with this id."
    )


class InboxEndpoint(Endpoint):
    """The scope of all that reads the inbox, and the scope of decisions."""

    scope = ApiToken.Scope.JUDGMENTS_READ
    write_scope = ApiToken.Scope.COLLECTIONS_WRITE


class InboxView(InboxEndpoint):
    """GET collections/<slug>/inbox/"""

    @extend_schema(responses=InboxAnswer)
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Count all that waits for a decision, by kind, for leads."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        read_filters(request=request, other_names=())
        unplayable = unplayable_pairs.unplayable_pairs(collection=collection)
        labels = stuck_labels.stuck_labels(collection=collection) if unplayable else {}
        answer = {
            "kinds": kinds_of(collection),
            "unplayable": unplayable,
            "stuck_labels": stuck_labels.total_stuck(labels),
        }
        return Response(InboxAnswer(answer).data)


class WaitingBatchesView(InboxEndpoint):
    """GET collections/<slug>/inbox/batches/"""

    @extend_schema(
        parameters=[BatchFilters, *PAGE_PARAMETERS],
        responses=page_answer(name="waiting_batches", row=BatchAnswer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Batches whose golds failed or that the policy held, the oldest first."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        choice = read_filters(request=request, form=BatchFilters)
        rows = inbox.waiting_batches(collection=collection)
        if choice:
            rows = rows.filter(annotator__pseudonym=choice["annotator"])
        return page_of(
            request=request,
            rows=rows,
            ordering=("pk",),
            name="waiting_batches",
            as_json=BatchAnswer(context={"slug": slug}).to_representation,
        )


class WaitingPairsView(InboxEndpoint):
    """GET collections/<slug>/inbox/disputed/"""

    tab = Tab.DISPUTED

    @extend_schema(
        parameters=[PairFilters, *PAGE_PARAMETERS],
        responses=page_answer(name="waiting_pairs", row=WaitingPairAnswer),
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Pairs that wait for a decision, by their keys, with labels and open reports."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        choice = read_filters(request=request, form=PairFilters)
        rows = inbox.waiting_pairs(collection=collection, tab=self.tab)
        if choice:
            rows = rows.filter(query__external_id=choice["query"])

        serializer = WaitingPairAnswer(context={"slug": slug})
        return page_of(
            request=request,
            rows=rows,
            ordering=("pk",),
            name="waiting_pairs",
            as_json=lambda pair: serializer.to_representation(WaitingPair.of(pair)),
        )


class EscalatedPairsView(WaitingPairsView):
    """GET collections/<slug>/inbox/escalated/"""

    tab = Tab.ESCALATED


class UnjudgeablePairsView(WaitingPairsView):
    """GET collections/<slug>/inbox/cannot/"""

    tab = Tab.CANNOT


class DoubtfulGoldsView(InboxEndpoint):
    """GET collections/<slug>/inbox/golds/"""

    @extend_schema(responses=page_answer(name="doubtful_golds", row=DoubtfulGoldAnswer))
    def get(self, request: TokenRequest, slug: str) -> Response:
        """Golds in doubt, the most doubtful first; one page."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        read_filters(request=request, other_names=())
        lines = gold_quality.doubtful(collection=collection)
        rows = DoubtfulGoldAnswer(lines, many=True, context={"slug": slug})
        return Response({"doubtful_golds": rows.data, "next": None})


def kinds_of(collection: Collection) -> list[InboxKind]:
    """The kinds of what waits in a collection, with their numbers."""
    counts = inbox.count(collection=collection)._asdict()
    counts[Tab.GOLDS] = len(gold_quality.doubtful(collection=collection))
    return [
        InboxKind(
            tab.value,
            tab.label,
            counts[tab.value],
            reverse(f"api:inbox-{tab.value}", args=[collection.slug]),
        )
        for tab in Tab
    ]


INBOX = "collections/<slug:slug>/inbox/"
urlpatterns = [
    path(INBOX, InboxView.as_view(), name="inbox"),
    path(f"{INBOX}batches/", WaitingBatchesView.as_view(), name="inbox-batches"),
    path(f"{INBOX}disputed/", WaitingPairsView.as_view(), name="inbox-disputed"),
    path(f"{INBOX}escalated/", EscalatedPairsView.as_view(), name="inbox-escalated"),
    path(f"{INBOX}cannot/", UnjudgeablePairsView.as_view(), name="inbox-cannot"),
    path(f"{INBOX}golds/", DoubtfulGoldsView.as_view(), name="inbox-golds"),
]
