"""The kinds of current numbers, each a pure function of a summary of what the collection holds.

A new kind is a function here, one in inputs.py and a line of the table; counts it needs besides are in count_sql.py.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from annotate.models import Collection
from metrics.core.agreement import N_REPLICATES, InGroups, alphas_of_counts, percent_agreement
from metrics.core.counts import UnitCounts
from metrics.core.intervals import wilson
from metrics.services import inputs
from metrics.services.inputs import Summary
from metrics.services.repeating import with_herself
from metrics.services.tallies import Tallies

Value = dict[str, Any]
Grades = tuple[int, ...]
InEachGroup = tuple[Grades, list[int], list[int]]  # grades, groups, how often they were given in each
RULES = "5"  # changes when the same summary would give other numbers


class Kind(NamedTuple):
    """How one kind of numbers comes about.

    gather : makes the summary that decides everything of the tallies
    compute : makes the numbers from the summary
    """

    gather: Callable[[Collection, Tallies], Summary]
    compute: Callable[[Summary], Value]


class Number(NamedTuple):
    """The numbers of one kind, ready to be stored.

    n_judgments : counting judgments that they rest on
    """

    value: Value
    n_judgments: int
    inputs_sha256: str


def digest(name: str, summary: Summary) -> str:
    """The hash of a summary: the same inputs under the same rules have the same."""
    text = json.dumps([RULES, name, summary], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def compute(name: str, summary: Summary) -> Number:
    """The numbers of one kind from its summary."""
    inputs_sha256 = digest(name, summary)
    value = KINDS[name].compute(summary)
    return Number(value, value.pop("n_judgments"), inputs_sha256)


def _progress(summary: Summary) -> Value:
    rounds = summary["rounds"]
    return {"total": summary["total"], "rounds": rounds, "n_judgments": sum(row["n_done"] for row in rounds)}


def _agreement(summary: Summary) -> Value:
    """Alpha on every level of measurement and agreement rates: of planned labels, which is the headline, and of all.

    Whether another label is asked for on disagreement hangs on the labels before it, so alpha of all is of a sample
    that the disagreement chose; whether a planned one is asked for hangs on none.
    """
    given = [(tuple(grades), n) for _, grades, n in summary["given"]]
    planned = [(tuple(grades[:n_planned]), n) for n_planned, grades, n in summary["given"]]
    several = [(row["n_planned"], tuple(row["grades"]), row["groups"], row["n"]) for row in summary["several"]]
    labels = {
        "planned": (planned, [(grades[:n_planned], *rest) for n_planned, grades, *rest in several]),
        "all": (given, [row[1:] for row in several]),
    }
    counted = {name: _counted(of_pairs, summary["domain"]) for name, (of_pairs, _) in labels.items()}
    return {
        "measurement": summary["measurement"],
        "drawn": summary["drawn"],
        **{name: _alphas(counted[name], in_groups) for name, (_, in_groups) in labels.items()},
        "percent": {name: percent_agreement(counted[name])._asdict() for name in labels},
        "labels_a_pair": dict(sorted(_pairs_by_size(given).items())),
        "n_judgments": sum(len(grades) * n for grades, n in given),
    }


def _counted(given: list[tuple[Grades, int]], domain: list[int]) -> UnitCounts:
    """The kinds of pairs by their counts of grades, in an order that depends on nothing else."""
    place = {grade: index for index, grade in enumerate(domain)}
    table = np.zeros((len(given), len(domain)), dtype=np.int64)
    for row, (grades, _) in enumerate(given):
        for grade in grades:
            table[row, place[grade]] += 1
    frequency = np.array([n for _, n in given], dtype=np.int64)
    kinds, where = np.unique(table, axis=0, return_inverse=True)
    total = np.bincount(where.ravel(), weights=frequency, minlength=len(kinds)).astype(np.int64)
    return UnitCounts(kinds, total, np.array(domain))


def _alphas(counted: UnitCounts, several: list[InEachGroup]) -> Value:
    """Alpha on every level; its interval draws groups of queries, whose pairs' labels are alike."""
    found = alphas_of_counts(counted, n_replicates=N_REPLICATES, in_groups=_in_groups(counted, several))
    return {str(level): alpha._asdict() for level, alpha in found.items()}


def _in_groups(counted: UnitCounts, several: list[InEachGroup]) -> InGroups:
    """Where the pairs with two labels or more are: a row a sequence of grades and group."""
    row_of = {tuple(counts): row for row, counts in enumerate(counted.counts.tolist())}
    values = counted.values.tolist()
    rows = [row_of[tuple(grades.count(value) for value in values)] for grades, _, _ in several]
    sizes = [len(groups) for _, groups, _ in several]
    return InGroups(
        group=np.array([group for _, groups, _ in several for group in groups], dtype=np.int64),
        kind=np.repeat(np.array(rows, dtype=np.int64), sizes),
        n=np.array([n for _, _, ns in several for n in ns], dtype=np.int64),
    )


def _pairs_by_size(given: list[tuple[Grades, int]]) -> Counter[int]:
    sizes: Counter[int] = Counter()
    for grades, n in given:
        sizes[len(grades)] += n
    return sizes


def _distribution(summary: Summary) -> Value:
    return {**summary, "n_judgments": sum(level["n_given"] for level in summary["levels"])}


def _people(summary: Summary) -> Value:
    people = [
        {
            **row,
            "gold_interval": list(wilson(row["n_right"], row["n_gold"])),
            "shared_interval": list(wilson(row["n_equal"], row["n_shared"])),
            "repeats": with_herself(row["repeats"], measurement=summary["measurement"]),
        }
        for row in summary["people"]
    ]
    return {"people": people, "n_judgments": sum(row["n_labels"] for row in people)}


def _conflicts(summary: Summary) -> Value:
    return {**summary, "n_judgments": 0}


KINDS: dict[str, Kind] = {
    "progress": Kind(inputs.progress, _progress),
    "agreement": Kind(inputs.agreement, _agreement),
    "labels": Kind(inputs.distribution, _distribution),
    "people": Kind(inputs.people, _people),
    "conflicts": Kind(inputs.conflicts, _conflicts),
}
