"""The choices for a pool that programs send, for its preview and to make it."""

from typing import Any

from rest_framework import serializers

from annotate.api import Unprocessable
from annotate.api.fields import StrictSerializer
from annotate.models import Collection, Direction, QuerySet
from pooling.core.strategies.strategies import MAX_SEED, STRATEGIES
from pooling.models import Run
from pooling.services.pools import checks as pool_checks

MAX_RUNS = 1000
PARAMETERS_OF_STRATEGIES = "; ".join(
    f"`{name}`: {', '.join(f'`{parameter.name}`' for parameter in strategy.parameters) or 'none'}"
    for name, strategy in STRATEGIES.items()
)


class PoolChoiceRequest(StrictSerializer):
    """The choices for a pool: runs and the query set by name.

    All runs that are ready if none is named.
    """

    strategy = serializers.CharField(max_length=30, help_text=f"One of {', '.join(STRATEGIES)}.")
    parameters = serializers.DictField(
        required=False, default=dict, help_text=f"Of the strategy: {PARAMETERS_OF_STRATEGIES}."
    )
    runs = serializers.ListField(
        child=serializers.CharField(max_length=80), required=False, max_length=MAX_RUNS
    )
    query_set = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    direction = serializers.ChoiceField(
        choices=Direction.choices,
        required=False,
        help_text="Of the query set, where there are two of its name.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=MAX_SEED, required=False, default=1)

    def validate_parameters(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """The parameters, if a refusal can repeat their names."""
        for name in parameters:
            serializers.CharField(max_length=80).run_validation(name)
        return parameters


class PoolRequest(PoolChoiceRequest):
    """A pool to make: its choices and its name."""

    name = serializers.CharField(max_length=80)


def pool_choice(collection: Collection, fields: dict[str, Any]) -> dict[str, Any]:
    """Look up the runs and the query set of the choices. Raises Unprocessable."""
    return {
        "strategy": fields["strategy"],
        "parameters": fields["parameters"],
        "runs": chosen_runs(collection, fields.get("runs")),
        "query_set": chosen_query_set(collection, fields["query_set"], fields.get("direction")),
        "seed": fields["seed"],
    }


def field_refusal(field: str, message: str) -> Unprocessable:
    """The refusal of one field."""
    return Unprocessable(message, errors=[{"field": field, "message": message}])


def chosen_runs(collection: Collection, names: list[str] | None) -> list[Run]:
    """The runs of these names; all that are in use without names. Raises Unprocessable."""
    ready = collection.runs.published().in_use()
    if names is None:
        return list(ready)
    runs = list(ready.filter(name__in=names))
    if missing_names := sorted(set(names) - {run.name for run in runs}):
        raise field_refusal(
            "runs", pool_checks.why_not_poolable(collection=collection, name=missing_names[0])
        )
    return runs


def chosen_query_set(collection: Collection, name: str, direction: str | None) -> QuerySet | None:
    """The query set of this name; None without a name. Raises Unprocessable."""
    if not name:
        return None
    same_name = collection.query_sets.filter(name=name)
    query_sets = list(same_name.filter(direction=direction) if direction else same_name)
    if len(query_sets) != 1:
        fault = (
            "There are two query sets of this name; give its direction."
            if query_sets
            else "There is no such query set."
        )
        raise field_refusal("query_set", fault)
    return query_sets[0]
