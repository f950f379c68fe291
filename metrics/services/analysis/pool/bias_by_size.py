"""Scores of the pooled runs when fewer of them are pooled, from the database."""

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.pool.bias_by_size import bias_by_size_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.bias_by_size import bias_by_size, pool_choices
from metrics.core.measures import measures
from metrics.core.pools.partial_labels import ALL_SUBSETS_UP_TO, subsets
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import name_of, nouns_of, refuse_estimates
from metrics.services.analysis.pool.brought import brought_labels
from metrics.services.analysis.pool.teams import teams_of

SUBSETS_A_SIZE = 10
LABEL_BUDGET = 100_000_000  # labels looked at over all subsets: some seconds


def bias_of_fewer_runs(request: AnalysisRequest) -> AnalysisResult:
    """The move of the scores of the pooled runs by the number of them that are pooled."""
    brought = brought_labels(request, least=2)
    inputs = brought.inputs
    rows = [row for row in brought.chosen_rows if brought.is_pooled[row]]
    if len(rows) < 2:
        raise NotDefined("It takes two runs that are in opened pools: choose others.")
    refuse_estimates(inputs, [brought.runs[row] for row in rows])
    is_brought = brought.is_brought[rows] & ~np.isnan(brought.labels.people)
    if not is_brought.any():
        raise NotDefined("No pair that these runs brought to a pool has a grade by people yet.")
    teams = teams_of(brought, rows)
    n_kinds = 2 if teams.names else 1  # which share the time
    n_looks = is_brought.size * 10 * n_kinds
    n_a_size = int(np.clip(LABEL_BUDGET // n_looks, 1, SUBSETS_A_SIZE // n_kinds))
    # one seed: the same runs and labels give the same subsets
    of_runs, of_teams = (
        subsets(n, n_a_size=n_a_size, rng=np.random.default_rng(n))
        for n in (len(rows), len(teams.names))
    )
    (measure,) = measures.with_scale(inputs.measures, inputs.labels.whole.grade)
    biases = bias_by_size(
        (brought.ranked(row) for row in rows),
        brought.labels,
        is_brought,
        choices=pool_choices(of_runs, of_teams, teams.numbers),
        measure=measure,
        threshold=inputs.spec.threshold,
        groups=inputs.groups,
    )
    if not biases:
        raise NotDefined(f"{measure.name} has no finite value for these runs: choose another one.")
    nouns, notes = nouns_of(inputs), brought.kept_label_notes(rows)
    if names := [name_of(brought.runs[row]) for row in brought.chosen_rows if row not in rows]:
        notes.append(f"Left out, as no opened pool has them: {', '.join(names)}.")
    if len(rows) > ALL_SUBSETS_UP_TO:
        nouns_of_many = "runs or teams" if len(teams.names) > ALL_SUBSETS_UP_TO else "runs"
        notes.append(
            f"Of each number of {nouns_of_many} up to {counted(n_a_size, 'choice')} drawn, with a "
            "fixed seed."
        )
    return bias_by_size_result(
        biases,
        measure=measure.name,
        n_runs=len(rows),
        n_teams=len(teams.names),
        n_labels=int(np.count_nonzero(is_brought.any(axis=0) & brought.is_own)),
        n_groups=inputs.groups.n,
        nouns=nouns._replace(notes=[*nouns.notes, *notes, *teams.notes]),
    )
