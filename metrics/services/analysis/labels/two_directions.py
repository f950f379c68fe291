"""The labels of both directions of a query set's name: by people, and by every reference set."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from annotate.models import Direction, QuerySet, ReferenceSet
from annotate.services.storage.number_arrays import copied_columns
from metrics.core.labels.label_sources import Grades, LabelSource, People, sorted_grades
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.inputs import direction_inputs, people_parts_of
from metrics.services.analysis.measures.system_runs import in_other_direction
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.scores import labels
from metrics.services.scores.labels import PeopleParts

MOST_SETS = 12  # of reference sets with a row of their own
_REFERENCE_LABELS = """
    SELECT reference_label.reference_set_id::bigint, reference_label.query_id::bigint,
           reference_label.document_id::bigint, reference_label.grade::bigint
    FROM annotate_referencelabel reference_label
    JOIN annotate_referenceset reference_set ON reference_set.id = reference_label.reference_set_id
    WHERE reference_set.collection_id = %s
"""


class DirectionLabels(NamedTuple):
    """The labels of one direction, within its scope.

    inputs : with people's labels, whatever is chosen
    references : of every reference set by name, the oldest first
    """

    inputs: DirectionInputs
    people: PeopleParts
    references: dict[str, Grades]

    @property
    def title(self) -> str:
        """The direction as pages name it."""
        return str(self.inputs.scope.direction.label)


class TwoDirections(NamedTuple):
    """The labels of the chosen direction, and after it of the other one if it has queries.

    notes : a sentence on the other one, where the collection has it under other names alone
    """

    directions: list[DirectionLabels]
    notes: list[str]

    @property
    def set_names(self) -> list[str]:
        """The names of all reference sets, the oldest first."""
        return list(self.directions[0].references)


def labels_by_direction(request: AnalysisRequest) -> TwoDirections:
    """Read the labels of both directions; raises NotDefined without queries of the chosen one."""
    named_sets = LabelSource.parse(request.spec.scores.label_source).sets
    scores = replace(request.spec.scores, label_source=People.ONLY)
    request = request._replace(spec=replace(request.spec, scores=scores))
    inputs_of_directions, notes = [direction_inputs(request)], []
    other = in_other_direction(request)
    try:
        inputs_of_directions.append(direction_inputs(other))
    except NotDefined:
        direction = Direction(other.spec.direction)
        query_sets = QuerySet.objects.filter(collection=request.collection, direction=direction)
        if query_sets.exists():
            notes.append(
                f"{direction.label} is not shown: the query set “{scores.query_set}” has none of "
                f"its {direction.sources}."
            )
    rows = copied_columns(
        _REFERENCE_LABELS, ("set", "query", "document", "grade"), [request.collection.pk]
    )
    sets = ReferenceSet.objects.usual() | ReferenceSet.objects.filter(name__in=named_sets)
    sets = sets.filter(collection=request.collection).order_by("pk")
    keys = dict(sets.values_list("name", "pk"))
    directions = []
    for inputs in inputs_of_directions:
        columns = (*labels.ends(inputs.scope.direction), "grade")
        table = np.stack([rows[column] for column in columns], axis=1)
        references = {
            name: labels.within(sorted_grades(table[rows["set"] == key]), inputs.scope)
            for name, key in keys.items()
        }
        directions.append(DirectionLabels(inputs, people_parts_of(inputs), references))
    return TwoDirections(directions, notes)


def all_sets_text(names: list[str]) -> str:
    """All of the reference sets in words, or their number where it is large."""
    if len(names) > MOST_SETS:
        return f"all {len(names):,} reference sets"
    return LabelSource.of(People.NONE, names).sets_text
