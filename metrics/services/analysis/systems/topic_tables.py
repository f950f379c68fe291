"""Scores topic by topic as the charts and sentences of systems want them."""

import numpy as np
from numpy.typing import NDArray

from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.services.analysis.analyses import NotDefined
from metrics.services.analysis.systems.topic_scores import TopicScores


def topic_table(scores: TopicScores) -> TopicTable:
    """The scores with the nouns of what is drawn as a whole."""
    groups = scores.groups
    return TopicTable(
        values=scores.values,
        topics=scores.topics,
        runs=scores.runs,
        measure=scores.measure,
        smaller_is_better=scores.smaller_is_better,
        noun=scores.topic_noun,
        extent=scores.extent,
        notes=list(scores.notes),
        unit=scores.topic_noun if groups.are_single else f"groups of {scores.topic_noun}",
        n_units=groups.n,
    )


def units(scores: TopicScores) -> NDArray[np.float64]:
    """(G, S) share of each topic, or of each group of topics, in the means of the runs.

    Raises NotDefined for fewer than two groups.
    """
    if scores.groups.n < 2:
        raise NotDefined(
            f"All {scores.topic_noun} are of one group: nothing shows how much those of other "
            "groups would differ."
        )
    return scores.groups.shares(scores.values)
