"""The likeness of the chosen runs, from their stored rankings."""

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.run_likeness import likeness_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.run_likeness import (
    DEPTHS,
    MOST_WITH_INTERVALS,
    depth_within_budget,
    run_likeness,
)
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, names_of, runs_of
from metrics.services.analysis.measures.means import missing_notes
from pooling.core.strategies.selections import RankedPairs
from pooling.services.pools.previews import OVERLAP_DEPTH, RBO_P
from pooling.services.runs.rankings import left_out_keys, load_top


def likeness_of_runs(request: AnalysisRequest) -> AnalysisResult:
    """Overlap, rank-biased overlap, tau and best targets of each two of the chosen runs."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=2)
    sources = inputs.scope.sources
    depth = depth_within_budget(n_runs=len(runs), n_queries=len(sources))
    left_out = left_out_keys(collection=request.collection)
    tops: list[RankedPairs] = []
    for number, run in enumerate(runs, start=1):
        tops.append(load_top(run=run, depth=depth, query_set=inputs.query_set, leave_out=left_out))
        request.report_progress(number, len(runs), "runs")
    facts = inputs.group_facts
    notes = [note for note in (facts.choice, facts.caution) if note]
    if facts.n_population is not None:
        notes.append(
            f"The {facts.queries} were drawn of {facts.n_population:,} for pool “{facts.pool}”: "
            "each counts once here, whatever its chance was."
        )
    if depth < DEPTHS[0]:
        notes.append(
            f"Of so many runs and {facts.queries} only the first {depth} ranks are compared, "
            f"instead of {DEPTHS[0]}."
        )
    if len(runs) > MOST_WITH_INTERVALS:
        notes.append(f"Without intervals, as there are more than {MOST_WITH_INTERVALS} runs.")
    n_missing = [len(sources) - int(np.count_nonzero(np.isin(sources, top.source))) for top in tops]
    if all(n == len(sources) for n in n_missing):
        raise NotDefined(
            f"None of the {counted(len(runs), 'run')} answers one of the {facts.queries} of the "
            f"query set “{inputs.query_set.name}”."
        )
    outcome = "count in none of its pairs"
    notes += missing_notes(runs, n_missing, facts.queries, outcome=outcome)
    pairs = run_likeness(tops, sources=sources, groups=inputs.groups, k=OVERLAP_DEPTH, p=RBO_P)
    return likeness_result(
        pairs,
        names=names_of(runs),
        k=OVERLAP_DEPTH,
        p=RBO_P,
        depth=depth,
        nouns=Nouns(facts.queries, facts.text, notes),
    )
