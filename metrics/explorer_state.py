"""The state of the explorer: the choices in its address."""

from typing import NamedTuple

from django.db import models

from annotate.core.phrases import counted
from annotate.models import Direction, QuerySet, ReferenceSet
from metrics.core.labels.label_sources import LabelSource
from pooling.models import Run

DEPTHS = (5, 10, 20, 50, 100)
MAX_RUNS = 6  # side by side by default


class QueryOrder(models.TextChoices):
    """Order of the queries."""

    LOADED = "loaded", "In the order of the file"
    RANDOM = "random", "Random"
    DISAGREED = "disagreed", "Most disagreed"
    GAINED = "gained", "Raised most by people's labels"
    UNJUDGED = "unjudged", "Unjudged at the top"


class ResultFilter(models.TextChoices):
    """Filter of the runs' results."""

    ALL = "all", "All results"
    UNJUDGED = "unjudged", "Only unjudged"
    DISAGREED = "disagreed", "Only where people disagree"
    DIFFERING = "differing", "Only where reference and people differ"


class ExplorerState(NamedTuple):
    """The choices of one page of the explorer.

    query_set : None where the collection has none in this direction
    label_source : of the scores; reference_set : the only set of the source, None where it has none
    available_runs, runs : the runs that the viewer may choose, and those shown
    query_id : of the query to show; empty for the first one in the order
    search : words to look for among the queries; empty for none
    truth_set : the known truth of a rehearsal, where it is to be shown
    """

    direction: Direction
    query_set: QuerySet | None
    label_source: LabelSource
    reference_set: ReferenceSet | None
    available_runs: list[Run]
    runs: list[Run]
    depth: int
    result_filter: ResultFilter
    order: QueryOrder
    measure: str
    seed: int
    query_id: str
    search: str
    truth_set: ReferenceSet | None = None

    @property
    def summary(self) -> str:
        """The choices in few words."""
        n_runs = len(self.runs)
        parts = [
            f"Top {self.depth}",
            counted(n_runs, "run"),
            f"reference “{self.reference_set.name}”" if self.reference_set else "",
            str(self.result_filter.label).lower(),
            "known truth" if self.truth_set else "",
        ]
        return " · ".join(part for part in parts if part)

    @property
    def unknown_id_text(self) -> str:
        """A sentence for an id that no query has."""
        name = self.query_set.name if self.query_set else ""
        return (
            f"Query set “{name}” holds no query with the id “{self.query_id}”; look for it by its "
            "words."
        )

    @property
    def outside_text(self) -> str:
        """A sentence for an item that the query set does not hold."""
        if self.query_set is None:
            return "There is no query set in this direction, so no results for it stand here."
        return (
            f"Query set “{self.query_set.name}” does not hold it: no run is scored on it there, "
            "and no results for it stand here. A query set that lists it brings them."
        )

    @property
    def ranks_text(self) -> str:
        """The labels that ranks, and the edges of results, go by."""
        labels = " with people's labels over the reference" if self.reference_set else ""
        return (
            "Ranks count only targets that the scores count. A green edge: "
            f"positive{labels}; a dashed one: unjudged."
        )

    @property
    def scores_text(self) -> str:
        """The labels that the scores of the query are computed with."""
        labels = (
            f"A (B + C): with people's labels over reference “{self.reference_set.name}”, with "
            "that reference alone, and the difference"
            if self.reference_set
            else "with people's labels"
        )
        return f"In per cent, {labels}; as last computed in the background."

    @property
    def order_text(self) -> str:
        """The order of the queries, with the measure if it depends on one."""
        measure = f" ({self.measure})" if self.order == QueryOrder.GAINED else ""
        return f"{str(self.order.label).lower()}{measure}"
