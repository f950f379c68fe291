"""Positives of a query by the length of its text, with some texts as examples."""

import numpy as np

from metrics.charts.analyses.lengths import TextExample, examples_result, length_result
from metrics.charts.analyses.text_similarity import similarity_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.lengths import LengthPositives, length_examples, positives_by_length
from metrics.core.analyses.text_lengths import similarity_by_length
from metrics.core.statistics.resampling import seed_of
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import direction_inputs, nouns_of, positives_by_query
from metrics.services.analysis.texts import source_texts, training_similarity
from metrics.services.leaderboard.choice_values import restricted


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
    return length_result(result, nouns_of(within), n_without_text=texts.n_without)


def examples(request: AnalysisRequest) -> AnalysisResult:
    """Some of the shortest, median and longest texts, each with its positives."""
    inputs = direction_inputs(request)
    texts = source_texts(inputs)
    n_positive = positives_by_query(inputs, inputs.labels.whole)
    positions = np.flatnonzero(texts.has_text)
    n_words = texts.n_words[positions]
    rng = np.random.default_rng(seed_of(n_words[:, None].astype(np.float64)))
    rows = [
        TextExample(
            part=part,
            text=texts.texts[position],
            n_words=int(texts.n_words[position]),
            n_positive=int(n_positive[position]),
        )
        for part, numbers in length_examples(n_words, rng=rng)._asdict().items()
        for position in positions[numbers].tolist()
    ]
    return examples_result(rows, nouns_of(restricted(inputs, texts.has_text)))


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
    return similarity_result(rows, nouns_of(within))
