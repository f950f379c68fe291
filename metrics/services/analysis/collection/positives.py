"""Positives of a query by each label source."""

from metrics.charts.analyses.collection.positives import positives_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.positives import SourcePositives, positives_per_query
from metrics.core.labels.label_sources import LabelSource, People
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import (
    direction_inputs,
    nouns_of,
    positives_by_query,
    source_grades,
    with_sample_note,
)

MOST_SETS = 5  # of reference sets with a series of their own


def per_query(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the chosen label source, and by each of its parts alone."""
    inputs = direction_inputs(request)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = [LabelSource.of(People.NONE, [name]) for name in source.sets[:MOST_SETS]]
    if source.has_people:
        parts.append(LabelSource.of(People.ONLY))
    sources = [SourcePositives(source.label, positives_by_query(inputs, inputs.labels.whole))]
    sources += [
        SourcePositives(part.label, positives_by_query(inputs, source_grades(inputs, part)))
        for part in parts
        if part != source
    ]
    if not any(part.n.any() for part in sources):
        raise NotDefined("No query has a positive by any of these labels yet.")
    nouns = with_sample_note(nouns_of(inputs), inputs)
    if left_out := source.sets[MOST_SETS:]:
        names = ", ".join(f"“{name}”" for name in left_out)
        nouns = nouns._replace(notes=[*nouns.notes, f"Not shown by themselves: {names}."])
    return positives_result(positives_per_query(sources, groups=inputs.groups), nouns)
