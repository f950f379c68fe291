"""Hits of two runs by the length of the text, and by its nearness to training texts."""

from collections.abc import Sequence

import numpy as np

from metrics.charts.analyses.hits import LENGTH, SIMILARITY, BinAxis, hits_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.hits import (
    BinnedHits,
    RunHits,
    hits_by_length,
    hits_by_similarity,
)
from metrics.core.comparisons.binary_scores import are_zero_one
from metrics.core.labels.label_sources import LabelSource
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import direction_inputs, exact_values, nouns_of, runs_of
from metrics.services.analysis.texts import SourceTexts, source_texts, training_similarity
from metrics.services.leaderboard.choice_values import DirectionInputs, restricted
from pooling.models import Run


def by_length(request: AnalysisRequest) -> AnalysisResult:
    """Hits of two runs by the number of characters of the query's text."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    runs = runs_of(request, least=2)
    hits = _hits(inputs, runs, texts)
    within = restricted(inputs, texts.has_text)
    n_characters = texts.n_characters[texts.has_text]
    result = hits_by_length(n_characters, hits, groups=within.groups)
    return _result(result, LENGTH, within, runs)


def by_similarity(request: AnalysisRequest) -> AnalysisResult:
    """Hits of two runs by the similarity of the query's text to training texts."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    runs = runs_of(request, least=2)
    hits = _hits(inputs, runs, texts)
    similarity = training_similarity(request, texts)
    within = restricted(inputs, texts.has_text)
    result = hits_by_similarity(similarity, hits, groups=within.groups)
    return _result(result, SIMILARITY, within, runs)


def _hits(inputs: DirectionInputs, runs: Sequence[Run], texts: SourceTexts) -> list[RunHits]:
    """The hits of two runs on the queries with a text, by the label source and its reference."""
    (measure,) = inputs.measures
    first, second = exact_values(inputs, runs)
    source = LabelSource.parse(inputs.spec.label_source)
    tables = [(source, first.whole, second.whole)]
    if source.reference and first.reference is not None and second.reference is not None:
        tables.append((source.reference, first.reference, second.reference))
    values = np.concatenate([rows for _, *run_rows in tables for rows in run_rows])
    if not are_zero_one(values.T):
        raise NotDefined(
            f"{measure.name} is not 0 or 1 for each query: choose one that is, such as C@5."
        )
    return [
        RunHits(part.label, *(rows[0, texts.has_text] == 1 for rows in run_rows))
        for part, *run_rows in tables
    ]


def _result(
    result: BinnedHits, axis: BinAxis, inputs: DirectionInputs, runs: Sequence[Run]
) -> AnalysisResult:
    (measure,) = inputs.measures
    names = (runs[0].name, runs[1].name)
    return hits_result(result, axis, nouns_of(inputs), runs=names, measure=measure.name)
