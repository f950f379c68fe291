"""Positives of a query by each label source."""

from metrics.charts.analyses.collection.positives import positives_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.positives import SourcePositives, positives_per_query
from metrics.core.labels.label_sources import LabelSource
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined
from metrics.services.analysis.inputs import (
    direction_inputs,
    nouns_of,
    parts_of,
    positives_by_query,
    source_grades,
    with_sample_note,
)


def per_query(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the chosen label source, and by each of its parts alone."""
    inputs = direction_inputs(request)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = parts_of(source)
    sources = [SourcePositives(source.label, positives_by_query(inputs, inputs.labels.whole))]
    sources += [
        SourcePositives(part.label, positives_by_query(inputs, source_grades(inputs, part)))
        for part in parts.sources
        if part != source
    ]
    if not any(part.n.any() for part in sources):
        raise NotDefined("No query has a positive by any of these labels yet.")
    nouns = with_sample_note(nouns_of(inputs), inputs)
    nouns = nouns._replace(notes=[*nouns.notes, *parts.notes])
    return positives_result(positives_per_query(sources, groups=inputs.groups), nouns)
