"""Scores of the pooled runs by the pool of each single one of them, from the database."""

from collections.abc import Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.pool.pools_of_one import LabelCount, PoolNames, pools_of_one_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.own_labels import brought_by_team
from metrics.core.analyses.pool.pools_of_one import pools_of_one
from metrics.core.measures import measures
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    name_of,
    names_of,
    nouns_of,
    refuse_estimates,
    with_sample_note,
)
from metrics.services.analysis.pool.brought import BroughtLabels, brought_labels
from metrics.services.analysis.pool.teams import teams_of

MOST_RUNS = 20
LABEL_BUDGET = 60_000_000  # labels looked at over all runs and pools: some seconds


def scores_by_pools_of_one(request: AnalysisRequest) -> AnalysisResult:
    """The scores of the chosen pooled runs by the labels that each of them alone brought."""
    brought = brought_labels(request, least=2)
    inputs = brought.inputs
    rows = [row for row in brought.chosen_rows if brought.is_pooled[row]]
    if len(rows) < 2:
        raise NotDefined("It takes two runs that are in opened pools: choose others.")
    names_left_out = [name_of(brought.runs[row]) for row in brought.chosen_rows if row not in rows]
    n_most = min(MOST_RUNS, max(2, isqrt(LABEL_BUDGET // len(brought.labels.query))))
    n_further, rows = len(rows[n_most:]), rows[:n_most]
    refuse_estimates(inputs, [brought.runs[row] for row in rows])
    is_brought = brought.is_brought[rows] & ~np.isnan(brought.labels.people)
    if not is_brought.any():
        raise NotDefined("No pair that these runs brought to a pool has a grade by people yet.")
    teams = teams_of(brought, rows)
    results = pools_of_one(
        (brought.ranked(row) for row in rows),
        brought.labels,
        is_brought,
        teams=teams.numbers,
        measures=measures.with_scale(inputs.measures, inputs.labels.whole.grade),
        threshold=inputs.spec.threshold,
        groups=inputs.groups,
        on_run=lambda n_done: request.report_progress(n_done, len(rows), "runs"),
    )
    nouns = with_sample_note(nouns_of(inputs), inputs, of="numbers of positives")
    notes = list(nouns.notes)
    if names_left_out:
        notes.append(f"Left out, as no opened pool has them: {', '.join(names_left_out)}.")
    if n_further:
        notes.append(
            f"Of the first {len(rows):,} of {len(rows) + n_further:,} pooled runs by name: choose "
            "others for a table of these."
        )
    notes += brought.kept_label_notes(rows)
    of_teams = brought_by_team(is_brought, teams.numbers)
    return pools_of_one_result(
        results,
        runs=pool_names(brought, names_of([brought.runs[row] for row in rows]), is_brought),
        teams=pool_names(brought, teams.names, of_teams),
        n_labels=int(np.count_nonzero(is_brought.any(axis=0) & brought.is_own)),
        n_groups=inputs.groups.n,
        nouns=nouns._replace(notes=[*notes, *teams.notes]),
    )


def pool_names(
    brought: BroughtLabels, names: Sequence[str], is_brought: NDArray[np.bool_]
) -> PoolNames:
    """The names of P pools, and the labels of pairs themselves in each; is_brought : (P, L)."""
    is_positive = brought.labels.people >= brought.inputs.spec.threshold
    counts = [
        LabelCount(
            int(np.count_nonzero(of_pool & brought.is_own)),
            int(np.count_nonzero(of_pool & brought.is_own & is_positive)),
        )
        for of_pool in is_brought
    ]
    return PoolNames(names, counts)
