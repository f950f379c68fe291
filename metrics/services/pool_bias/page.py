"""The page on a pool's bias: the kept numbers in words, rows and charts."""

from datetime import datetime
from typing import Any, NamedTuple

from annotate.core.phrases import count_of, counted
from annotate.models import Direction, Kept
from metrics.charts.charts import Chart
from metrics.charts.pool_bias import SizePoint, StrategyCurve, bias_by_size, positives_by_judged
from metrics.core.labels.label_sources import LabelSource
from metrics.services.samples.estimates import EstimateKind
from metrics.services.scores.query_groups import GroupFacts, facts_from
from pooling.models import Pool
from pooling.services.pools.queue_order import LIVE_STRATEGIES

ADVICE_STEP = 1_000  # number of last labels that the advice is about, of fewer labels a smaller one
LEAST_LABELS = 100  # from which on there is advice
SETTLED = 0.95  # share of resamples in which a settled order holds


class RunRow(NamedTuple):
    """One run: the pairs it brought, and its score and rank.

    without, rank_without : without the labels that only it brought
    """

    name: str
    n_brought: int
    judged_percent: float | None
    n_unique: int
    n_unique_positive: int
    score: float
    without: float
    rank: int
    rank_without: int

    @property
    def delta(self) -> float:
        """Change of the score without the labels that only this run brought, in points of 100."""
        return 100 * (self.without - self.score)


class LookBack(NamedTuple):
    """Effect of the last `n_labels` labels.

    n_pairs : pairs first judged by them; swaps : pairs of systems that swapped their order
    """

    n_labels: int
    n_pairs: int
    n_swaps: int
    swaps: list[tuple[str, str]]

    @property
    def swaps_text(self) -> str:
        """The number of swaps, and the pairs of systems as far as they are recorded."""
        if not self.n_swaps:
            return "none"
        pairs = "; ".join(f"{first} and {second}" for first, second in self.swaps)
        return f"{self.n_swaps:,}: {pairs}{' …' if self.n_swaps > len(self.swaps) else ''}"


class NeighbourPair(NamedTuple):
    """Two systems with neighbouring ranks.

    share : per cent of the resampled query sets in which their order holds
    """

    better: str
    worse: str
    share: float


class Advice(NamedTuple):
    """Advice whether to go on judging: `state` is undefined, changed or unchanged.

    n_last : number of last labels that it is about; n_labels : all labels
    n_unsettled : neighbours whose order these queries do not settle
    """

    state: str
    n_last: int
    n_labels: int
    look_backs: list[LookBack]
    neighbours: list[NeighbourPair]
    n_unsettled: int


class Estimate(NamedTuple):
    """An unbiased estimate and its standard error from the draw and the judging.

    None where it is not estimable.
    """

    mean: float | None
    standard_error: float | None

    def text(self, digits: int = 3) -> str:
        """The estimate and its error as printed."""
        if self.mean is None:
            return EstimateKind.NOT_ESTIMABLE.label
        error = "" if self.standard_error is None else f" ± {self.standard_error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"

    def __str__(self) -> str:
        return self.text()


class SampleRow(NamedTuple):
    """Estimates from the sample for one run.

    They are approximate of xinfAP and infNDCG, unbiased of P@k, DCG@k and RBP.
    xinfap, infndcg : None while some query has a stratum without a label
    """

    name: str
    xinfap: float | None
    infndcg: float | None
    precision: Estimate
    dcg: Estimate
    rbp: Estimate


class SamplePanel(NamedTuple):
    """Estimates from the sample, or the reason why there are none, and the pairs it rests on.

    rows : the best run by xinfAP first
    k : of P@k and DCG@k; positives : estimated number for a query, in the pool's strata
    tail : the most that ranks below the pool could add to RBP; None in an older value
    """

    rows: list[SampleRow]
    k: int
    positives: Estimate
    reason: str
    n_pooled: int
    n_drawn: int
    n_judged: int
    tail: float | None

    @property
    def drawn_text(self) -> str:
        """The number of pairs that were drawn and have a grade; empty where it is not known."""
        if not self.n_pooled:
            return ""
        return (
            f"{counted(self.n_pooled, 'pair')} in the strata, {self.n_drawn:,} drawn, "
            f"{self.n_judged:,} of them with a grade."
        )

    @property
    def positives_text(self) -> str:
        """The estimated number of positives; empty without an estimate."""
        if not self.rows or self.positives.mean is None:
            return ""
        noun = "positive" if self.positives.mean == 1 else "positives"
        return f"An estimated {self.positives} {noun} each."


class DirectionPanel(NamedTuple):
    """The bias of a pool in one direction by one measure; depth : of the results it looks at."""

    direction: Direction
    measure: str
    depth: int
    groups: GroupFacts | None
    n_queries: int
    n_labelled: int
    n_positive: int
    runs: list[RunRow]
    advice: Advice
    positives_chart: Chart
    bias_chart: Chart | None
    sample: SamplePanel | None
    is_sample: bool

    @property
    def runs_note(self) -> str:
        """The meaning of the columns of the table of runs."""
        apostrophe = "\N{RIGHT SINGLE QUOTATION MARK}"
        sentences = [
            f"On the {count_of(self.n_queries, self.direction.sources)} the pool asked about.",
            f"Brought: the run{apostrophe}s first {self.depth:,}.",
            f"Judged: how many of those have people{apostrophe}s grade, in per cent.",
            "Only here: of the judged ones, those no other run of the pool brought.",
            f"Without: {self.measure} as if these had not been judged, a reference{apostrophe}s "
            "labels kept; the other runs keep all labels.",
        ]
        if self.groups and self.groups.target:
            sentences.append(self.groups.target)
        if self.is_sample:
            sentences.append(f"{self.measure} counts as irrelevant what this sample did not draw.")
        return " ".join(sentences)

    @property
    def sampling_units(self) -> str:
        """The noun for the units that are resampled."""
        return self.groups.sampling_units if self.groups else "queries"

    @property
    def undefined_text(self) -> str:
        """The reason why there is no advice."""
        if self.groups and self.groups.are_one:
            queries = self.groups.queries
            return f"Not defined: all {queries} are of one group, and nothing is known of another."
        return (
            f"Not defined yet: it takes two runs and {LEAST_LABELS:,} labels; "
            f"there are {self.advice.n_labels:,}."
        )

    @property
    def few_text(self) -> str:
        """The caution that the last labels are few; empty where they are not."""
        n_last = self.advice.n_last
        if n_last >= ADVICE_STEP:
            return ""
        return (
            f"These are few: from {2 * ADVICE_STEP:,} labels on the advice is of the last "
            f"{ADVICE_STEP:,}. {n_last:,} labels often change no order, whether or not it is right."
        )

    @property
    def unsettled_text(self) -> str:
        """The unsettled neighbouring orders, and the means that may settle them."""
        n = self.advice.n_unsettled
        if not n:
            return "Every neighbouring order holds in at least 95 % of resamples."
        verb, pronoun = ("is", "it") if n == 1 else ("are", "them")
        return (
            f"{n} of the {len(self.advice.neighbours)} neighbouring orders below {verb} not "
            "settled by these queries anyway: more labels on the same queries may not settle "
            f"{pronoun}, more {self.sampling_units} may."
        )


class PoolBiasPage(NamedTuple):
    """The page for one measure.

    follows_labels : whether the queue's order depends on the labels, so that no pair's chance was
        known beforehand
    """

    measure: str
    measures: list[str]
    depth: int
    threshold: int
    label_source: str
    n_labels: int
    computed_at: datetime
    directions: list[DirectionPanel]
    follows_labels: bool


def page_of(*, pool: Pool, bias: Kept, measure: str | None) -> PoolBiasPage:
    """The page of a kept value for one of its measures, by default the first.

    One query, for the runs' names.
    """
    value = bias.value
    measures: list[str] = value["measures"]
    chosen_measure = measure if measure is not None and measure in measures else measures[0]
    names = dict(pool.runs.published().values_list("pk", "name"))
    return PoolBiasPage(
        measure=chosen_measure,
        measures=measures,
        depth=value["depth"],
        threshold=value["threshold"],
        label_source=LabelSource.parse(value["label_source"]).label,
        n_labels=value["n_labels"],
        computed_at=bias.computed_at,
        directions=[
            _direction_panel(
                direction_value,
                measure=chosen_measure,
                depth=value["depth"],
                names=names,
                n_labels=value["n_labels"],
            )
            for direction_value in value["directions"]
        ],
        follows_labels=pool.strategy in LIVE_STRATEGIES,
    )


def _direction_panel(
    direction_value: dict[str, Any],
    *,
    measure: str,
    depth: int,
    names: dict[int, str],
    n_labels: int,
) -> DirectionPanel:
    direction = Direction(direction_value["direction"])
    label = direction.label.lower()
    points = [
        SizePoint(row["size"], row["bias"], row["self"], row["non_self"])
        for row in direction_value["bias"][measure]
    ]
    curves = [
        StrategyCurve(
            curve["name"],
            [(n_judged, n_positive) for n_judged, n_positive in curve["points"]],
            is_live=curve["is_live"],
        )
        for curve in direction_value["curves"]
    ]
    n_labelled = direction_value["n_labelled"]
    # subsets of the runs can give other scores: two runs and labels of people exist
    has_bias = len(direction_value["runs"]) > 1 and n_labelled > 0
    bias_chart = bias_by_size(points, id=f"bias-{direction}", direction=label, measure=measure)
    return DirectionPanel(
        direction=direction,
        measure=measure,
        depth=depth,
        groups=facts_from(direction_value.get("groups")),
        n_queries=direction_value["n_queries"],
        n_labelled=direction_value["n_labelled"],
        n_positive=direction_value["n_positive"],
        runs=[_run_row(row, measure, names) for row in direction_value["runs"]],
        advice=_advice(direction_value["stop"][measure], names, n_labels),
        positives_chart=positives_by_judged(
            curves,
            id=f"found-{direction}",
            direction=label,
            n_judged_total=n_labelled,
            n_positive_total=direction_value["n_positive"],
        ),
        bias_chart=bias_chart if has_bias else None,
        sample=_sample(direction_value.get("sample"), names),
        is_sample=direction_value.get("is_sample", False),
    )


def _sample(sample: dict[str, Any] | None, names: dict[int, str]) -> SamplePanel | None:
    if sample is None:
        return None
    # an older value lacks some
    rows = [
        SampleRow(
            names.get(row["run"], "a run"),
            row["xinfAP"],
            row["infNDCG"],
            *(Estimate(**row[name]) for name in ("P", "DCG", "RBP")),
        )
        for row in sample.get("runs", [])
        if "xinfAP" in row
    ]
    positives = Estimate(**sample.get("positives", {"mean": None, "standard_error": None}))
    rows.sort(key=lambda row: (-(row.xinfap or 0), row.name))
    return SamplePanel(
        rows=rows,
        k=sample.get("k", 0),
        positives=positives,
        reason=sample.get("why", ""),
        n_pooled=sample.get("n_pooled", 0),
        n_drawn=sample.get("n_drawn", 0),
        n_judged=sample.get("n_judged", 0),
        tail=sample.get("tail"),
    )


def _run_row(row: dict[str, Any], measure: str, names: dict[int, str]) -> RunRow:
    judged_percent = 100 * row["n_judged"] / row["n_brought"] if row["n_brought"] else None
    counts = {name: row[name] for name in ("n_brought", "n_unique", "n_unique_positive")}
    return RunRow(
        name=names.get(row["run"], "a run"),
        judged_percent=judged_percent,
        **counts,
        **row["scores"][measure],
    )


def _advice(stop: dict[str, Any], names: dict[int, str], n_labels: int) -> Advice:
    def run_name(key: int) -> str:
        return names.get(key, "a run")

    look_backs = [
        LookBack(
            row["n"],
            row["n_pairs"],
            row["n_swaps"],
            [(run_name(a), run_name(b)) for a, b in row["swaps"]],
        )
        for row in stop["steps"]
    ]
    neighbours = [
        NeighbourPair(run_name(row["better"]), run_name(row["worse"]), 100 * row["share"])
        for row in stop["neighbours"]
    ]
    # half of the labels at most: nearly none order the runs by chance
    steps = [step for step in look_backs if step.n_labels <= min(ADVICE_STEP, n_labels / 2)]
    last_step = steps[-1] if steps else None
    state = "undefined"
    if last_step is not None and neighbours and n_labels >= LEAST_LABELS:
        state = "changed" if last_step.n_swaps else "unchanged"
    n_unsettled = sum(row.share < 100 * SETTLED for row in neighbours)
    n_last = ADVICE_STEP if last_step is None else last_step.n_labels
    return Advice(state, n_last, n_labels, look_backs, neighbours, n_unsettled)
