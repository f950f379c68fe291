"""The kinds of current numbers, each a pure function of a summary of the collection.

A new kind is a function here, one in inputs.py and a line of the table; further counts for
it are in count_sql.py.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from annotate.models import Collection
from metrics.core.agreement.agreement import N_REPLICATES, alphas_of_counts, percent_agreement
from metrics.core.agreement.counts import UnitCounts
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.statistics.intervals import wilson
from metrics.services.numbers import inputs
from metrics.services.numbers.inputs import Summary
from metrics.services.numbers.self_agreement import self_agreement
from metrics.services.numbers.tallies import CollectionTallies

Value = dict[str, Any]
Grades = tuple[int, ...]
# grades, groups, how often they were given in each
InEachGroup = tuple[Grades, list[int], list[int]]
RULES = "5"  # changes when the same summary would give other numbers


class NumberKind(NamedTuple):
    """The two functions of one kind of numbers.

    gather : makes the summary, the only input, from the tallies
    compute : makes the numbers from the summary
    """

    gather: Callable[[Collection, CollectionTallies], Summary]
    compute: Callable[[Summary], Value]


class ComputedNumbers(NamedTuple):
    """The numbers of one kind, ready to be stored.

    n_judgments : counting judgments that they rest on
    """

    value: Value
    n_judgments: int
    inputs_sha256: str


def digest(name: str, summary: Summary) -> str:
    """Hash a summary; the same inputs under the same rules have the same hash."""
    text = json.dumps([RULES, name, summary], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def compute(name: str, summary: Summary) -> ComputedNumbers:
    """Compute the numbers of one kind from its summary."""
    inputs_sha256 = digest(name, summary)
    value = KINDS[name].compute(summary)
    return ComputedNumbers(value, value.pop("n_judgments"), inputs_sha256)


def _progress(summary: Summary) -> Value:
    rounds = summary["rounds"]
    return {
        "total": summary["total"],
        "rounds": rounds,
        "n_judgments": sum(row["n_done"] for row in rounds),
    }


def _agreement(summary: Summary) -> Value:
    """Compute alpha on every level and agreement rates, of planned labels and of all labels.

    Planned labels are the headline. A further label on disagreement depends on the labels before
    it, so alpha of all labels is of a sample that the disagreement chose; planned labels depend on
    no other.
    """
    sequences = [(tuple(grades), n) for _, grades, n in summary["given"]]
    planned_sequences = [
        (tuple(grades[:n_planned]), n) for n_planned, grades, n in summary["given"]
    ]
    several = [
        (row["n_planned"], tuple(row["grades"]), row["groups"], row["n"])
        for row in summary["several"]
    ]
    labels = {
        "planned": (
            planned_sequences,
            [(grades[:n_planned], groups, n) for n_planned, grades, groups, n in several],
        ),
        "all": (sequences, [row[1:] for row in several]),
    }
    unit_counts = {
        name: _unit_counts(of_pairs, summary["domain"]) for name, (of_pairs, _) in labels.items()
    }
    alphas = {}
    for name, (_, in_groups) in labels.items():
        # The interval draws groups of queries, whose pairs' labels are alike.
        grouped_units = _in_groups(unit_counts[name], in_groups)
        by_level = alphas_of_counts(
            unit_counts[name], n_replicates=N_REPLICATES, grouped_units=grouped_units
        )
        alphas[name] = {str(level): alpha._asdict() for level, alpha in by_level.items()}
    n_pairs_of_size: Counter[int] = Counter()
    for grades, n in sequences:
        n_pairs_of_size[len(grades)] += n
    return {
        "measurement": summary["measurement"],
        "drawn": summary["drawn"],
        **alphas,
        "percent": {name: percent_agreement(unit_counts[name])._asdict() for name in labels},
        "labels_a_pair": dict(sorted(n_pairs_of_size.items())),
        "n_judgments": sum(len(grades) * n for grades, n in sequences),
    }


def _unit_counts(sequences: list[tuple[Grades, int]], domain: list[int]) -> UnitCounts:
    """Count pairs by their counts of grades, in an order that depends on nothing else."""
    column_of = {grade: index for index, grade in enumerate(domain)}
    table = np.zeros((len(sequences), len(domain)), dtype=np.int64)
    for row, (grades, _) in enumerate(sequences):
        for grade in grades:
            table[row, column_of[grade]] += 1
    frequency = np.array([n for _, n in sequences], dtype=np.int64)
    kinds, kind_of_sequence = np.unique(table, axis=0, return_inverse=True)
    total = np.bincount(kind_of_sequence.ravel(), weights=frequency, minlength=len(kinds)).astype(
        np.int64
    )
    return UnitCounts(kinds, total, np.array(domain))


def _in_groups(unit_counts: UnitCounts, several: list[InEachGroup]) -> GroupedUnits:
    """Locate the pairs with two labels or more: a row per sequence of grades and group."""
    row_of = {tuple(counts): row for row, counts in enumerate(unit_counts.counts.tolist())}
    values = unit_counts.values.tolist()
    rows = [row_of[tuple(grades.count(value) for value in values)] for grades, _, _ in several]
    sizes = [len(groups) for _, groups, _ in several]
    return GroupedUnits(
        group=np.array([group for _, groups, _ in several for group in groups], dtype=np.int64),
        kind=np.repeat(np.array(rows, dtype=np.int64), sizes),
        n=np.array([n for _, _, ns in several for n in ns], dtype=np.int64),
    )


def _distribution(summary: Summary) -> Value:
    return {**summary, "n_judgments": sum(level["n_given"] for level in summary["levels"])}


def _people(summary: Summary) -> Value:
    people = [
        {
            **row,
            "gold_interval": list(wilson(row["n_right"], row["n_gold"])),
            "shared_interval": list(wilson(row["n_equal"], row["n_shared"])),
            "repeats": self_agreement(row["repeats"], measurement=summary["measurement"]),
        }
        for row in summary["people"]
    ]
    return {"people": people, "n_judgments": sum(row["n_labels"] for row in people)}


def _conflicts(summary: Summary) -> Value:
    return {**summary, "n_judgments": 0}


KINDS: dict[str, NumberKind] = {
    "progress": NumberKind(inputs.progress, _progress),
    "agreement": NumberKind(inputs.grade_sequences, _agreement),
    "labels": NumberKind(inputs.distribution, _distribution),
    "people": NumberKind(inputs.people, _people),
    "conflicts": NumberKind(inputs.conflicts, _conflicts),
}
