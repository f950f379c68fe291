"""Leaderboards and comparisons as kept values: their version, and how they are computed."""

import hashlib
import json
from datetime import timedelta
from typing import Any

from django.db.models import Max

from annotate.models import Collection, Kept, QuerySet
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry, Look
from metrics.models import Score, Snapshot
from metrics.services.leaderboard import choice_values, comparison
from metrics.services.leaderboard.choices.choices import LeaderboardSpec, is_stored
from metrics.services.leaderboard.stored_scores import StoredScores
from metrics.services.numbers.refresh import waits_for_refresh
from metrics.services.samples.pools import has_samples
from pooling.models import Run

RULES = "14"  # changes when the same labels and rankings would give other numbers
KIND = "leaderboard"
# after which a value is computed again even though its version did not change
REFRESH_AFTER = timedelta(minutes=10)
MAX_AGE = timedelta(days=1)
MAX_VALUES = 200  # of a collection; the oldest are deleted


def inquiry_of(*, collection: Collection, spec: LeaderboardSpec) -> Inquiry:
    """The inquiry whose value is this leaderboard or comparison."""
    return Inquiry(collection, KIND, spec.key, spec.as_json())


def look(*, collection: Collection, spec: LeaderboardSpec) -> Look:
    """Look at a leaderboard or comparison.

    Its version is empty while labels wait to be counted: whatever is kept is older than they are.
    """
    waits = waits_for_refresh(collection=collection)  # first: they may be counted now
    view = kept.look(inquiry=inquiry_of(collection=collection, spec=spec))
    return view._replace(version="") if waits else view


def version_of(*, collection: Collection) -> str:
    """Return a hash that changes whenever labels, rankings or rules gave other numbers.

    Two queries.
    It stays the same through changes that leave every number of the collection as it was;
    REFRESH_AFTER is for those.
    """
    kinds = Snapshot.objects.filter(collection=collection).order_by("kind")
    newest = Score.objects.filter(run__collection=collection).aggregate(at=Max("computed_at"))["at"]
    hashes = list(kinds.values_list("kind", "inputs_sha256"))
    facts = [RULES, collection.positive_from, str(newest), hashes]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _version(inquiry: Inquiry) -> str | None:
    """The version of the labels; none for a table without runs, which is never computed."""
    return version_of(collection=inquiry.collection) if inquiry.parameters["runs"] else None


@kept.keeps(
    KIND,
    version=_version,
    fresh_for=REFRESH_AFTER,
    drop_after=MAX_AGE,
    at_most=MAX_VALUES,
)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute a leaderboard or comparison."""
    return Computed(_value(inquiry, LeaderboardSpec.from_json(dict(inquiry.parameters))))


def _value(inquiry: Inquiry, spec: LeaderboardSpec) -> dict[str, Any]:
    collection = inquiry.collection
    runs = list(
        Run.objects.in_use().filter(collection=collection, pk__in=spec.runs).order_by("name", "pk")
    )
    if spec.kind == "comparison":
        runs_in_order = [run for pk in spec.runs for run in runs if run.pk == pk]
        return comparison.summary(collection=collection, spec=spec, runs=runs_in_order)
    n_done, directions, has_stored_scores = 0, [], is_stored(collection=collection, spec=spec)
    for query_set in QuerySet.objects.filter(collection=collection, name=spec.query_set).order_by(
        "pk"
    ):
        direction_runs = [run for run in runs if run.direction == query_set.direction]
        n_before = n_done

        def report_progress(n_runs: int, n_before: int = n_before) -> None:
            progress.advance(
                job=inquiry.job, n_done=n_before + n_runs, total=len(runs), unit="runs"
            )

        if direction_runs and has_stored_scores and not has_samples(collection=collection):
            stored_scores = StoredScores(
                collection=collection, spec=spec, query_set=query_set, runs=direction_runs
            )
            directions.append(stored_scores.summary())
        elif direction_runs:
            inputs = choice_values.direction_inputs(
                collection=collection, spec=spec, query_set=query_set
            )
            directions.append(
                choice_values.summary(
                    inputs=inputs, runs=direction_runs, report_progress=report_progress
                )
            )
        n_done += len(direction_runs)
    conflicts = Snapshot.objects.filter(collection=collection, kind="conflicts").first()
    return {"directions": directions, "conflicts": conflicts.value if conflicts else None}
