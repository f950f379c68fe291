"""The inputs of a collection's current numbers: a small, ordered summary per kind, of the tallies.

A summary is JSON: its hash tells whether a number has to be computed again.
"""

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from annotate.core.labels.pair_states import PairState
from annotate.models import (
    Annotator,
    Collection,
    Direction,
    Level,
    ReferenceLabel,
    ReferenceSet,
    Round,
    Seat,
)
from metrics.services.numbers.tallies import CollectionTallies
from metrics.services.scores.query_groups import GroupFacts, facts_of, groups_of

Summary = dict[str, Any]


def progress(collection: Collection, tallies: CollectionTallies) -> Summary:
    """Summarise each round whose labels count: its pairs by state, its seats and labels."""
    rounds = Round.objects.filter(collection=collection, kind__in=Round.FOR_LABELS)
    rows = rounds.order_by("pk").values("pk", "kind", "state", "name", "pool__pk", "pool__name")
    # A pair of several rounds is one pair; seats belong to one round each.
    total = _pairs({state: n for (state,), n in tallies.rows("wanted")}) | {
        "n_left": sum(n for _, n in tallies.rows("left")),
        "n_done": sum(n for _, n in tallies.rows("done")),
    }
    return {
        "total": total,
        "rounds": [
            {
                "round": row["pk"],
                "pool": row["pool__pk"],
                "name": row["pool__name"] or row["name"],
                "kind": row["kind"],
                "state": row["state"],
                **_pairs(
                    {
                        state: n
                        for (round_, state), n in tallies.rows("pairs")
                        if round_ == str(row["pk"])
                    }
                ),
                "n_left": tallies.number("left", row["pk"]),
                "n_done": tallies.number("done", row["pk"]),
            }
            for row in rows
        ],
    }


def _pairs(by_state: dict[str, int]) -> dict[str, Any]:
    """Count the pairs that need labels, and all pairs by state."""
    n_pairs = sum(n for state, n in by_state.items() if PairState(state).is_wanted)
    return {
        "n_pairs": n_pairs,
        "states": {state.value: by_state.get(state, 0) for state in PairState},
    }


def grade_sequences(collection: Collection, tallies: CollectionTallies) -> Summary:
    """Count pairs by their grades: the number of planned labels, then grades, planned ones first.

    drawn : the noun for the groups on pages
    several : for sequences of two grades or more, their counts in each group of queries
    """
    queries = np.array(
        sorted({query for row in tallies.shared_pairs for query in row.queries}), dtype=np.int64
    )
    direction = Direction.FORWARD
    groups = groups_of(collection=collection, direction=direction, sources=queries)
    facts = facts_of(collection=collection, direction=direction, sources=queries)
    return {
        # so that leaderboards are computed anew once a refresh has followed the choice
        "grouping": collection.query_groups,
        "drawn": resampling_unit(facts),
        "several": [
            {
                "n_planned": row.n_planned,
                "grades": row.grades,
                "groups": groups.of_query[positions].tolist(),
                "n": row.n,
            }
            for row, positions in (
                (row, np.searchsorted(queries, row.queries)) for row in tallies.shared_pairs
            )
        ],
        "measurement": collection.measurement,
        "domain": list(collection.levels.order_by("grade").values_list("grade", flat=True)),
        "given": sorted(
            [int(n_planned), [*map(int, grades)], n]
            for (n_planned, *grades), n in tallies.rows("given")
        ),
    }


def resampling_unit(facts: GroupFacts) -> str:
    """Return the noun for alpha's resampled units: "videos", or "queries, each by itself"."""
    is_choice = facts.grouping == Collection.Grouping.NONE
    return f"{facts.sampling_units}, each by itself" if is_choice else facts.sampling_units


def distribution(collection: Collection, tallies: CollectionTallies) -> Summary:
    """Count each level among labels and among pairs' grades, and the statuses of these grades."""
    n_given: Counter[int] = Counter()
    for (_, purpose, grade), n in tallies.rows("said"):
        if purpose in Seat.FOR_LABELS:
            n_given[int(grade)] += n
    n_resolved: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for (status, grade), n in tallies.rows("resolution"):
        n_resolved[grade] += n
        statuses[status] += n
    levels = [
        {
            "grade": level.grade,
            "name": level.name,
            "colour": level.colour,
            "n_given": n_given[level.grade],
            "n_resolved": n_resolved[str(level.grade)],
        }
        for level in Level.objects.filter(collection=collection).order_by("-grade")
    ]
    return {"levels": levels, "statuses": dict(sorted(statuses.items()))}


def people(collection: Collection, tallies: CollectionTallies) -> Summary:
    """Summarise each annotator: counting labels, median time, golds, labels shared, repeats."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for (annotator, purpose, _), n in tallies.rows("said"):
        if purpose != Seat.Purpose.ADJUDICATION:  # adjudicating does not make a lead an annotator
            counts[int(annotator)]["n_labels"] += n if purpose in Seat.FOR_LABELS else 0
    for (annotator, *gold_grades), n in tallies.rows("gold"):
        label, truth = (int(grade) >= collection.positive_from for grade in gold_grades)
        counts[int(annotator)].update(n_gold=n, n_right=n if label == truth else 0)
    for name in ("shared", "equal"):
        for (annotator,), n in tallies.rows(name):
            counts[int(annotator)][f"n_{name}"] += n
    times: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (annotator, tenths), n in tallies.rows("time"):
        times[int(annotator)].append((int(tenths), n))
    repeats = _repeats(collection, tallies)
    annotators = Annotator.objects.filter(collection=collection).order_by("pseudonym")
    return {
        "measurement": collection.measurement,
        "people": [
            {
                "annotator": pk,
                "pseudonym": pseudonym,
                "origin": origin,
                "median_ms": _median(times[pk]),
                **{
                    name: counts[pk][name]
                    for name in ("n_labels", "n_gold", "n_right", "n_shared", "n_equal")
                },
                "repeats": sorted(repeats[pk]),
            }
            for pk, pseudonym, origin in annotators.values_list("pk", "pseudonym", "origin")
            if pk in counts
        ],
    }


def _repeats(collection: Collection, tallies: CollectionTallies) -> dict[int, list[list[int]]]:
    """Group repeated pairs by annotator: first grade, second grade, the query's group, how many."""
    rows = [([*map(int, words)], n) for words, n in tallies.rows("repeat")]
    queries = np.array(sorted({query for (_, query, _, _), _ in rows}), dtype=np.int64)
    groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    group_of = dict(zip(queries.tolist(), groups.of_query.tolist(), strict=True))
    repeats: dict[int, list[list[int]]] = defaultdict(list)
    for (annotator, query, first, second), n in rows:
        repeats[annotator].append([first, second, group_of[query], n])
    return repeats


def _median(times: list[tuple[int, int]]) -> float | None:
    """Return the median in milliseconds of times rounded to tenths of a second.

    None without any.
    """
    n_times = sum(n for _, n in times)
    if not n_times:
        return None
    # The two middle times, which are one if their number is odd.
    middle = [(n_times - 1) // 2, n_times // 2]
    middle_times = []
    n_before = 0
    for tenths, n in sorted(times):
        middle_times += [tenths for position in middle if n_before <= position < n_before + n]
        n_before += n
    return 50.0 * sum(middle_times)


def conflicts(collection: Collection, tallies: CollectionTallies) -> Summary:
    """Compare each reference set with people on the pairs that have grades of both.

    A false positive is a pair that the reference calls positive and people do not, a false negative
    the reverse; n_unchecked are pairs of the reference without a grade by people.
    """
    threshold = collection.positive_from
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for words, n in tallies.rows("conflict"):
        reference_pk, label, people_grade = map(int, words)
        counts[reference_pk].update(
            n_both=n,
            n_equal=n if people_grade == label else 0,
            n_false_positives=n if people_grade < threshold <= label else 0,
            n_false_negatives=n if label < threshold <= people_grade else 0,
        )
    rows = []
    for reference in ReferenceSet.objects.filter(collection=collection).order_by("pk"):
        n_labels = ReferenceLabel.objects.filter(reference_set=reference).count()
        names = ("n_both", "n_equal", "n_false_positives", "n_false_negatives")
        reference_counts = {name: counts[reference.pk][name] for name in names}
        rows.append(
            {
                "reference_set": reference.pk,
                "name": reference.name,
                "n_reference": n_labels,
                **reference_counts,
                "n_unchecked": n_labels - reference_counts["n_both"],
            }
        )
    return {"threshold": threshold, "references": rows}
