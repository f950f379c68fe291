"""The table of pairs, grades, labels and agreement by pool, and the chart of alpha."""

from collections import Counter
from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.axes import WRAPPED
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, share_text
from metrics.core.analyses.labels.by_pool import PairAgreement, PairOutcome, PoolLabels
from metrics.core.statistics.intervals import Interval

FEWEST = 30  # pairs with two planned labels that a headline tells the agreement of
MOST_POOLS = 20  # with a line of the chart
IMPORT = "import"  # a kind of which names may be those of pools
EVERYTHING, OUTSIDE = "Everything", "In no pool"
COLUMNS = [
    Column("pool", "Pool"),
    Column("kind", "Kind"),
    Column("n_pairs", "Pairs"),
    Column("n_graded", "With a grade"),
    Column("graded", "With a grade, %", 1),
    Column("n_relevant", "Relevant"),
    Column("relevant", "Relevant, % of those with a grade", 2),
    Column("n_irrelevant", "Irrelevant"),
    Column("n_disputed", "Disputed"),
    Column("disputed", "Disputed, %", 3),
    Column("n_escalated", "Escalated"),
    Column("n_waiting", "Waiting for another label"),
    Column("n_unlabelled", "Without a label"),
    Column("n_labels", "Labels"),
    Column("labels_a_pair", "Labels a pair", 3),
    Column("n_own_labels", "Labels that it asked for"),
    Column("n_program_labels", "Labels by programs"),
    Column("n_planned", "Pairs with two or more planned labels"),
    Column("unanimous", "Agreement, %", 1),
    Column("unanimous_low", "Agreement from", 1),
    Column("unanimous_high", "Agreement to", 1),
    Column("alpha", "Alpha", 3),
    Column("alpha_low", "Alpha from", 3),
    Column("alpha_high", "Alpha to", 3),
    Column("n_several", "Pairs with two labels, all"),
    Column("unanimous_all", "Agreement of all labels, %", 1),
    Column("alpha_all", "Alpha of all labels", 3),
]


def by_pool_result(
    pools: Sequence[PoolLabels], *, threshold: int, level: str, groups: str, notes: Sequence[str]
) -> AnalysisResult:
    """A row for each pool and import, and last for everything in the collection.

    threshold : the smallest grade of a relevant one
    level : of measurement of alpha; groups : what its intervals draw, in the plural
    """
    everything = pools[-1]
    n_of_kind = Counter(pool.kind for pool in pools if pool.kind)
    return AnalysisResult(
        headline=_headline(everything),
        reading=(
            "A row for each pool and import: all labels of its pairs count, whoever asked for "
            "them; those that the pool itself asked for have a column. Relevant is a grade from "
            f"{threshold} up. Agreement: of pairs with two planned labels or more, the share "
            f"whose planned labels are all equal. Alpha: Krippendorff's on the {level} level, of "
            "the same labels. Planned are first labels and doubles; a third one that a "
            "disagreement asked for is among all labels alone. Golds, training, repeats and "
            "labels that were taken back are not counted. Of a pair without a label nothing is "
            f"known. From, to: 95 % intervals, by {groups}."
        ),
        extent=(
            f"{counted(everything.n_labels, 'label')} of {counted(everything.n_pairs, 'pair')}; "
            + " and ".join(counted(n, kind) for kind, n in sorted(n_of_kind.items(), reverse=True))
        ),
        columns=COLUMNS,
        rows=[_row(pool) for pool in pools],
        spec=_alphas(pools),
        notes=list(notes),
    )


def _row(pool: PoolLabels) -> list[Cell]:
    n = pool.n_by_outcome
    n_graded = n[PairOutcome.GRADED]
    return [
        pool.name,
        pool.kind,
        pool.n_pairs,
        n_graded,
        _per_cent(n_graded, pool.n_pairs),
        pool.n_positive,
        _per_cent(pool.n_positive, n_graded),
        n_graded - pool.n_positive,
        n[PairOutcome.DISPUTED],
        _per_cent(n[PairOutcome.DISPUTED], pool.n_pairs),
        n[PairOutcome.ESCALATED],
        n[PairOutcome.WAITING],
        n[PairOutcome.UNLABELLED],
        pool.n_labels,
        pool.n_labels / pool.n_pairs if pool.n_pairs else None,
        pool.n_own_labels,
        pool.n_program_labels,
        pool.planned.n_pairs,
        _hundred(pool.planned.unanimous),
        *pool.planned.interval.per_cent,
        pool.planned.alpha.value,
        pool.planned.alpha.low,
        pool.planned.alpha.high,
        pool.whole.n_pairs,
        _hundred(pool.whole.unanimous),
        pool.whole.alpha.value,
    ]


def _per_cent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _hundred(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _headline(everything: PoolLabels) -> str:
    """The shares of pairs with a grade and of relevant ones; agreement where there is enough."""
    n_graded = everything.n_by_outcome[PairOutcome.GRADED]
    share = _per_cent(n_graded, everything.n_pairs) or 0.0
    sentence = f"{n_graded:,} of {counted(everything.n_pairs, 'pair')} ({share:.1f} %) have a grade"
    if n_graded == 1:
        sentence = sentence.replace(" have ", " has ")
    if n_graded:
        relevant = 100 * everything.n_positive / n_graded
        sentence += f", {everything.n_positive:,} of them ({relevant:.1f} %) a relevant one"
    return f"{sentence}; {_agreement(everything.planned)}"


def _agreement(planned: PairAgreement) -> str:
    """Agreement in words; of fewer pairs than FEWEST how many there are."""
    if planned.unanimous is None or planned.n_pairs < FEWEST:
        verb = "has" if planned.n_pairs == 1 else "have"
        return f"{counted(planned.n_pairs, 'pair')} {verb} two or more planned labels"
    share = share_text(planned.unanimous, planned.interval)
    sentence = f"in {share} of the {planned.n_pairs:,} with two or more planned labels all agree"
    if planned.alpha.value is None:
        return sentence
    interval = Interval(planned.alpha.low, planned.alpha.high)
    return f"{sentence}, alpha is {planned.alpha.value:z.2f} ({interval_text(interval, digits=2)})"


def _alphas(pools: Sequence[PoolLabels]) -> Spec | None:
    """Alpha with its interval, a line a pool; none where fewer than two parts have one."""
    parts = [
        pool
        for pool in (*pools[:-1][:MOST_POOLS], pools[-1])
        if pool.planned.alpha.value is not None
    ]
    if len(parts) < 2:
        return None
    values = [
        {
            "pool": f"{pool.name} ({pool.kind})" if pool.kind == IMPORT else pool.name,
            "alpha": pool.planned.alpha.value,
            "low": pool.planned.alpha.low,
            "high": pool.planned.alpha.high,
            "n": pool.planned.n_pairs,
        }
        for pool in parts
    ]
    y: Spec = {"field": "pool", "type": "nominal", "title": None, "sort": None}
    y |= {"axis": WRAPPED}
    x: Spec = {"type": "quantitative", "title": "Alpha", "scale": {"zero": False}}
    tooltip = [
        tooltip_row("pool", "Pool"),
        tooltip_row("alpha", "Alpha", ".3f"),
        tooltip_row("low", "From", ".3f"),
        tooltip_row("high", "To", ".3f"),
        tooltip_row("n", "Pairs", ",d"),
    ]
    return {
        "data": {"values": values},
        "height": {"step": 34},
        "encoding": {"y": y, "tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": "@ink-3"},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "color": "@blue", "size": 80},
                "encoding": {"x": x | {"field": "alpha"}},
            },
            {
                "mark": {"type": "text", "dy": -11},
                "encoding": {"x": x | {"field": "alpha"}}
                | {"text": {"field": "alpha", "format": ".3f"}},
            },
        ],
    }
