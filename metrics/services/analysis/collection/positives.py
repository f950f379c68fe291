"""Positives of a query by each label source."""

from metrics.charts.analyses.collection.positives import positives_result
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.collection.positives import SourcePositives, positives_per_query
from metrics.core.labels.label_sources import LabelSource, People
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import (
    OWN_LABELS,
    OWN_NOTE,
    direction_inputs,
    nouns_of,
    nouns_with_propagation,
    parts_of,
    people_parts_of,
    positives_by_query,
    source_grades,
    with_sample_note,
)


def per_query(request: AnalysisRequest) -> AnalysisResult:
    """Positives a query by the chosen label source, and by each of its parts alone.

    People's part is their own labels, without propagated grades.
    """
    inputs = direction_inputs(request)
    source = LabelSource.parse(inputs.spec.label_source)
    parts = parts_of(source)
    sources = [SourcePositives(source.label, positives_by_query(inputs, inputs.labels.whole))]
    sources += [
        SourcePositives(part.label, positives_by_query(inputs, source_grades(inputs, part)))
        for part in parts.sources
        if part != source and not part.has_people
    ]
    nouns = nouns_of(inputs, has_propagation=False)
    if source.has_people:
        people = people_parts_of(inputs)
        has_propagated = len(people.propagated.grade) > 0
        name = OWN_LABELS if has_propagated else LabelSource.of(People.ONLY).label
        if has_propagated or source.sets:
            sources.append(SourcePositives(name, positives_by_query(inputs, people.own)))
        nouns = nouns_with_propagation(inputs, people, OWN_NOTE)
    if not any(part.n.any() for part in sources):
        raise NotDefined("No query has a positive by any of these labels yet.")
    nouns = with_sample_note(nouns, inputs)
    nouns = nouns._replace(notes=[*nouns.notes, *parts.notes])
    return positives_result(positives_per_query(sources, groups=inputs.groups), nouns)
