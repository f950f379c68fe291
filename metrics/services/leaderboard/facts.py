"""Numbers of a leaderboard as JSON, alike for measured tables and tables of stored scores."""

from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection
from metrics.core.measures.measures import Measure
from metrics.core.statistics.groups import Design, Groups, design
from metrics.services.samples.estimates import EstimateKind
from metrics.services.scores.labels import EvaluationScope
from metrics.services.scores.query_groups import facts_of

_UNDECIDED = {
    EstimateKind.APPROXIMATE: "an approximate estimate, whose bias tells no runs apart",
    EstimateKind.NOT_ESTIMABLE: "it counts what a sample did not draw as irrelevant",
}
JUDGED_AT = 10  # where a measure has no cut-off of its own


def judged_at(measure: Measure) -> int:
    """Return the k of the judged share beside a measure."""
    has_ranks = measure.cutoff is not None and measure.entry.cutoff != "recall"
    return int(measure.cutoff) if has_ranks and measure.cutoff else JUDGED_AT


def facts_on_samples(facts: dict[str, Any], *, kind: EstimateKind) -> dict[str, Any]:
    """Drop a measure's numbers that are undefined if some of its ranks were not drawn."""
    facts |= {"kind": kind}
    if kind == EstimateKind.EXACT:
        return facts
    blanks = dict.fromkeys(("least", "most", "defined"))
    if kind == EstimateKind.UNBIASED:
        decision = facts["decided"]
        if any(cell["whole"] is None for cell in facts["cells"]):
            decision = {
                "why": "a stratum of which nothing is judged yet",
                "groups": [],
                "pairs": [],
            }
        return facts | {"cells": [cell | blanks for cell in facts["cells"]], "decided": decision}
    blanks |= dict.fromkeys(("low", "high", "icc", "deff"))
    decision = {"why": _UNDECIDED[kind], "groups": [], "pairs": []}
    return facts | {"cells": [cell | blanks for cell in facts["cells"]], "decided": decision}


def gallery_facts(n: int | None, at: datetime | None) -> dict[str, Any]:
    """The gallery as JSON: the number of targets, and when the last of them joined."""
    return {"n": n, "at": at.isoformat() if at else None}


def group_facts(*, collection: Collection, scope: EvaluationScope) -> dict[str, Any]:
    """The groups of the queries as JSON."""
    return facts_of(
        collection=collection, direction=scope.direction, sources=scope.sources
    )._asdict()


def design_facts(
    measure: Measure, values: NDArray[np.float64], groups: Groups
) -> dict[str, float | None]:
    """Intraclass correlation and design effect of one run's values, as JSON.

    Null for a median or if undefined.
    """
    is_defined = measure.is_mean and np.isfinite(values).all()
    return (design(values, groups) if is_defined else Design(None, None))._asdict()
