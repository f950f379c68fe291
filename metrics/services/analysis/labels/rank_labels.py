"""People's grades of the pairs at each rank of runs."""

from annotate.core.levels.level_colours import level_colours
from metrics.charts.analyses.labels.rank_labels import rank_labels_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.rank_labels import DEEPEST, RankedLabels, labels_by_rank
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    nouns_with_propagation,
    people_parts_of,
    runs_of,
    with_draw_note,
)
from metrics.services.analysis.labels.open_pairs import open_pairs
from metrics.services.analysis.run_ranks import ranked_tables


def by_run_and_rank(request: AnalysisRequest) -> AnalysisResult:
    """The share of the pairs at each rank that people graded with each level, by run."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=1)
    parts = people_parts_of(inputs)
    grades = parts.own
    if not len(grades.grade):
        raise NotDefined("People have given no pair of these queries a grade yet.")
    ungraded_pairs = open_pairs(inputs)
    ranked_labels = []
    for number, run in enumerate(runs, start=1):
        graded, propagated, ungraded = ranked_tables(
            inputs, run, [grades, parts.propagated, ungraded_pairs]
        )
        ranked_labels.append(
            RankedLabels(
                name_of(run),
                query=graded.query,
                rank=graded.rank,
                grade=graded.grade,
                propagated_rank=propagated.rank,
                open_rank=ungraded.rank,
                depth=graded.depth,
            )
        )
        request.report_progress(number, len(runs), "runs")
    nouns = nouns_with_propagation(
        inputs, parts, "They are no labels: they have a column, and are in no share."
    )
    names = dict(inputs.collection.levels.values_list("grade", "name"))
    own_colours = dict(inputs.collection.levels.values_list("grade", "colour"))
    levels = sorted({*names, *grades.grade.tolist()}, reverse=True)
    colours = level_colours(
        {**dict.fromkeys(levels, ""), **own_colours},
        positive_from=inputs.collection.positive_from,
    )
    rank_table = labels_by_rank(
        ranked_labels, levels, threshold=inputs.spec.threshold, groups=inputs.groups
    )
    if not rank_table.last_rank:
        raise NotDefined(
            f"None of the first {DEEPEST} results that these runs have for a query has a grade by "
            "people yet."
        )
    return rank_labels_result(
        rank_table,
        [names.get(level, f"Grade {level}") for level in levels],
        with_draw_note(nouns, inputs),
        colours=[colours[level] for level in levels],
    )
