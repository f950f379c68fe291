"""The facts of collections for programs: those that every member may know, and all of one."""

from typing import Any

from django.db.models import F
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.access import roles_of
from annotate.api.fields import AnswerSerializer
from annotate.api.settings.level_fields import LevelAnswer
from annotate.models import Collection, Direction, Policy, Role
from annotate.services.pages.overview import counted_query_sets, counted_references


class CollectionNamesAnswer(AnswerSerializer):
    """The facts that every member may know."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = Collection
        fields = ["url", "slug", "name", "is_rehearsal"]

    def get_url(self, collection: Collection) -> str:
        """The address of the collection."""
        return reverse("api:collection", args=[collection.slug])


class OwnCollectionAnswer(CollectionNamesAnswer):
    """A collection of the token's owner, with her roles; `context` has the user.

    The rows have her memberships as `own_memberships`.
    """

    roles = serializers.SerializerMethodField()

    class Meta(CollectionNamesAnswer.Meta):
        fields = [*CollectionNamesAnswer.Meta.fields, "roles"]

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(Role.choices)))
    def get_roles(self, collection: Any) -> list[str]:
        """Her roles, in the order of the alphabet."""
        roles = roles_of(user=self.context["user"], memberships=collection.own_memberships)
        return sorted(roles)


class PolicyFiguresAnswer(AnswerSerializer):
    """A version of the policy: the rules by which labels are asked for and become a grade."""

    double_share = serializers.FloatField(
        help_text="Exact share of a pool's new pairs that get one label more, from 0 to 1."
    )
    gold_pass = serializers.FloatField(
        help_text="Smallest share of a batch's golds that must be right, from 0 to 1."
    )
    repeat_share = serializers.FloatField(
        help_text="Share of a person's own pairs that come back to them, from 0 to 1."
    )
    max_share = serializers.FloatField(
        help_text="Largest share of a pool that one person may judge; 1: no limit."
    )

    class Meta:
        model = Policy
        fields = [
            "version",
            "labels_per_pair",
            "double_share",
            "ceiling",
            "tolerance",
            "stop_early",
            "rule",
            "tie",
            "batch_candidates",
            "gold_positives",
            "gold_negatives",
            "lease_minutes",
            "grouped",
            "gold_action",
            "gold_pass",
            "repeat_share",
            "repeat_after_days",
            "max_share",
            "ask_reasons",
            "at",
        ]


class QuerySetSizeAnswer(serializers.Serializer):
    """A query set of a collection."""

    name = serializers.CharField()
    direction = serializers.ChoiceField(Direction.choices)
    n_queries = serializers.IntegerField()


class ReferenceSetSizeAnswer(serializers.Serializer):
    """A reference set of a collection."""

    name = serializers.CharField()
    n_labels = serializers.IntegerField()


class CreatorAnswer(serializers.Serializer):
    """A person to cite."""

    name = serializers.CharField()
    affiliation = serializers.CharField(help_text="Empty if it is unknown.")
    orcid = serializers.CharField(help_text="As 0000-0002-1825-0097; empty if it is unknown.")


class CollectionAnswer(CollectionNamesAnswer):
    """All facts of a collection, for its leads and researchers."""

    hourly_pay = serializers.FloatField(
        allow_null=True,
        help_text="What an hour of judging costs; null where no money is shown.",
    )
    levels = LevelAnswer(many=True)
    query_sets = serializers.SerializerMethodField()
    reference_sets = serializers.SerializerMethodField()
    policy = serializers.SerializerMethodField()
    guidelines_version = serializers.SerializerMethodField()
    creators = CreatorAnswer(many=True, help_text="Those to cite, in their order.")

    class Meta(CollectionNamesAnswer.Meta):
        fields = [
            *CollectionNamesAnswer.Meta.fields,
            "description",
            "created_at",
            "measurement",
            "positive_from",
            "query_groups",
            "hourly_pay",
            "currency",
            "tentative_alpha",
            "firm_alpha",
            "scheme_frozen_at",
            "archived_at",
            "levels",
            "query_sets",
            "reference_sets",
            "policy",
            "guidelines_version",
            "licence",
            "creators",
            "cite_as",
            "texts_may_leave",
            "media_may_leave",
        ]

    @extend_schema_field(QuerySetSizeAnswer(many=True))
    def get_query_sets(self, collection: Collection) -> Any:
        """The query sets with their sizes."""
        rows = counted_query_sets(collection=collection)
        return list(rows.values("name", "direction", n_queries=F("n_sources")))

    @extend_schema_field(ReferenceSetSizeAnswer(many=True))
    def get_reference_sets(self, collection: Collection) -> Any:
        """The reference sets with their sizes."""
        return list(counted_references(collection=collection).values("name", "n_labels"))

    @extend_schema_field(PolicyFiguresAnswer)
    def get_policy(self, collection: Collection) -> Any:
        """The newest version of the policy."""
        return PolicyFiguresAnswer(collection.policies.latest("version")).data

    def get_guidelines_version(self, collection: Collection) -> int:
        """The number of the newest version of the guidelines."""
        return collection.guidelines.latest("version").version
