"""The table of rank correlations of similarity to training texts with length."""

from collections.abc import Sequence

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.core.analyses.collection.text_lengths import LengthCorrelations


def similarity_result(rows: Sequence[LengthCorrelations], nouns: Nouns) -> AnalysisResult:
    """The correlations of words and characters, one row each."""
    columns = [Column("length", "Length in")]
    for key, name in (("spearman", "Spearman"), ("kendall", "Kendall tau-b")):
        columns += [Column(key, name, 3)]
        columns += [Column(f"{key}_low", "From", 3), Column(f"{key}_high", "To", 3)]
    return AnalysisResult(
        headline=_headline(rows[0], nouns),
        reading=(
            "Rank correlations of the length of a text with its mean similarity to the ten nearest "
            "training texts; below 0, longer texts are less like them. From, to: 95 % intervals."
        ),
        extent=nouns.extent,
        columns=columns,
        rows=[
            [
                row.unit,
                row.spearman.value,
                *row.spearman.interval,
                row.kendall.value,
                *row.kendall.interval,
            ]
            for row in rows
        ],
        notes=nouns.notes,
    )


def _headline(words: LengthCorrelations, nouns: Nouns) -> str:
    value, interval, _ = words.spearman
    if value is None:
        return f"All of these {nouns.queries} have the same length, or the same similarity"
    in_brackets = f"(Spearman {value:z.2f}, {interval_text(interval, digits=2)})"
    if interval.low is None or interval.high is None or interval.low <= 0 <= interval.high:
        return (
            f"It is not shown that length and likeness to training texts go together {in_brackets}"
        )
    comparison = "less" if value < 0 else "more"
    return f"Longer {nouns.queries} are {comparison} like the training texts {in_brackets}"
