"""The table and chart of tests of normality, run by run."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import LINE, TWO_LINES, WRAPPED
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.systems.normality import RATE, Normality, NormalityTable

FEWEST = 30  # topics or groups from which on a headline tells how many are rejected
LEAST_P = 1e-10  # the left end of the chart
TICKS = [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1]
MOST_NAMES = 40  # runs with a name in the chart
# the line from which on normality is not rejected, and its number
RATE_LAYERS: list[Spec] = [
    {
        "data": {"values": [{}]},
        "mark": mark,
        "encoding": {"x": {"datum": RATE, "type": "quantitative"}} | encoding,
    }
    for mark, encoding in (
        ({"type": "rule", "strokeDash": [4, 3], "aria": False}, {"y": None}),
        (
            {"type": "text", "align": "left", "baseline": "top", "dx": 4},
            {"y": {"value": 0}, "text": {"value": f"{RATE:g}"}},
        ),
    )
]
VERDICTS = {True: "rejected", False: "not rejected", None: None}


def normality_result(
    table: NormalityTable, runs: Sequence[str], nouns: Nouns, *, unit: str, are_zero_one: bool
) -> AnalysisResult:
    """The test of each run's scores and residuals, the least normal scores first.

    nouns : its queries are the topics, and its extent that of runs and topics
    unit : the plural noun for what is taken for independent; are_zero_one : all scores are 0 or 1
    """
    order = sorted(
        range(len(runs)), key=lambda run: -(table.scores[run].a_squared or float("-inf"))
    )
    rows: list[list[Cell]] = [
        [runs[run], table.n, *_cells(table.scores[run]), *_cells(table.residuals[run])]
        for run in order
    ]
    return AnalysisResult(
        headline=_headline(table, unit),
        reading=(
            "A squared grows with the distance from a normal distribution of the same mean and "
            "spread. Adjusted p: Benjamini and Hochberg's over the runs; below .05 normality is "
            "rejected, so that at most 5 % of the rejections are expected to be wrong. Not "
            f"rejected is not proven: with few {unit} little is rejected. Residuals are what is "
            f"left of scores without the means of runs and of {unit}: the analysis of variance "
            "takes these for normal."
        ),
        extent=nouns.extent,
        columns=[
            Column("run", "Run"),
            Column("n", unit.capitalize()),
            *_columns("scores", "Scores"),
            *_columns("residuals", "Residuals"),
        ],
        rows=rows,
        spec=_dots([(runs[run], table.scores[run]) for run in order]),
        notes=[*nouns.notes, *_notes(table, nouns.queries, unit, are_zero_one=are_zero_one)],
    )


def _columns(key: str, title: str) -> list[Column]:
    return [
        Column(f"{key}_a_squared", f"{title}: A squared", 3),
        Column(f"{key}_p", f"{title}: p", 4),
        Column(f"{key}_adjusted_p", f"{title}: adjusted p", 4),
        Column(f"{key}_normality", f"{title}: normality"),
    ]


def _cells(normality: Normality) -> list[Cell]:
    return [*normality, VERDICTS[normality.is_rejected]]


def _headline(table: NormalityTable, unit: str) -> str:
    parts = []
    for tests in (table.scores, table.residuals):
        verdicts = [test.is_rejected for test in tests if test.is_rejected is not None]
        parts.append((sum(verdicts), len(verdicts)))
    (n_rejected, n), (n_residuals, n_with_residuals) = parts
    if not n:
        return "The scores of each run are all equal: there is nothing to test"
    if table.n < FEWEST:
        return f"{table.n} {unit} are too few to tell whether scores are normal"
    scores = f"Normality is rejected for the scores of {n_rejected:,} of {counted(n, 'run')}"
    if not n_with_residuals:
        return f"{scores} ({100 * n_rejected / n:.1f} %)"
    return (
        f"{scores} ({100 * n_rejected / n:.1f} %), and for the residuals of {n_residuals:,} of "
        f"{n_with_residuals:,}"
    )


def _notes(table: NormalityTable, topics: str, unit: str, *, are_zero_one: bool) -> list[str]:
    notes = []
    if are_zero_one:
        notes.append(
            "All scores are 0 or 1, and such scores are never normal, whatever a test says: for "
            "differences of runs rely on randomized Tukey."
        )
    if unit != topics:
        notes.append(
            f"For {table.n:,} {unit}: a group's share in the mean over all {topics} is tested, as "
            "the analysis of variance takes it."
        )
    if n := sum(test.p is None for test in table.scores):
        notes.append(f"Not tested, as their scores are all equal: {counted(n, 'run')}.")
    if n := sum(test.p is None for test in table.residuals):
        notes.append(f"Residuals without spread are not tested: {counted(n, 'run')}.")
    if any(test.adjusted_p is not None and test.adjusted_p < LEAST_P for test in table.scores):
        notes.append(f"In the chart an adjusted p below {LEAST_P:g} stands at its left end.")
    return notes


def _dots(tests: Sequence[tuple[str, Normality]]) -> Spec | None:
    """A dot a run at its adjusted p, on a scale of logarithms; None where no run is tested."""
    values = [
        {
            "run": run,
            "p": max(test.adjusted_p, LEAST_P),
            "normality": VERDICTS[test.is_rejected],
        }
        for run, test in tests
        if test.adjusted_p is not None
    ]
    if not values:
        return None
    has_names = len(values) <= MOST_NAMES
    y: Spec = {"field": "run", "type": "nominal", "sort": [row["run"] for row in values]}
    y |= {"title": None, "axis": WRAPPED if has_names else None}
    step = (TWO_LINES if max(len(run) for run, _ in tests) > LINE else 20) if has_names else 5
    x: Spec = {"field": "p", "type": "quantitative", "title": "Adjusted p of the scores"}
    x["scale"] = {"type": "log", "domain": [LEAST_P, 1]}
    x["axis"] = {"values": TICKS}
    # numbers of one form for powers that have no place for their zeros
    x["axis"]["labelExpr"] = "format(datum.value, datum.value < 0.01 ? '.0e' : '~g')"
    verdict: Spec = {"field": "normality", "type": "nominal", "title": None}
    domain = [VERDICTS[True], VERDICTS[False]]
    return {
        "data": {"values": values},
        "height": {"step": step},
        "encoding": {"y": y},
        "layer": [
            *RATE_LAYERS,
            {
                "mark": {"type": "point", "size": 60 if has_names else 25},
                "encoding": {
                    "x": x,
                    "color": verdict | {"scale": {"domain": domain, "range": ["@amber", "@blue"]}},
                    "shape": verdict | {"scale": {"domain": domain, "range": ["cross", "circle"]}},
                    "tooltip": [
                        tooltip_row("run", "Run"),
                        tooltip_row("p", "Adjusted p", ".2~g"),
                        tooltip_row("normality", "Normality"),
                    ],
                },
            },
        ],
    }
