"""Scores topic by topic as the charts and sentences of systems want them."""

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.score_files.systems.topic_scores import TopicScores


def topic_table(scores: TopicScores) -> TopicTable:
    """The scores with the nouns of what is drawn as a whole."""
    return TopicTable(
        values=scores.values,
        topics=scores.topics,
        runs=scores.runs,
        measure=scores.measure,
        smaller_is_better=scores.smaller_is_better,
        noun=scores.topic_noun,
        extent=scores.extent,
        notes=list(scores.notes),
        unit=scores.unit,
        n_units=scores.groups.n,
        means=scores.groups.mean(scores.values),
    )


def units(scores: TopicScores) -> NDArray[np.float64]:
    """(G, S) share of each topic, or of each group of topics, in the means of the runs."""
    return scores.groups.shares(scores.values)
