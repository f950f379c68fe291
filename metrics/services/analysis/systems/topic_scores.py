"""Scores of the runs of a collection query by query, without queries or runs that miss."""

import numpy as np

from annotate.models import QuerySetItem
from metrics.core.comparisons.missing_queries import MISSING_QUERIES
from metrics.score_files.requests import NotDefined
from metrics.score_files.systems.topic_scores import TopicScores, complete
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    direction_inputs,
    exact_values,
    names_of,
    no_positive_notes,
    nouns_of,
    runs_of,
)
from metrics.services.leaderboard.choice_values import restricted


def topic_scores(request: AnalysisRequest, *, least: int = 2) -> TopicScores:
    """Measure the chosen runs on each query; raises NotDefined for fewer than so many runs."""
    inputs = direction_inputs(request)
    runs = runs_of(request, least=least)
    measure = inputs.measures[0]
    if not measure.is_mean:
        raise NotDefined(
            f"{measure.name} is a median; this takes a measure that is a mean over queries, as AP."
        )
    run_values = exact_values(inputs, runs)
    nouns = nouns_of(inputs)
    members = inputs.query_set.members.filter(part=QuerySetItem.Part.SOURCE)
    names = dict(members.values_list("item", "item__external_id"))
    scores = TopicScores(
        values=np.array([row.whole[0] for row in run_values]).T,
        topics=[names[key] for key in inputs.scope.sources.tolist()],
        groups=inputs.groups,
        runs=names_of(runs),
        teams=[run.team for run in runs],
        keys=[run.pk for run in runs],
        measure=measure.name,
        smaller_is_better=measure.entry.smaller_is_better,
        topic_noun=nouns.queries,
        extent=nouns.extent,
        notes=nouns.notes,
    )
    is_missing = np.array([row.is_missing for row in run_values]).T
    treatment = request.spec.scores.missing
    if treatment == MISSING_QUERIES:
        inputs = restricted(inputs, np.asarray(~is_missing.any(axis=1)))
    scores.notes.extend(no_positive_notes([inputs], [measure]))
    return complete(scores, is_missing, treatment=treatment, measure=measure, least=least)
