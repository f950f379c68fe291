"""Positives of a query by the length of its text, with some texts as examples."""

import numpy as np
from django.utils.text import Truncator

from metrics.charts.analyses.collection.lengths import TextExample, examples_result, length_result
from metrics.charts.analyses.collection.text_similarity import similarity_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.lengths import (
    LengthPositives,
    length_examples,
    positives_by_length,
)
from metrics.core.analyses.collection.text_lengths import similarity_by_length
from metrics.core.statistics.resampling import seed_of
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    nouns_of,
    positives_by_query,
    with_sample_note,
)
from metrics.services.analysis.texts import source_texts, training_similarity
from metrics.services.leaderboard.choice_values import restricted

FEWEST_TEXTS = 3
MAX_TEXT = 500  # characters that are shown of a text


def by_length(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the number of words of its text."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    n_positive = positives_by_query(inputs, inputs.labels.whole)[texts.has_text]
    if not n_positive.any():
        raise NotDefined("No query with a text has a positive yet.")
    within = restricted(inputs, texts.has_text)
    result = positives_by_length(
        LengthPositives(texts.n_words[texts.has_text], n_positive, within.groups)
    )
    nouns = nouns_of(within, n_without_text=texts.n_without)
    return length_result(result, with_sample_note(nouns, inputs))


def examples(request: AnalysisRequest) -> AnalysisResult:
    """Some of the shortest, median and longest texts, each with its positives."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    n_positive = positives_by_query(inputs, inputs.labels.whole)
    positions = np.flatnonzero(texts.has_text)
    if len(positions) < FEWEST_TEXTS:
        raise NotDefined("It takes three texts: a short one, one in the middle and a long one.")
    n_words = texts.n_words[positions]
    rng = np.random.default_rng(seed_of(n_words[:, None].astype(np.float64)))
    rows = [
        TextExample(
            part=part,
            text=Truncator(texts.texts[position]).chars(MAX_TEXT),
            n_words=int(texts.n_words[position]),
            n_positive=int(n_positive[position]),
        )
        for part, numbers in length_examples(n_words, rng=rng)._asdict().items()
        for position in positions[numbers].tolist()
    ]
    nouns = nouns_of(restricted(inputs, texts.has_text), n_without_text=texts.n_without)
    return examples_result(rows, with_sample_note(nouns, inputs))


def by_similarity(request: AnalysisRequest) -> AnalysisResult:
    """Rank correlations of the texts' lengths with their similarity to training texts."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    within = restricted(inputs, texts.has_text)
    rows = similarity_by_length(
        training_similarity(request, texts),
        texts.n_words[texts.has_text],
        texts.n_characters[texts.has_text],
        groups=within.groups,
    )
    return similarity_result(rows, nouns_of(within, n_without_text=texts.n_without))
