"""Reasons that annotators gave, by level, run and rank."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels import level_reasons
from annotate.models import CountingJudgment
from annotate.services.storage.number_arrays import table
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
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import direction_inputs, name_of, nouns_of, runs_of
from metrics.services.analysis.run_ranks import ranked_tables
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores.labels import ends
from pooling.models import Run

RANKS = ((1, 10), (1, 1), (2, 5), (6, 10))  # first and last of those that are counted together
Numbers = NDArray[np.int64]


class ReasonLabels(NamedTuple):
    """The N labels of the levels with reasons, of pairs in the scope that no lead excluded.

    judgment : (N,) ascending keys; grade : (N,)
    pair : (N,) the row of the label's pair in `pairs`, which have grade 0 and ascend
    codes : a list for each label of the reasons that it names
    """

    judgment: Numbers
    grade: Numbers
    pair: Numbers
    pairs: Grades
    codes: list[list[str]]


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
    codes += sorted({code for own_codes in labels.codes for code in own_codes})
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
    return reasons_result(pair_selections, offers, tables, nouns_of(inputs))


def _labels(inputs: DirectionInputs) -> ReasonLabels:
    """Read the labels of the levels that offer reasons, or whose labels name some."""
    source, target = ends(inputs.scope.direction)
    counting_judgments = CountingJudgment.objects.labels().filter(
        collection=inputs.collection, pair__exclusion=None
    )
    with_reasons = counting_judgments.exclude(judgment__reasons=[])
    rows = with_reasons.values_list("judgment", "judgment__reasons")
    codes_of: dict[int, list[str]] = dict(rows.iterator(chunk_size=20_000))
    grades = set(with_reasons.values_list("grade", flat=True).distinct())
    grades |= {level.grade for level in inputs.collection.levels.all() if level.reasons}
    columns = ("judgment", "pair", f"pair__{source}", f"pair__{target}", "grade")
    judgments = counting_judgments.filter(grade__in=grades).order_by("judgment")
    numbers = table(judgments.values_list(*columns), len(columns))
    scope = inputs.scope
    is_counted = np.isin(numbers[:, 2], scope.sources) & scope.counts(numbers[:, 3])
    judgment, pair, sources, targets, grade = numbers[is_counted].T
    _, first, pair = np.unique(pair, return_index=True, return_inverse=True)
    order = np.lexsort((targets[first], sources[first]))
    first = first[order]
    pairs = Grades(sources[first], targets[first], np.zeros(len(first), dtype=np.int64))
    codes = [sorted(set(codes_of.get(key, []))) for key in judgment.tolist()]
    return ReasonLabels(judgment, grade, np.argsort(order)[pair], pairs, codes)


def _given(
    inputs: DirectionInputs, labels: ReasonLabels, codes: Sequence[str], kind: ReasonKind
) -> GivenReasons:
    """The labels with their reasons of a kind, which are numbered in the order of the codes."""
    names = list(dict.fromkeys(name for code in codes if (name := reason_name(code, kind))))
    number = {name: position for position, name in enumerate(names)}
    rows = {
        (label, number[name])
        for label, own_codes in enumerate(labels.codes)
        for code in own_codes
        if (name := reason_name(code, kind))
    }
    label, reason = np.array(sorted(rows), dtype=np.int64).reshape(-1, 2).T
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
