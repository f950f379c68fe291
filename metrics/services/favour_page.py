"""The page on what a pool favours: a snapshot's numbers in words, rows and charts."""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.models import Direction
from metrics.charts import Chart
from metrics.core.label_sources import LabelSource
from metrics.models import Snapshot
from metrics.pool_charts import Line, SizePoint, bias_by_size, found_by_spent
from metrics.services.query_groups import GroupFacts, facts_from
from pooling.models import Pool
from pooling.services.ordering import LIVE

ADVICE_STEP = 1_000  # labels back that the advice speaks of
SURE = 0.95


class RunRow(NamedTuple):
    """One run: what it brought, and its score and place with and without what only it brought."""

    name: str
    n_brought: int
    judged: float | None
    n_unique: int
    n_unique_positive: int
    score: float
    without: float
    rank: int
    rank_without: int

    @property
    def delta(self) -> float:
        """By how much the score falls without its own finds, in points of 100."""
        return 100 * (self.without - self.score)


class Step(NamedTuple):
    """What the last `n` labels changed: pairs first judged by them, pairs of systems that stand otherwise since."""

    n: int
    n_pairs: int
    n_swaps: int
    swaps: list[tuple[str, str]]


class Neighbours(NamedTuple):
    """Two systems that follow each other, and in how many per cent of resampled query sets they do so."""

    better: str
    worse: str
    share: float


class Advice(NamedTuple):
    """Whether to go on: `state` is undefined, changed or unchanged.

    n : labels back it speaks of; n_labels : labels there are; unsure : neighbours whose order is not settled anyway
    """

    state: str
    n: int
    n_labels: int
    steps: list[Step]
    neighbours: list[Neighbours]
    unsure: int


class Estimate(NamedTuple):
    """An unbiased estimate and its standard error from the draw and the judging; None where it cannot be told."""

    mean: float | None
    standard_error: float | None

    def text(self, digits: int = 3) -> str:
        """As it is printed."""
        if self.mean is None:
            return "not estimable"
        error = "" if self.standard_error is None else f" ± {self.standard_error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"

    __str__ = text


class SampleRow(NamedTuple):
    """What the sample says of one run: approximate xinfAP and infNDCG, unbiased P@k, DCG@k and RBP.

    xinfap, infndcg : None while some query has a stratum without a label
    """

    name: str
    xinfap: float | None
    infndcg: float | None
    precision: Estimate
    dcg: Estimate
    rbp: Estimate


class Sample(NamedTuple):
    """What the sample says of the runs, best by xinfAP first, or why it says nothing, and the pairs it rests on.

    k : of P@k and DCG@k; positives : of a query, in the pool's strata
    tail : what the ranks below the pool could add to RBP; None of an older study
    """

    rows: list[SampleRow]
    k: int
    positives: Estimate
    why: str
    n_pooled: int
    n_drawn: int
    n_judged: int
    tail: float | None


class Part(NamedTuple):
    """One direction of the pool."""

    direction: Direction
    groups: GroupFacts | None
    n_queries: int
    n_labelled: int
    n_positive: int
    runs: list[RunRow]
    advice: Advice
    found: Chart
    bias: Chart | None
    sample: Sample | None
    is_sample: bool


class Page(NamedTuple):
    """All of it, for one measure.

    follows_labels : whether the queue's order follows the labels, so that no pair had a chance known beforehand
    """

    measure: str
    measures: list[str]
    depth: int
    threshold: int
    label_source: str
    n_labels: int
    computed_at: datetime
    parts: list[Part]
    follows_labels: bool


def page_of(*, pool: Pool, snapshot: Snapshot, measure: str | None) -> Page:
    """The numbers of a snapshot for one of its measures, by default the first. One query, for the runs' names."""
    value = snapshot.value
    chosen = measure if measure in value["measures"] else value["measures"][0]
    names = dict(pool.runs.published().values_list("pk", "name"))
    return Page(
        measure=chosen,
        measures=value["measures"],
        depth=value["depth"],
        threshold=value["threshold"],
        label_source=LabelSource.parse(value["label_source"]).label,
        n_labels=value["n_labels"],
        computed_at=snapshot.computed_at,
        parts=[_part(side, chosen, names, value["n_labels"]) for side in value["directions"]],
        follows_labels=pool.strategy in LIVE,
    )


def _part(side: dict[str, Any], measure: str, names: dict[int, str], n_labels: int) -> Part:
    direction = Direction(side["direction"])
    label = direction.label.lower()
    sizes = [SizePoint(row["size"], row["bias"], row["self"], row["non_self"]) for row in side["bias"][measure]]
    lines = [
        Line(curve["name"], [(spent, found) for spent, found in curve["points"]], is_live=curve["is_live"])
        for curve in side["curves"]
    ]
    n_spent = side["n_labelled"]
    bias = bias_by_size(sizes, id=f"bias-{direction}", direction=label, measure=measure)
    return Part(
        direction=direction,
        groups=facts_from(side.get("groups")),
        n_queries=side["n_queries"],
        n_labelled=side["n_labelled"],
        n_positive=side["n_positive"],
        runs=[_row(row, measure, names) for row in side["runs"]],
        advice=_advice(side["stop"][measure], names, n_labels),
        found=found_by_spent(
            lines, id=f"found-{direction}", direction=label, n_spent=n_spent, n_found=side["n_positive"]
        ),
        bias=bias if _can_differ(side) else None,
        sample=_sample(side.get("sample"), names),
        is_sample=side.get("is_sample", False),
    )


def _sample(told: dict[str, Any] | None, names: dict[int, str]) -> Sample | None:
    if told is None:
        return None
    rows = [_sample_row(row, names) for row in told.get("runs", []) if "xinfAP" in row]  # an older study has less
    counts = (told.get(name, 0) for name in ("n_pooled", "n_drawn", "n_judged"))
    positives = Estimate(**told.get("positives", {"mean": None, "standard_error": None}))
    rows.sort(key=lambda row: (-(row.xinfap or 0), row.name))
    return Sample(rows, told.get("k", 0), positives, told.get("why", ""), *counts, told.get("tail"))


def _sample_row(row: dict[str, Any], names: dict[int, str]) -> SampleRow:
    sums = (Estimate(**row[name]) for name in ("P", "DCG", "RBP"))
    return SampleRow(names.get(row["run"], "a run"), row["xinfAP"], row["infNDCG"], *sums)


def _can_differ(side: dict[str, Any]) -> bool:
    """Whether subsets of the runs could give other scores: there are two runs and labels of people."""
    return len(side["runs"]) > 1 and side["n_labelled"] > 0


def _row(row: dict[str, Any], measure: str, names: dict[int, str]) -> RunRow:
    judged = 100 * row["n_judged"] / row["n_brought"] if row["n_brought"] else None
    own = {name: row[name] for name in ("n_brought", "n_unique", "n_unique_positive")}
    return RunRow(name=names.get(row["run"], "a run"), judged=judged, **own, **row["scores"][measure])


def _advice(stop: dict[str, Any], names: dict[int, str], n_labels: int) -> Advice:
    def name(key: int) -> str:
        return names.get(key, "a run")

    steps = [
        Step(row["n"], row["n_pairs"], row["n_swaps"], [(name(a), name(b)) for a, b in row["swaps"]])
        for row in stop["steps"]
    ]
    neighbours = [Neighbours(name(row["better"]), name(row["worse"]), 100 * row["share"]) for row in stop["neighbours"]]
    asked = next((step for step in steps if step.n == ADVICE_STEP), None)
    state = "undefined"
    if asked is not None and neighbours:
        state = "changed" if asked.n_swaps else "unchanged"
    unsure = sum(row.share < 100 * SURE for row in neighbours)
    return Advice(state, ADVICE_STEP, n_labels, steps, neighbours, unsure)
