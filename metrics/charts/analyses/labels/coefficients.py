"""The table and chart of the coefficients of agreement that papers print."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.labels.alpha_marks import AlphaMarks
from annotate.core.phrases import counted
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, share_text
from metrics.core.agreement.agreement import Alpha, MeasurementLevel
from metrics.core.analyses.labels.coefficients import (
    AgreementCoefficients,
    GoldShares,
    MeanCohenKappa,
    PartCoefficients,
)
from metrics.core.statistics.intervals import NO_INTERVAL, Interval

FEWEST = 30  # pairs with two labels, of which a headline tells a number
PLANNED, WHOLE, GOLDS = "Planned labels", "All labels", "Gold checks"
CHANCE, PLAIN = "corrected for chance", "share"
COLUMNS = [
    Column("labels", "Labels"),
    Column("coefficient", "Coefficient"),
    Column("kind", "Kind"),
    Column("value", "Value", 3),
    Column("low", "From", 3),
    Column("high", "To", 3),
    Column("n", "Of how many"),
    Column("counted", "Counted"),
]


class AgreementScheme(NamedTuple):
    """The scheme of the labels.

    level : of measurement; threshold : the smallest grade of a relevant one
    drawn_units : unit intervals draw, in the plural; marks : that coefficients are held to
    """

    level: str
    threshold: int
    drawn_units: str
    marks: AlphaMarks


TOOLTIP = [
    tooltip_row("labels", "Labels"),
    tooltip_row("coefficient", "Coefficient"),
    tooltip_row("value", "Value", ".3f"),
    tooltip_row("low", "From", ".3f"),
    tooltip_row("high", "To", ".3f"),
    tooltip_row("n", "Of", ",d"),
]


def coefficients_result(
    agreement: AgreementCoefficients,
    golds: GoldShares | None,
    scheme: AgreementScheme,
    *,
    n_labels: int,
    n_planned: int,
    notes: Sequence[str],
) -> AnalysisResult:
    """A row for each coefficient of planned labels, of all, of all by their number, and of golds.

    n_labels, n_planned : labels that count, and planned ones
    """
    rows = [
        *_part_rows(PLANNED, agreement.planned, scheme.level),
        *_part_rows(WHOLE, agreement.whole, scheme.level),
        *_number_rows(agreement, scheme.level),
        *_gold_rows(golds),
    ]
    n_pairs = agreement.whole.percent.n_units
    return AnalysisResult(
        headline=_headline(agreement.planned, scheme.level),
        reading=(
            "Planned are first labels and doubles, asked for whatever others said; a third one "
            "that a disagreement asked for is among all labels alone, and moves agreement. "
            "Coefficients corrected for chance are 1 where all agree and 0 where people agree no "
            "more than by chance; shares are not corrected. The lines stand at "
            f"{scheme.marks.names_text}, which are no tests: compare them with the interval's "
            f"lower end. From, to: 95 % intervals, by {scheme.drawn_units}; of golds, by single "
            f"answers. Right on a gold is an answer on its side of grade {scheme.threshold}. "
            "Pairs with one label tell nothing here."
        ),
        extent=(
            f"{counted(n_labels, 'label')}, {n_planned:,} of them planned; "
            f"{counted(n_pairs, 'pair')} with two or more"
        ),
        columns=COLUMNS,
        rows=rows,
        spec=_dots(rows, scheme.marks),
        notes=[
            *notes,
            "Cohen's kappa is that of each two annotators, averaged by the pairs that they have in "
            "common: a mean by pairs of annotators would rest on those with hardly any.",
            *notes_on_kappa(agreement.whole.cohen),
            *([] if golds else ["No gold check has been answered that counts."]),
        ],
    )


def notes_on_kappa(kappa: MeanCohenKappa) -> list[str]:
    """A sentence on the labels of annotators without a kappa, if there are such."""
    if not kappa.n_left_out:
        return []
    return [
        f"Left out of Cohen's kappa: {counted(kappa.n_left_out, 'common pair')} of annotators who "
        "both used one grade alone on their pairs, which has no kappa, though they agree there."
    ]


def _part_rows(name: str, part: PartCoefficients, level: str) -> list[list[Cell]]:
    percent, n_pairs = part.percent, part.percent.n_units
    pairs = "pairs with two labels or more"
    rows: list[list[Cell]] = [_alpha_row(name, f"Krippendorff's alpha, {level}", part.alpha, pairs)]
    if level != MeasurementLevel.NOMINAL:
        rows.append(_alpha_row(name, "Krippendorff's alpha, nominal", part.nominal, pairs))
    if (fleiss := part.fleiss) is not None:
        labels = f"pairs with exactly {fleiss.n_labels} labels"
        rows.append(
            [name, "Fleiss' kappa", CHANCE, fleiss.value, *fleiss.interval, fleiss.n_pairs, labels]
        )
    rows.append(_cohen_row(name, "Cohen's kappa, mean", part.cohen))
    if part.weighted_cohen is not None:
        title = "Cohen's kappa, quadratic weights, mean"
        rows.append(_cohen_row(name, title, part.weighted_cohen))
    shares = (
        ("All labels of a pair equal", percent.unanimous_units, part.unanimous_interval),
        ("Equal pairs of labels, mean of pairs", percent.mean_of_units, NO_INTERVAL),
        ("Equal pairs of labels, by labels", percent.observed, NO_INTERVAL),
    )
    return rows + [
        [name, title, PLAIN, share, *interval, n_pairs, pairs] for title, share, interval in shares
    ]


def _alpha_row(name: str, title: str, alpha: Alpha, unit: str) -> list[Cell]:
    return [name, title, CHANCE, alpha.value, alpha.low, alpha.high, alpha.n_pairable_units, unit]


def _cohen_row(name: str, title: str, kappa: MeanCohenKappa) -> list[Cell]:
    unit = f"common pairs of {counted(kappa.n_people, 'pair')} of annotators"
    return [name, title, CHANCE, kappa.value, *kappa.interval, kappa.n_pairs, unit]


def _number_rows(agreement: AgreementCoefficients, level: str) -> list[list[Cell]]:
    """Alpha and unanimity of all labels by their number; none where all pairs have as many."""
    rows: list[list[Cell]] = []
    if len(agreement.by_number) < 2:
        return rows
    for part, interval in zip(agreement.by_number, agreement.unanimous_intervals, strict=True):
        name, unit = f"All labels of pairs with {part.key}", f"pairs with {part.key} labels"
        n_pairs, share = part.percent.n_units, part.percent.unanimous_units
        rows += [
            _alpha_row(name, f"Krippendorff's alpha, {level}", part.alpha, unit),
            [name, "All labels of a pair equal", PLAIN, share, *interval, n_pairs, unit],
        ]
    return rows


def _gold_rows(golds: GoldShares | None) -> list[list[Cell]]:
    if golds is None:
        return []
    share, unit = golds.n_right / golds.n, "answers to gold checks in use"
    spread = f"annotators, from {golds.least:.3f} to {golds.most:.3f}"
    title = "Right answers, mean of annotators"
    return [
        [GOLDS, "Right answers", PLAIN, share, *golds.interval, golds.n, unit],
        [GOLDS, title, PLAIN, golds.mean, None, None, golds.n_annotators, spread],
    ]


def _headline(planned: PartCoefficients, level: str) -> str:
    """Alpha and the share of equal pairs of planned labels; of few how many there are."""
    n, share, alpha = planned.percent.n_units, planned.percent.unanimous_units, planned.alpha
    if share is None or n < FEWEST:
        verb = "has" if n == 1 else "have"
        return (
            f"{counted(n, 'pair')} {verb} two planned labels or more: too few to tell how people "
            "agree"
        )
    equal = (
        f"all planned labels are equal on {share_text(share, planned.unanimous_interval)} of "
        f"{n:,} pairs with two or more"
    )
    if alpha.value is None:
        return f"Alpha is not defined, as all labels have the same grade; {equal}"
    interval = interval_text(Interval(alpha.low, alpha.high), digits=2)
    return f"Alpha of planned labels is {alpha.value:z.2f}, {level} ({interval}); {equal}"


def _dots(rows: Sequence[Sequence[Cell]], marks: AlphaMarks) -> Spec | None:
    """Coefficients with their intervals, a line each: planned labels, all labels, golds."""
    values = [
        {"labels": row[0], "coefficient": row[1], "value": row[3], "low": row[4], "high": row[5]}
        | {"n": row[6], "kind": row[2]}
        for row in rows
        if row[0] in (PLANNED, WHOLE, GOLDS) and row[3] is not None
    ]
    if not values:
        return None
    names = [name for name in (PLANNED, WHOLE, GOLDS) if any(v["labels"] == name for v in values)]
    y: Spec = {"field": "coefficient", "type": "nominal", "title": None, "sort": None}
    y |= {"axis": {"labelLimit": 150, "labelExpr": "split(datum.label, ', ')", "grid": True}}
    x: Spec = {"type": "quantitative", "title": "Value and 95 % interval"}
    x |= {"scale": {"zero": False}}
    colours = {PLANNED: "@blue", WHOLE: "@amber", GOLDS: "@teal"}
    shapes = {PLANNED: "circle", WHOLE: "square", GOLDS: "triangle-up"}
    labels: Spec = {"field": "labels", "type": "nominal", "title": None}
    colour = labels | {"scale": {"domain": names, "range": [colours[name] for name in names]}}
    shape = labels | {"scale": {"domain": names, "range": [shapes[name] for name in names]}}
    offset = {"field": "labels", "type": "nominal", "scale": {"domain": names}}
    return {
        "data": {"values": values},
        "height": {"step": 16},
        "encoding": {"tooltip": TOOLTIP},
        "layer": [
            {
                "data": {"values": [{"mark": mark} for mark in marks]},
                "mark": {"type": "rule", "color": "@ink-2", "strokeDash": [2, 3], "aria": False},
                "encoding": {
                    "x": {"field": "mark", "type": "quantitative"},
                    "tooltip": {"field": "mark", "type": "quantitative", "title": "Mark"},
                },
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y}
                | {"yOffset": offset, "color": colour},
            },
            {
                "mark": {"type": "point", "size": 60, "filled": True},
                "encoding": {"x": x | {"field": "value"}, "y": y}
                | {"yOffset": offset, "color": colour, "shape": shape},
            },
        ],
    }
