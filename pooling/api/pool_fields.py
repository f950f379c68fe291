"""Fields of pools: what programs filter by and are answered."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.access import roles_in
from annotate.api.fields import AnswerSerializer
from annotate.api.filters import Filters, ListedChoiceField
from annotate.api.jobs import JobAnswer, job_json
from annotate.api.review.inbox import StuckLabelsAnswer
from annotate.core.labels.pair_states import StateCounts
from annotate.models import Role
from annotate.services.pages import stuck_labels
from pooling.core.strategies.strategies import STRATEGIES
from pooling.models import Pool
from pooling.sentences import SourceSentences
from pooling.services.pages.pool_figures import states_of

PHASES = ", ".join(f"`{phase}`" for phase in Pool.Phase.values)
STATES = (
    "`n` pairs are wanted; all states but `left_out` sum to it. All are 0 before the pool opens."
)


def states_json(states: StateCounts) -> dict[str, int]:
    """Numbers of pairs by state; `n` of them are wanted, and all but `left_out` sum to it."""
    return {"n": states.n_pairs} | {str(row.state): row.n for row in states.rows}


class PoolFilters(Filters):
    """Filters of the list of pools."""

    state = ListedChoiceField(Pool.Phase.values)
    name = serializers.CharField(required=False, max_length=80)
    query_set = serializers.CharField(required=False, max_length=60)


class PoolAnswer(AnswerSerializer):
    """A pool in the list; context: `states`, the counts of its pairs by its key."""

    url = serializers.SerializerMethodField()
    state = serializers.CharField(source="phase", help_text=f"One of {PHASES}.")
    error = serializers.SerializerMethodField(help_text="Why its last job failed, or empty.")
    query_set = serializers.SerializerMethodField(help_text="Empty for all source items.")
    runs = serializers.SerializerMethodField(help_text="Names of its runs.")
    policy_version = serializers.IntegerField(
        source="round.policy.version", allow_null=True, help_text="Null before it opens."
    )
    pairs = serializers.SerializerMethodField(help_text=STATES)

    class Meta:
        model = Pool
        fields = [
            "id",
            "url",
            "name",
            "state",
            "error",
            "strategy",
            "parameters",
            "seed",
            "query_set",
            "runs",
            "policy_version",
            "created_at",
            "opened_at",
            "pairs",
        ]

    def get_url(self, pool: Pool) -> str:
        """Its address."""
        return reverse("api:pool", args=[pool.collection.slug, pool.pk])

    def get_error(self, pool: Pool) -> str:
        """The reason for which its last job failed."""
        return str(pool.work.error) if pool.work else ""

    def get_query_set(self, pool: Pool) -> str:
        """The name of its query set."""
        return pool.query_set.name if pool.query_set else ""

    def get_runs(self, pool: Pool) -> list[str]:
        """The names of its runs."""
        return sorted(run.name for run in pool.runs.all())

    def get_pairs(self, pool: Pool) -> dict[str, int]:
        """The pairs by state."""
        return states_json(self.context["states"][pool.pk])


class PoolRunAnswer(serializers.Serializer):
    """A run of a pool."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    direction = serializers.CharField()
    doubts_text = serializers.CharField(help_text="Doubts about its file; empty for most runs.")


class StuckPoolAnswer(StuckLabelsAnswer):
    """Labels of a pool that no present annotator can give."""

    sentence = serializers.CharField()
    advice = serializers.SerializerMethodField()

    def get_advice(self, stuck: stuck_labels.StuckLabels) -> str:
        """The advice of the page to this person."""
        return stuck.advice if self.context["is_lead"] else stuck.researcher_advice


class WholePoolAnswer(PoolAnswer):
    """A pool with all that its page tells; context: `figures`, and `user` for whom it is."""

    strategy_label = serializers.SerializerMethodField(help_text="The strategy, for people.")
    created_by = serializers.CharField(source="created_by.username", allow_null=True)
    seats = serializers.SerializerMethodField(help_text="Seats for labels by state.")
    run_details = serializers.SerializerMethodField()
    follows_labels = serializers.SerializerMethodField(
        help_text="Its order follows the labels, so that labels before its end favour its runs."
    )
    sampling = serializers.SerializerMethodField(
        help_text="What a sample of source items means for scores; empty without one."
    )
    stuck = serializers.SerializerMethodField(help_text="Null where no label is stuck.")
    job = serializers.SerializerMethodField(
        help_text="Its latest opening, closing or opening again; null for a draft."
    )

    class Meta(PoolAnswer.Meta):
        fields = [
            *PoolAnswer.Meta.fields,
            "strategy_label",
            "created_by",
            "ordered_at",
            "seats",
            "run_details",
            "follows_labels",
            "sampling",
            "stuck",
            "job",
        ]

    def get_pairs(self, pool: Pool) -> dict[str, int]:
        """The pairs by state."""
        return states_json(self.context["figures"].states)

    def get_strategy_label(self, pool: Pool) -> str:
        """The name of its strategy on pages."""
        plan = STRATEGIES.get(pool.strategy)
        return plan.label if plan else pool.strategy

    def get_seats(self, pool: Pool) -> dict[str, int]:
        """The seats for labels by state."""
        figures = self.context["figures"]
        return {"free": figures.n_free, "held": figures.n_held, "done": figures.n_done}

    def get_run_details(self, pool: Pool) -> list[dict[str, Any]]:
        """The runs, forward ones first, by name."""
        runs = sorted(pool.runs.all(), key=lambda run: (run.direction, run.name))
        return list(PoolRunAnswer(runs, many=True).data)

    def get_follows_labels(self, pool: Pool) -> bool:
        """True if its order follows the labels."""
        plan = STRATEGIES.get(pool.strategy)
        return bool(plan and plan.order)

    def get_sampling(self, pool: Pool) -> str:
        """The consequence of a sample for scores."""
        return SourceSentences(pool).sampling

    def get_stuck(self, pool: Pool) -> dict[str, Any] | None:
        """The labels that nobody can give, unless the pool is being opened or closed."""
        if pool.round_id is None or pool.is_at_work:
            return None
        stuck = stuck_labels.stuck_labels(collection=pool.collection).get(pool.round_id)
        roles = roles_in(user=self.context["user"], collection=pool.collection)
        context = {"is_lead": Role.LEAD in roles}
        return None if stuck is None else StuckPoolAnswer(stuck, context=context).data

    @extend_schema_field(JobAnswer(allow_null=True))
    def get_job(self, pool: Pool) -> dict[str, Any] | None:
        """Its latest job."""
        return None if pool.work is None else job_json(pool.work)


def list_json(pools: list[Pool]) -> list[dict[str, Any]]:
    """Pools as the list has them."""
    context = {"states": states_of(pools=pools)}
    return list(PoolAnswer(pools, many=True, context=context).data)
