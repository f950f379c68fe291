"""What the current numbers of a collection rest on: one small, ordered summary a kind, made of the tallies.

A summary is JSON: its hash tells whether a number has to be computed again.
"""

from collections import Counter, defaultdict
from typing import Any

import numpy as np

from annotate.core.pair_states import PairState
from annotate.models import Annotator, Collection, Direction, Level, ReferenceLabel, ReferenceSet, Round, Seat
from metrics.services.query_groups import GroupFacts, facts_of, groups_of
from metrics.services.tallies import Tallies

Summary = dict[str, Any]
WANTING = (Round.Kind.POOL, Round.Kind.IMPORT)  # the kinds of rounds whose labels count


def progress(collection: Collection, tallies: Tallies) -> Summary:
    """Each round that wants labels: its pairs by state, its seats and labels."""
    rounds = Round.objects.filter(collection=collection, kind__in=WANTING)
    rows = rounds.order_by("pk").values("pk", "kind", "state", "name", "pool__pk", "pool__name")
    return {
        "total": _total(tallies),
        "rounds": [
            {
                "round": row["pk"],
                "pool": row["pool__pk"],
                "name": row["pool__name"] or row["name"],
                "kind": row["kind"],
                "state": row["state"],
                **_round(tallies, row["pk"]),
            }
            for row in rows
        ],
    }


def _total(tallies: Tallies) -> dict[str, int]:
    """All rounds together: a pair that several rounds name is one pair; seats belong to one round each."""
    return _pairs({state: n for (state,), n in tallies.rows("wanted")}) | {
        "n_left": sum(n for _, n in tallies.rows("left")),
        "n_done": sum(n for _, n in tallies.rows("done")),
    }


def _round(tallies: Tallies, pk: int) -> dict[str, int]:
    return _pairs({state: n for (round_, state), n in tallies.rows("pairs") if round_ == str(pk)}) | {
        "n_left": tallies.number("left", pk),
        "n_done": tallies.number("done", pk),
    }


def _pairs(by_state: dict[str, int]) -> dict[str, Any]:
    """How many pairs are wanted, and how many there are in each state."""
    n_pairs = sum(n for state, n in by_state.items() if PairState(state).is_wanted)
    return {"n_pairs": n_pairs, "states": {state.value: by_state.get(state, 0) for state in PairState}}


def agreement(collection: Collection, tallies: Tallies) -> Summary:
    """How often each sequence of grades was given to a pair: how many of them were planned, the grades, these first.

    drawn : what a page calls the groups
    several : of the sequences of two grades or more, how often each was given in each group of queries
    """
    queries = np.array(sorted({query for row in tallies.several for query in row.queries}), dtype=np.int64)
    told = {"collection": collection, "direction": Direction.FORWARD, "sources": queries}
    groups = groups_of(**told)
    return {
        "grouping": collection.query_groups,  # so that boards are made anew once a refresh has followed the choice
        "drawn": drawn_words(facts_of(**told)),
        "several": [
            {
                "n_planned": row.n_planned,
                "grades": row.grades,
                "groups": groups.of_query[places].tolist(),
                "n": row.n,
            }
            for row, places in ((row, np.searchsorted(queries, row.queries)) for row in tallies.several)
        ],
        "measurement": collection.measurement,
        "domain": list(collection.levels.order_by("grade").values_list("grade", flat=True)),
        "given": sorted([int(n_planned), [*map(int, grades)], n] for (n_planned, *grades), n in tallies.rows("given")),
    }


def drawn_words(facts: GroupFacts) -> str:
    """What an interval of alpha draws: "videos", or "queries, each by itself" where a lead chose so."""
    is_choice = facts.grouping == Collection.Grouping.NONE
    return f"{facts.drawn}, each by itself" if is_choice else facts.drawn


def distribution(collection: Collection, tallies: Tallies) -> Summary:
    """How often each level was given, and how often it is a pair's grade; how the grades came about."""
    given: Counter[int] = Counter()
    for (_, purpose, grade), n in tallies.rows("said"):
        if purpose in Seat.COUNTING:
            given[int(grade)] += n
    resolved: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for (status, grade), n in tallies.rows("resolution"):
        resolved[grade] += n
        statuses[status] += n
    levels = [
        {
            "grade": level.grade,
            "name": level.name,
            "colour": level.colour,
            "n_given": given[level.grade],
            "n_resolved": resolved[str(level.grade)],
        }
        for level in Level.objects.filter(collection=collection).order_by("-grade")
    ]
    return {"levels": levels, "statuses": dict(sorted(statuses.items()))}


def people(collection: Collection, tallies: Tallies) -> Summary:
    """Each annotator's counting labels, median active time, golds met, labels equal to somebody else's, repeats."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for (who, purpose, _), n in tallies.rows("said"):
        if purpose != Seat.Purpose.ADJUDICATION:  # a lead who decides is no annotator by that
            counts[int(who)]["n_labels"] += n if purpose in Seat.COUNTING else 0
    for (who, *grades), n in tallies.rows("gold"):
        said, truth = (int(grade) >= collection.positive_from for grade in grades)
        counts[int(who)].update(n_gold=n, n_right=n if said == truth else 0)
    for name in ("shared", "equal"):
        for (who,), n in tallies.rows(name):
            counts[int(who)][f"n_{name}"] += n
    times, repeats = _times(tallies), _repeats(collection, tallies)
    known = Annotator.objects.filter(collection=collection).order_by("pseudonym")
    return {
        "measurement": collection.measurement,
        "people": [
            {
                "annotator": pk,
                "pseudonym": pseudonym,
                "origin": origin,
                "median_ms": _median(times[pk]),
                **{name: counts[pk][name] for name in ("n_labels", "n_gold", "n_right", "n_shared", "n_equal")},
                "repeats": sorted(repeats[pk]),
            }
            for pk, pseudonym, origin in known.values_list("pk", "pseudonym", "origin")
            if pk in counts
        ]
    }


def _repeats(collection: Collection, tallies: Tallies) -> dict[int, list[list[int]]]:
    """Each annotator's pairs that came back: the first grade, the second, the query's group, how many."""
    rows = [([*map(int, words)], n) for words, n in tallies.rows("repeat")]
    queries = np.array(sorted({query for (_, query, _, _), _ in rows}), dtype=np.int64)
    groups = groups_of(collection=collection, direction=Direction.FORWARD, sources=queries)
    group_of = dict(zip(queries.tolist(), groups.of_query.tolist(), strict=True))
    repeats: dict[int, list[list[int]]] = defaultdict(list)
    for (who, query, first, second), n in rows:
        repeats[who].append([first, second, group_of[query], n])
    return repeats


def _times(tallies: Tallies) -> dict[int, list[tuple[int, int]]]:
    """Each annotator's active times in tenths of a second, and how often each occurs."""
    times: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (who, tenths), n in tallies.rows("time"):
        times[int(who)].append((int(tenths), n))
    return times


def _median(times: list[tuple[int, int]]) -> float | None:
    """The median in milliseconds of times that are rounded to tenths of a second; None without any."""
    n_times = sum(n for _, n in times)
    if not n_times:
        return None
    # The two middle ones, which are one where their number is odd.
    middle = [(n_times - 1) // 2, n_times // 2]
    found = []
    n_before = 0
    for tenths, n in sorted(times):
        found += [tenths for place in middle if n_before <= place < n_before + n]
        n_before += n
    return 50.0 * sum(found)


def conflicts(collection: Collection, tallies: Tallies) -> Summary:
    """How each reference set and people differ on the pairs that carry both their grades.

    A false positive is a pair that the reference calls positive and people do not, a false negative the reverse;
    n_unchecked are pairs of the reference without a grade by people.
    """
    threshold = collection.positive_from
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for words, n in tallies.rows("conflict"):
        reference, label, said = map(int, words)
        counts[reference].update(
            n_both=n,
            n_equal=n if said == label else 0,
            n_false_positives=n if said < threshold <= label else 0,
            n_false_negatives=n if label < threshold <= said else 0,
        )
    rows = []
    for reference in ReferenceSet.objects.filter(collection=collection).order_by("pk"):
        n_labels = ReferenceLabel.objects.filter(reference_set=reference).count()
        names = ("n_both", "n_equal", "n_false_positives", "n_false_negatives")
        found = {name: counts[reference.pk][name] for name in names}
        rows.append(
            {
                "reference_set": reference.pk,
                "name": reference.name,
                "n_reference": n_labels,
                **found,
                "n_unchecked": n_labels - found["n_both"],
            }
        )
    return {"threshold": threshold, "references": rows}
