"""The ceiling of people on the leaderboard, from the kept analysis of people as systems."""

from dataclasses import replace

from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.models import Collection, Direction
from metrics.charts.analyses.pool.people import EVERYONE
from metrics.core.labels.label_sources import People
from metrics.services.analysis.choices import KIND, AnalysisSpec
from metrics.services.analysis.computation import look
from metrics.services.analysis.labels.label_columns import PROGRAMS
from metrics.services.leaderboard.ceilings import FEWEST, Ceiling, can_have_ceiling
from metrics.services.leaderboard.choices.choices import Choices

ANALYSIS = "people-as-systems"


def ceiling_of(*, collection: Collection, choices: Choices) -> Ceiling | None:
    """The precision of a person by the others' labels, as it was last computed; six queries.

    None where no measure has a ceiling, before it is computed, without pairs that two people
    labelled, of fewer than 30 positive labels, and where a model or a simulation is among them.
    """
    if not can_have_ceiling(choices):
        return None
    spec = ceiling_spec(choices)
    (answer,) = look(collection=collection, specs=[spec], runs=[])
    if answer is None or answer.result is None:
        return None
    keys = [column.key for column in answer.result.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in answer.result.rows]
    marks = tuple(f"({origin})" for origin in PROGRAMS)
    if any(str(row["annotator"]).endswith(marks) for row in rows):
        return None
    (whole,) = (row for row in rows if row["annotator"] == EVERYONE)
    n_positive = int(whole["n_positive"] or 0)
    shares = [whole[key] for key in ("precision", "precision_low", "precision_high")]
    numbers = [100 * share for share in shares if isinstance(share, int | float)]
    if n_positive < FEWEST or len(numbers) < len(shares):
        return None
    value, low, high = numbers
    moment = date_format(localtime(answer.computed_at), "j F Y H:i:s")
    age = f" As of {moment} UTC: labels have changed since." if answer.is_stale else ""
    return Ceiling(
        value, low, high, n_positive=n_positive, age=age, has_marks=not choices.source.sets
    )


def ceiling_spec(choices: Choices) -> AnalysisSpec:
    """The analysis that the room shows for the same threshold, so that it is computed once."""
    scores = replace(
        choices.spec,
        kind=KIND,
        measures=(),
        label_source=People.ONLY,
        people="",
        query_set="",
        judged_only=False,
        words=(None, None),
        method="",
        runs=(),
        missing="",
        target="",
    )
    return AnalysisSpec(ANALYSIS, Direction.FORWARD, scores)
