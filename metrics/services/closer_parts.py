"""Agreement in parts: by number of labels, pool, modality, level and query, and which levels are taken for which.

A unit is a pair; only labels that count enter, golds and training never. Which of them is the caller's choice: by
number of labels all, as in FIRE, else the planned ones, so that the parts compare with the headline.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement import (
    N_REPLICATES,
    Alpha,
    InGroups,
    Level,
    alpha_of_counts,
    alphas_of_counts,
    percent_agreement,
)
from metrics.core.confusions import against_the_rest, by_value, coincidences
from metrics.core.counts import group
from metrics.services.label_rows import Ids, Labels

Value = dict[str, Any]
WORST = 20
MIN_PAIRS = 3  # with two labels or more, for a query to be among the worst


class Units(NamedTuple):
    """Pairs with their labels.

    counts : (U, V) of each grade on each pair
    row : (U,) a row of the labels that belongs to the pair, for looking up the rest
    group : (U,) what the pair's query belongs to: intervals draw whole groups
    """

    counts: NDArray[np.int64]
    row: Ids
    group: Ids

    def where(self, mask: NDArray[np.bool_]) -> "Units":
        """Some of them."""
        return Units(self.counts[mask], self.row[mask], self.group[mask])


def units_of(labels: Labels, key: Ids, domain: Ids, group_of: Mapping[int, int]) -> Units:
    """One unit a distinct key of the labels, ascending; group_of : of each query."""
    _, row, unit = np.unique(key, return_index=True, return_inverse=True)
    place = np.searchsorted(domain, labels.grade)
    table = np.bincount(unit * len(domain) + place, minlength=len(row) * len(domain))
    groups = np.array([group_of[query] for query in labels.query[row].tolist()], dtype=np.int64)
    return Units(table.reshape(len(row), len(domain)), row, groups)


def part(key: Any, units: Units, domain: Ids) -> Value:
    """Alpha with its interval on every level of measurement, and agreement rates, of some units."""
    counted = group(units.counts, domain)
    percent = percent_agreement(counted)
    in_groups = InGroups.of(units.counts, units.group, counted)
    alphas = alphas_of_counts(counted, n_replicates=N_REPLICATES, in_groups=in_groups)
    return {
        "key": key,
        "n_pairs": len(units.counts),
        "n_shared": percent.n_units,
        "unanimous": percent.unanimous_units,
        "pairwise": percent.mean_of_units,
        "alpha": {str(level): _told(alpha) for level, alpha in alphas.items()},
    }


def _told(alpha: Alpha) -> Value:
    # The core speaks of units; here a unit is a pair.
    return {"value": alpha.value, "low": alpha.low, "high": alpha.high, "reason": alpha.reason.replace("unit", "pair")}


def by_size(units: Units, domain: Ids) -> list[Value]:
    """The pairs with exactly 2, 3, ... labels (FIRE, Figure 7)."""
    size = units.counts.sum(axis=1)
    return [part(int(m), units.where(size == m), domain) for m in np.unique(size[size >= 2])]


def by_pool(labels: Labels, domain: Ids, names: Mapping[int, str], group_of: Mapping[int, int]) -> list[Value]:
    """The labels given for each pool or import, in the order they were opened."""
    units = units_of(labels, _joined(labels.pair, labels.round), domain, group_of)
    rounds = labels.round[units.row]
    return [part(names[pk], units.where(rounds == pk), domain) for pk in np.unique(rounds).tolist()]


def by_modality(labels: Labels, units: Units, domain: Ids, modality: Mapping[int, str]) -> list[Value]:
    """Pairs by what their query and their document are made of, in the order of the words."""
    words = {pk: modality.get(pk, "nothing") for pk in np.unique([labels.query, labels.document]).tolist()}
    sides = zip(labels.query[units.row].tolist(), labels.document[units.row].tolist(), strict=True)
    told = np.array([f"{words[query]} to {words[document]}" for query, document in sides], dtype=object)
    return [part(name, units.where(told == name), domain) for name in sorted(set(told.tolist()))]


def by_level(units: Units, domain: Ids) -> Value:
    """Which level stands beside which, agreement on each, and alpha of each against the rest."""
    counted = group(units.counts, domain)
    together = coincidences(counted)
    rows = []
    size = units.counts.sum(axis=1)
    for place, (grade, found) in enumerate(zip(domain.tolist(), by_value(together), strict=True)):
        mine = units.counts[:, place]
        one = against_the_rest(counted, place)
        in_groups = InGroups.of(np.stack([size - mine, mine], axis=1), units.group, one)
        alpha = _told(alpha_of_counts(one, level=Level.NOMINAL, n_replicates=N_REPLICATES, in_groups=in_groups))
        rows.append({"grade": grade, "agreement": found.agreement, "n_labels": found.n_labels, "alpha": alpha})
    return {"rows": rows, "together": together.tolist()}


def worst_queries(labels: Labels, units: Units, domain: Ids, names: Mapping[int, str], level: str) -> Value:
    """The queries on whose pairs two labels are equal least often; of equals those with more pairs.

    Only queries with three pairs or more that have two labels; alpha of few pairs is a rough number.
    """
    size = units.counts.sum(axis=1)
    counts, query = units.counts[size >= 2], labels.query[units.row[size >= 2]]
    size = size[size >= 2]
    known, place = np.unique(query, return_inverse=True)
    equal = (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
    n_pairs = np.bincount(place, minlength=len(known))
    share = np.bincount(place, weights=equal, minlength=len(known)) / np.maximum(n_pairs, 1)
    order = np.lexsort((known, -n_pairs, np.round(share, 12)))
    chosen = order[n_pairs[order] >= MIN_PAIRS][:WORST].tolist()
    return {
        "n_queries": len(known),
        "n_ranked": int(np.count_nonzero(n_pairs >= MIN_PAIRS)),
        "rows": [_query(int(known[i]), names, counts[place == i], domain, level) for i in chosen],
    }


def _query(pk: int, names: Mapping[int, str], counts: NDArray[np.int64], domain: Ids, level: str) -> Value:
    counted = group(counts, domain)
    percent = percent_agreement(counted)
    return {
        "item": pk,
        "name": names[pk],
        "n_shared": percent.n_units,
        "unanimous": percent.unanimous_units,
        "pairwise": percent.mean_of_units,
        "alpha": _told(alpha_of_counts(counted, level=level)),
    }


def _joined(*columns: Iterable[int]) -> Ids:
    """One number a row that tells apart what the columns tell apart."""
    first, second = (np.unique(np.asarray(column), return_inverse=True)[1] for column in columns)
    return (first * (int(second.max(initial=0)) + 1) + second).astype(np.int64)
