"""Hits of two runs by the length of the text, and by its nearness to training texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metrics.charts.analyses.collection.hits import LENGTH, SIMILARITY, BinAxis, hits_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.hits import (
    BinnedHits,
    RunHits,
    hits_by_length,
    hits_by_similarity,
)
from metrics.core.labels.label_sources import LabelSource
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    exact_values,
    name_of,
    nouns_of,
    runs_of,
)
from metrics.services.analysis.texts import SourceTexts, source_texts, training_similarity
from metrics.services.leaderboard.choice_values import DirectionInputs, restricted
from pooling.models import Run

RIGHT = ("C", "Success")  # families of measures that say whether a run is right


def by_length(request: AnalysisRequest) -> AnalysisResult:
    """Hits of two runs by the number of characters of the query's text."""
    question = _read(request)
    n_characters = question.texts.n_characters[question.texts.has_text]
    result = hits_by_length(n_characters, question.hits, groups=question.inputs.groups)
    return _result(result, LENGTH, question)


def by_similarity(request: AnalysisRequest) -> AnalysisResult:
    """Hits of two runs by the similarity of the query's text to training texts."""
    question = _read(request)
    similarity = training_similarity(request, question.texts)
    result = hits_by_similarity(similarity, question.hits, groups=question.inputs.groups)
    return _result(result, SIMILARITY, question)


class _HitQuestion(NamedTuple):
    """Two runs on the queries that have a text, by the label source and its reference sets.

    inputs : of the queries with a text; notes : on label sources that are left out, or have few
    """

    inputs: DirectionInputs
    texts: SourceTexts
    runs: Sequence[Run]
    hits: list[RunHits]
    notes: list[str]


def _read(request: AnalysisRequest) -> _HitQuestion:
    """Read texts and hits; raises NotDefined where the chosen label source has none to show."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    runs = runs_of(request, least=2)
    (measure,) = inputs.measures
    if measure.family not in RIGHT:
        raise NotDefined(
            f"{measure.name} does not say whether a run is right on a query: choose C@k, as C@5."
        )
    hits, notes = _hits(inputs, runs, texts)
    source = LabelSource.parse(inputs.spec.label_source)
    if source.reference and source.has_people:
        alone = replace(request.spec.scores, label_source=source.reference.key)
        reference_request = request._replace(spec=replace(request.spec, scores=alone))
        try:
            more = _hits(direction_inputs(reference_request), runs, texts)
            hits, notes = [*hits, *more[0]], [*notes, *more[1]]
        except NotDefined as reason:
            notes.append(f"By {source.reference.label} it is not defined. {reason}")
    return _HitQuestion(restricted(inputs, texts.has_text), texts, runs, hits, notes)


def _hits(
    inputs: DirectionInputs, runs: Sequence[Run], texts: SourceTexts
) -> tuple[list[RunHits], list[str]]:
    """The hits of two runs by one label source, and a note on queries without a positive."""
    first, second = exact_values(inputs, runs)
    source = LabelSource.parse(inputs.spec.label_source)
    has_positive = first.has_positive[texts.has_text]
    n_without = int(np.count_nonzero(~has_positive))
    queries = inputs.group_facts.queries
    if not has_positive.any():
        raise NotDefined(f"None of the {queries} has a positive by {source.label} yet.")
    notes = []
    if n_without:
        verb = "has" if n_without == 1 else "have"
        notes.append(
            f"{n_without:,} of the {queries} {verb} no positive by {source.label}: on them neither "
            "run is right."
        )
    run_hits = [values.whole[0, texts.has_text] == 1 for values in (first, second)]
    return [RunHits(source.label, *run_hits)], notes


def _result(result: BinnedHits, axis: BinAxis, question: _HitQuestion) -> AnalysisResult:
    (measure,) = question.inputs.measures
    nouns = nouns_of(question.inputs, n_without_text=question.texts.n_without)
    return hits_result(
        result,
        axis,
        nouns._replace(notes=[*question.notes, *nouns.notes]),
        runs=(name_of(question.runs[0]), name_of(question.runs[1])),
        measure=measure.name,
    )
