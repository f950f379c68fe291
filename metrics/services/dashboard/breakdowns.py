"""Agreement on subsets of the pairs, and confusions of levels.

The subsets are by number of labels, pool, modality, level and query. A unit is a pair; only labels
that count enter, golds and training never. Which of them is the caller's choice: by number of
labels all, as in FIRE, else the planned ones, so that the subsets compare with the headline.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.agreement import (
    N_REPLICATES,
    Alpha,
    MeasurementLevel,
    alpha_of_counts,
    alphas_of_counts,
    percent_agreement,
)
from metrics.core.agreement.confusions import by_value, coincidences, one_against_rest
from metrics.core.agreement.counts import group
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.statistics.rounding import rounding, with_ties
from metrics.services.dashboard.label_rows import Ids, LabelRows

Value = dict[str, Any]
MAX_WORST = 20
MIN_PAIRS = 3  # with two labels or more, for a query to be among the worst


class LabelledUnits(NamedTuple):
    """Pairs with their labels.

    counts : (U, V) of each grade on each pair
    row : (U,) a row of the labels of the pair, to look up its query, document and round
    group : (U,) group of the pair's query: intervals draw whole groups
    """

    counts: NDArray[np.int64]
    row: Ids
    group: Ids

    def where(self, mask: NDArray[np.bool_]) -> "LabelledUnits":
        """The units of a mask."""
        return LabelledUnits(self.counts[mask], self.row[mask], self.group[mask])


def units_of(
    labels: LabelRows, key: Ids, domain: Ids, group_of: Mapping[int, int]
) -> LabelledUnits:
    """One unit for each distinct key of the labels, keys ascending.

    group_of : group of each query
    """
    _, row, unit = np.unique(key, return_index=True, return_inverse=True)
    level_index = np.searchsorted(domain, labels.grade)
    table = np.bincount(unit * len(domain) + level_index, minlength=len(row) * len(domain))
    groups = np.array([group_of[query] for query in labels.query[row].tolist()], dtype=np.int64)
    return LabelledUnits(table.reshape(len(row), len(domain)), row, groups)


def subset_agreement(key: Any, units: LabelledUnits, domain: Ids) -> Value:
    """Alpha with its interval on every level of measurement, and agreement rates, of some units."""
    unit_counts = group(units.counts, domain)
    percent = percent_agreement(unit_counts)
    in_groups = GroupedUnits.of(units.counts, units.group, unit_counts)
    alphas = alphas_of_counts(unit_counts, n_replicates=N_REPLICATES, grouped_units=in_groups)
    return {
        "key": key,
        "n_pairs": len(units.counts),
        "n_shared": percent.n_units,
        "unanimous": percent.unanimous_units,
        "pairwise": percent.mean_of_units,
        "alpha": {str(level): _alpha_value(alpha) for level, alpha in alphas.items()},
    }


def _alpha_value(alpha: Alpha) -> Value:
    # The core speaks of units; here a unit is a pair.
    return {
        "value": alpha.value,
        "low": alpha.low,
        "high": alpha.high,
        "reason": alpha.reason.replace("unit", "pair"),
    }


def by_size(units: LabelledUnits, domain: Ids) -> list[Value]:
    """The pairs with exactly 2, 3, ... labels (FIRE, Figure 7)."""
    size = units.counts.sum(axis=1)
    return [
        subset_agreement(int(m), units.where(size == m), domain) for m in np.unique(size[size >= 2])
    ]


def by_pool(
    labels: LabelRows, domain: Ids, names: Mapping[int, str], group_of: Mapping[int, int]
) -> list[Value]:
    """The labels given for each pool or import, in the order they were opened."""
    _, pair = np.unique(labels.pair, return_inverse=True)
    _, pool = np.unique(labels.round, return_inverse=True)
    # one key for each pair in each pool
    key = (pair * (int(pool.max(initial=0)) + 1) + pool).astype(np.int64)
    units = units_of(labels, key, domain, group_of)
    rounds = labels.round[units.row]
    return [
        subset_agreement(names[pk], units.where(rounds == pk), domain)
        for pk in np.unique(rounds).tolist()
    ]


def by_modality(
    labels: LabelRows, units: LabelledUnits, domain: Ids, modality: Mapping[int, str]
) -> list[Value]:
    """Pairs by the kinds of parts of query and document, as "text to image", alphabetically."""
    modalities = {
        pk: modality.get(pk, "nothing")
        for pk in np.unique([labels.query, labels.document]).tolist()
    }
    sides = zip(labels.query[units.row].tolist(), labels.document[units.row].tolist(), strict=True)
    descriptions = np.array(
        [f"{modalities[query]} to {modalities[document]}" for query, document in sides],
        dtype=object,
    )
    return [
        subset_agreement(name, units.where(descriptions == name), domain)
        for name in sorted(set(descriptions.tolist()))
    ]


def by_level(units: LabelledUnits, domain: Ids) -> Value:
    """Coincidences of levels on the same pairs, and agreement on each level.

    Of each level alpha is against the rest.
    """
    unit_counts = group(units.counts, domain)
    cooccurrences = coincidences(unit_counts)
    rows = []
    size = units.counts.sum(axis=1)
    for index, (grade, agreement) in enumerate(
        zip(domain.tolist(), by_value(cooccurrences), strict=True)
    ):
        level_counts = units.counts[:, index]
        against_rest = one_against_rest(unit_counts, index)
        in_groups = GroupedUnits.of(
            np.stack([size - level_counts, level_counts], axis=1), units.group, against_rest
        )
        alpha = _alpha_value(
            alpha_of_counts(
                against_rest,
                level=MeasurementLevel.NOMINAL,
                n_replicates=N_REPLICATES,
                grouped_units=in_groups,
            )
        )
        rows.append(
            {
                "grade": grade,
                "agreement": agreement.agreement,
                "n_labels": agreement.n_labels,
                "alpha": alpha,
            }
        )
    return {"rows": rows, "together": cooccurrences.tolist()}


def worst_queries(
    labels: LabelRows, units: LabelledUnits, domain: Ids, names: Mapping[int, str], level: str
) -> Value:
    """The queries on whose pairs two labels are equal least often; of equals those with more pairs.

    Only queries with three pairs or more that have two labels; alpha of few pairs is a rough
    number.
    """
    n_labels = units.counts.sum(axis=1)
    counts, query = units.counts[n_labels >= 2], labels.query[units.row[n_labels >= 2]]
    n_labels = n_labels[n_labels >= 2]
    queries, query_index = np.unique(query, return_inverse=True)
    equal_share = (counts * (counts - 1)).sum(axis=1) / (n_labels * (n_labels - 1))
    n_pairs = np.bincount(query_index, minlength=len(queries))
    mean_share = np.bincount(query_index, weights=equal_share, minlength=len(queries)) / np.maximum(
        n_pairs, 1
    )
    mean_share = with_ties(mean_share, within=rounding(equal_share))
    order = np.lexsort((queries, -n_pairs, mean_share))
    worst = order[n_pairs[order] >= MIN_PAIRS][:MAX_WORST].tolist()
    return {
        "n_queries": len(queries),
        "n_ranked": int(np.count_nonzero(n_pairs >= MIN_PAIRS)),
        "rows": [
            _query(int(queries[i]), names, counts[query_index == i], domain, level) for i in worst
        ],
    }


def _query(
    query: int, names: Mapping[int, str], counts: NDArray[np.int64], domain: Ids, level: str
) -> Value:
    unit_counts = group(counts, domain)
    percent = percent_agreement(unit_counts)
    return {
        "item": query,
        "name": names[query],
        "n_shared": percent.n_units,
        "unanimous": percent.unanimous_units,
        "pairwise": percent.mean_of_units,
        "alpha": _alpha_value(alpha_of_counts(unit_counts, level=level)),
    }
