"""What the explorer shows, as its address says it."""

from typing import NamedTuple

from django.db import models

from annotate.models import Direction, QuerySet, ReferenceSet
from metrics.core.label_sources import LabelSource
from pooling.models import Run

DEPTHS = (5, 10, 20, 50, 100)
MAX_RUNS = 6  # side by side, where nobody chose others


class Order(models.TextChoices):
    """Which query comes first."""

    LOADED = "loaded", "As loaded"
    RANDOM = "random", "Random"
    DISAGREED = "disagreed", "Most disagreed"
    GAINED = "gained", "Most gained"
    UNJUDGED = "unjudged", "Unjudged at the top"


class Show(models.TextChoices):
    """Which results of the runs are shown."""

    ALL = "all", "All results"
    UNJUDGED = "unjudged", "Only unjudged"
    DISAGREED = "disagreed", "Only where people disagree"
    DIFFERING = "differing", "Only where reference and people differ"


class Asked(NamedTuple):
    """One page of the explorer.

    query_set : None where the collection has none in this direction
    label_source : what scores are computed with; reference_set : the one set it takes, None where there is none
    offered, runs : the runs that may be shown, and those that are
    query : the id of the query to show; empty for the first one in the order
    search : words to look for among the queries; empty for none
    """

    direction: Direction
    query_set: QuerySet | None
    label_source: LabelSource
    reference_set: ReferenceSet | None
    offered: list[Run]
    runs: list[Run]
    depth: int
    show: Show
    order: Order
    measure: str
    seed: int
    query: str
    search: str
