"""Invariants of metrics' rows, as checks of `manage.py fsck`."""

from collections import defaultdict
from collections.abc import Iterator

from annotate.checks.check import Check, query
from annotate.checks.constraints import constraints_check, missing_triggers
from annotate.models import Change, Collection, ReferenceSet, Round
from metrics.core.labels.label_sources import RequestedSource, UnknownLabelSource
from metrics.models import Score, Tally
from metrics.services.numbers import tallies


def drifted_counts() -> Iterator[str]:
    """Counts of blocks that differ from a recount, but for changes that a Change row announces.

    A round that is being opened or closed is announced once it is done, so its collection is left
    out until then.
    """
    current = Tally.objects.filter(key="rules", n=tallies.RULES).values("collection")
    announced = Change.objects.filter(pair=None).values("collection")
    changing_rounds = Round.objects.filter(
        state__in=[Round.State.OPENING, Round.State.CLOSING]
    ).values("collection")
    for collection in (
        Collection.objects.filter(pk__in=current)
        .exclude(pk__in=announced)
        .exclude(pk__in=changing_rounds)
    ):
        for block, key, n_stored, recount in tallies.drift(collection=collection):
            yield (
                f"collection {collection.pk}, block {block}: {key}: {n_stored} instead of {recount}"
            )


def invalid_sources() -> Iterator[str]:
    """Label sources of scores that their collection lacks, but for collections with Change rows."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    for collection, name in ReferenceSet.objects.values_list("collection", "name"):
        names[collection].append(name)
    announced = Change.objects.values("collection")
    scores = Score.objects.exclude(run__collection__in=announced).order_by(
        "run__collection", "label_source"
    )
    for collection, key in scores.values_list("run__collection", "label_source").distinct():
        try:
            RequestedSource(key).among(names[collection])
        except UnknownLabelSource as error:
            yield f"collection {collection}, {key}: {error}"


RELEASE_WALLS = {
    "": ("immutable", "no_truncate"),
    "run": ("immutable", "complete", "no_truncate"),
    "file": ("append_only", "complete", "no_truncate"),
    "event": ("append_only", "no_truncate"),
}
CHECKS: list[Check] = [
    Check(
        "metrics.score-apart",
        "A score's run and query set are of one collection and direction.",
        query("""
        SELECT format('score %s', score.id) FROM metrics_score score
        JOIN pooling_run run ON run.id = score.run_id
        JOIN annotate_queryset query_set ON query_set.id = score.query_set_id
        WHERE query_set.collection_id <> run.collection_id
           OR query_set.direction <> run.direction"""),
    ),
    Check(
        "metrics.score-counts",
        "A score holds one number for each query, and counts no more queries than that.",
        query("""
        SELECT format('score %s: %s queries, %s bytes', id, n_queries, length(per_query))
        FROM metrics_score
        WHERE length(per_query) <> 8 * n_queries OR n_missing > n_queries
           OR n_with_positive > n_queries"""),
    ),
    Check(
        "metrics.score-interval",
        "A score lies within its interval.",
        query("""
        SELECT format('score %s: %s in [%s, %s]', id, mean, low, high) FROM metrics_score
        WHERE low > high OR mean < low - 1e-9 OR mean > high + 1e-9"""),
    ),
    Check(
        "metrics.score-reference",
        "A score's label source names reference sets of its collection.",
        invalid_sources,
    ),
    Check(
        "metrics.score-threshold",
        "A score's threshold is a grade of the scheme.",
        query("""
        SELECT format('score %s: threshold %s', score.id, score.threshold)
        FROM metrics_score score
        JOIN pooling_run run ON run.id = score.run_id
        WHERE NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = run.collection_id
                            AND level.grade = score.threshold)"""),
    ),
    Check(
        "metrics.snapshot-past",
        "No snapshot rests on more judgments than there are.",
        query("""
        SELECT format('snapshot %s: %s judgments', snapshot.id, snapshot.n_judgments)
        FROM metrics_snapshot snapshot
        WHERE snapshot.n_judgments > (SELECT count(*) FROM annotate_judgment judgment
                                      WHERE judgment.collection_id = snapshot.collection_id)"""),
    ),
    Check(
        "metrics.counts-follow",
        "What a block of pairs adds to the counts is what a recount gives.",
        drifted_counts,
    ),
    Check(
        "metrics.counts-add-up",
        "A tally is the sum of its count over the collection's blocks.",
        query("""
        SELECT format('collection %s: %s', collection_id, key) FROM (
            SELECT collection_id, key, n FROM metrics_tally WHERE key <> 'rules'
            UNION ALL
            SELECT collection_id, entry.key, -n
            FROM metrics_block, unnest(keys, numbers) AS entry(key, n)
        ) difference GROUP BY collection_id, key HAVING sum(n) <> 0"""),
    ),
    Check(
        "metrics.plan-apart",
        "A plan's query set is of its collection.",
        query("""
        SELECT format('plan %s', plan.id) FROM metrics_plan plan
        JOIN annotate_queryset query_set ON query_set.id = plan.query_set_id
        WHERE query_set.collection_id <> plan.collection_id"""),
    ),
    Check(
        "metrics.plan-looks",
        "A plan's looks go up, each was taken once it was reached, and their levels add up to "
        "no more than alpha.",
        query("""
        SELECT format('plan %s', id) FROM metrics_plan plan
        WHERE looks <> ARRAY(SELECT DISTINCT unnest(looks) AS n ORDER BY n)
           OR alpha + 1e-9 < (SELECT sum(level) FROM metrics_planlook WHERE plan_id = plan.id)
           OR EXISTS (SELECT FROM metrics_planlook look
                      WHERE look.plan_id = plan.id
                        AND (look.n_judged >= plan.looks[look.number]) IS NOT TRUE)"""),
    ),
    constraints_check("metrics"),
    Check(
        "metrics.triggers",
        "The log of alarms and what plans decided only grow; a fixed plan and a release that was "
        "made stay as they are.",
        lambda: missing_triggers(
            [
                *(
                    f"metrics_{table}_{wall}"
                    for table in ("alarmevent", "plan", "planlook")
                    for wall in ("append_only", "no_truncate")
                ),
                *(
                    f"metrics_release{table}_{wall}"
                    for table, walls in RELEASE_WALLS.items()
                    for wall in walls
                ),
            ]
        ),
    ),
]
