"""The table and chart of an analysis of variance by topics and runs."""

from annotate.core.figures import p_text
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.analyses.systems.variance import VarianceSource, VarianceTable

FEWEST = 30  # topics or groups from which on a headline tells parts
ALPHA = 0.05


def variance_result(table: VarianceTable, nouns: Nouns, *, unit: str) -> AnalysisResult:
    """The parts of the variance that runs and topics make, and what is left.

    nouns : its queries are the topics, and its extent that of runs and topics
    unit : the plural noun for what is taken for independent: topics, or groups of them
    """
    sources = [
        ("Runs", table.systems),
        (unit.capitalize(), table.topics),
        ("Error", table.error),
        ("Total", table.total),
    ]
    return AnalysisResult(
        headline=_headline(table, unit),
        reading=(
            "Share: the part of the total sum of squares (eta squared). Omega squared: the same "
            "less what error alone would make, 0 where that is more. F: mean square over that of "
            "the error; p: the chance of so large an F if runs, or "
            f"{unit}, did not differ; .0000 is below .00005. Error is what neither explains, also "
            f"that some runs are better at some {unit} than at others. The analysis "
            "“topics-needed” splits the same scores into components of variance: those are free of "
            "what chance adds to the shares here, so that the two differ."
        ),
        extent=nouns.extent,
        columns=[
            Column("source", "Source"),
            Column("sum_of_squares", "Sum of squares", 4),
            Column("df", "Degrees of freedom"),
            Column("mean_square", "Mean square", 5),
            Column("f", "F", 2),
            Column("p", "p", 4),
            Column("share", "Share, %", 1),
            Column("omega_squared", "Omega squared, %", 1),
        ],
        rows=[_row(name, source) for name, source in sources],
        spec=_bar(sources[:3]) if table.total.share is not None else None,
        notes=[*nouns.notes, *_notes(table, nouns.queries, unit)],
    )


def _row(name: str, source: VarianceSource) -> list[Cell]:
    share, omega = (None if part is None else 100 * part for part in (source.share, source.omega))
    return [
        name,
        source.sum_of_squares,
        source.df,
        source.mean_square,
        source.f,
        source.p,
        share,
        omega,
    ]


def _headline(table: VarianceTable, unit: str) -> str:
    runs, topics, error = table.systems.share, table.topics.share, table.error.share
    if runs is None or topics is None or error is None:
        return "All scores are equal: there is no variance"
    if table.n < FEWEST:
        return f"{table.n} {unit} are too few to tell what makes the variance of the scores"
    parts = (
        f"{unit.capitalize()} make {100 * topics:.0f} % of the sum of squares (eta squared), runs "
        f"{100 * runs:.0f} %, and {100 * error:.0f} % is left"
    )
    if table.systems.f is None or table.systems.p is None:
        return parts
    p = f"p {p_text(table.systems.p)}"
    verdict = "runs differ" if table.systems.p < ALPHA else "that runs differ is not shown"
    return f"{parts}; {verdict} (F {table.systems.f:.2f}, {p})"


def _notes(table: VarianceTable, topics: str, unit: str) -> list[str]:
    notes = []
    if table.total.share is None:
        notes.append("All scores are equal, so shares, F and p are not defined.")
    elif table.systems.f is None:
        notes.append(
            "Nothing is left to the error: F would be without bound, and F and p are not given."
        )
    if unit != topics:
        notes.append(
            f"For {table.n:,} {unit}: a group's share in the mean over all {topics} stands for it, "
            f"as in the tests of differences. How {topics} of a group differ is in no row."
        )
    return notes


def _bar(sources: list[tuple[str, VarianceSource]]) -> Spec:
    """One bar a source, with its share as text."""
    shares = [(name, 100 * (source.share or 0)) for name, source in sources]
    values = [{"source": name, "share": share, "text": f"{share:.1f} %"} for name, share in shares]
    names = [name for name, _ in sources]
    return {
        "data": {"values": values},
        "height": {"step": 34},
        "encoding": {
            "y": {"field": "source", "type": "nominal", "sort": names, "title": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": "Share of the sum of squares, %",
                "scale": {"domain": [0, 100]},
            },
            "tooltip": [tooltip_row("source", "Source"), tooltip_row("share", "Share, %", ".1f")],
        },
        "layer": [
            {"mark": "bar"},
            {
                "mark": {"type": "text", "align": "left", "dx": 5},
                "encoding": {"text": {"field": "text"}},
            },
        ],
    }
