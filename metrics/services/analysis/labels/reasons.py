"""Reasons that annotators gave, by level, run and rank."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from annotate.core.levels import level_reasons
from annotate.core.phrases import counted
from annotate.models import Judgment
from annotate.services.storage.number_arrays import copied_columns
from metrics.charts.analyses.labels.reasons import (
    LevelOffer,
    PairSelection,
    ReasonKind,
    reason_name,
    reasons_result,
)
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.labels.reasons import GivenReasons, reasons_given
from metrics.core.labels.label_sources import Grades
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    name_of,
    nouns_of,
    runs_of,
    with_draw_note,
)
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores.labels import ends
from pooling.models import Run

RANKS = ((1, 10), (1, 1), (2, 5), (6, 10))  # first and last of those that are counted together
Numbers = NDArray[np.int64]


# labels that count, with the number of their list of reasons, of pairs that no lead excluded
_LABELS = """
    SELECT label.pair_id::bigint, pair.query_id::bigint, pair.document_id::bigint,
           label.grade::bigint, list.number::bigint
    FROM annotate_countingjudgment label
    JOIN annotate_pair pair ON pair.id = label.pair_id
    JOIN annotate_judgment judgment ON judgment.id = label.judgment_id
    JOIN unnest(%(lists)s::jsonb[]) WITH ORDINALITY AS list (reasons, number)
        ON list.reasons = judgment.reasons
    WHERE label.collection_id = %(collection)s AND label.is_label
      AND NOT EXISTS (SELECT FROM annotate_pairexclusion exclusion
                      WHERE exclusion.pair_id = label.pair_id)
"""


class ReasonLabels(NamedTuple):
    """The N labels of the levels with reasons, of pairs in the scope that no lead excluded.

    grade : (N,)
    pair : (N,) the row of the label's pair in `pairs`, which have grade 0 and ascend
    code_list : (N,) the position of its reasons in `code_lists`, which name each reason once
    """

    grade: Numbers
    pair: Numbers
    pairs: Grades
    code_list: Numbers
    code_lists: list[list[str]]


def by_run_and_rank(request: AnalysisRequest) -> AnalysisResult:
    """The reasons of the labels of each level, of all pairs and of those that runs return."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=0)
    labels = _labels(inputs)
    if not len(labels.grade):
        raise NotDefined(
            "These queries have no label yet of a level that offers reasons, or that names one."
        )
    pair_selections, masks = _selections(request, inputs, runs, labels)
    grades = set(labels.grade.tolist())
    levels = [level for level in request.collection.levels.all() if level.grade in grades]
    offers = [LevelOffer(level.name, level_reasons.codes(level.reasons)) for level in levels]
    codes = [code for offer in offers for code in offer.codes]
    code_lists = [labels.code_lists[number] for number in np.unique(labels.code_list)]
    if not any(code_lists):
        n_labels = counted(len(labels.grade), "label")
        raise NotDefined(f"None of the {n_labels} of levels that offer reasons names one yet.")
    codes += sorted({code for code_list in code_lists for code in code_list})
    tables = [
        reasons_given(
            labels_with_reasons,
            masks,
            grades=[level.grade for level in levels],
            groups=inputs.groups,
        )
        for kind in ReasonKind
        if (labels_with_reasons := _given(inputs, labels, codes, kind)).names
    ]
    return reasons_result(pair_selections, offers, tables, with_draw_note(nouns_of(inputs), inputs))


def _labels(inputs: DirectionInputs) -> ReasonLabels:
    """Read the labels of the levels that offer reasons, or whose labels name some; two queries."""
    source, target = ends(inputs.scope.direction)
    judgments = Judgment.objects.filter(collection=inputs.collection).order_by()
    lists = list(judgments.values_list("reasons", flat=True).distinct())
    columns = copied_columns(
        _LABELS,
        ("pair", "query", "document", "grade", "code_list"),
        {"lists": [Jsonb(reasons) for reasons in lists], "collection": inputs.collection.pk},
    )
    code_lists = [sorted(set(reasons)) for reasons in lists]
    names_reason = np.array([bool(reasons) for reasons in lists], dtype=bool)
    code_list, grade = columns["code_list"] - 1, columns["grade"]
    grades = set(np.unique(grade[names_reason[code_list]]).tolist())
    grades |= {level.grade for level in inputs.collection.levels.all() if level.reasons}
    sources, targets, scope = columns[source], columns[target], inputs.scope
    is_counted = np.isin(grade, list(grades)) & np.isin(sources, scope.sources)
    is_counted &= scope.counts(targets)
    sources, targets, pair = (values[is_counted] for values in (sources, targets, columns["pair"]))
    _, first, pair = np.unique(pair, return_index=True, return_inverse=True)
    order = np.lexsort((targets[first], sources[first]))
    first = first[order]
    pairs = Grades(sources[first], targets[first], np.zeros(len(first), dtype=np.int64))
    return ReasonLabels(
        grade[is_counted], np.argsort(order)[pair], pairs, code_list[is_counted], code_lists
    )


def _given(
    inputs: DirectionInputs, labels: ReasonLabels, codes: Sequence[str], kind: ReasonKind
) -> GivenReasons:
    """The labels with their reasons of a kind, which are numbered in the order of the codes."""
    names = list(dict.fromkeys(name for code in codes if (name := reason_name(code, kind))))
    number = {name: position for position, name in enumerate(names)}
    reasons_of_list = [
        sorted({number[name] for code in code_list if (name := reason_name(code, kind)) in number})
        for code_list in labels.code_lists
    ]
    n_reasons = np.array([len(reasons) for reasons in reasons_of_list], dtype=np.int64)
    flat = np.array([reason for reasons in reasons_of_list for reason in reasons], dtype=np.int64)
    n_of_label = n_reasons[labels.code_list]
    label = np.repeat(np.arange(len(labels.grade)), n_of_label)
    # the first of each label's reasons in `flat`, and then one after the other
    start = (np.cumsum(n_reasons) - n_reasons)[labels.code_list]
    nth = np.arange(len(label)) - np.repeat(np.cumsum(n_of_label) - n_of_label, n_of_label)
    reason = flat[np.repeat(start, n_of_label) + nth]
    query = np.searchsorted(inputs.scope.sources, labels.pairs.source)[labels.pair]
    return GivenReasons(query, labels.grade, label, reason, names)


def _selections(
    request: AnalysisRequest, inputs: DirectionInputs, runs: Sequence[Run], labels: ReasonLabels
) -> tuple[list[PairSelection], list[NDArray[np.bool_]]]:
    """All pairs, and those at some ranks of each run, with the mask of their labels."""
    pair_selections, masks = [PairSelection("", "")], [np.ones(len(labels.grade), dtype=bool)]
    for number, run in enumerate(runs, start=1):
        (ranked_pairs,) = ranked_tables(inputs, run, [labels.pairs])
        rank_of_pair = np.zeros(len(labels.pairs.grade), dtype=np.int64)  # 0 if not returned
        rank_of_pair[ranked_pairs.label] = ranked_pairs.rank
        rank = rank_of_pair[labels.pair]
        for first, last in RANKS:
            ranks = str(first) if first == last else f"{first} to {last}"
            pair_selections.append(PairSelection(name_of(run), ranks))
            masks.append((rank >= first) & (rank <= last))
        request.report_progress(number, len(runs), "runs")
    return pair_selections, masks
