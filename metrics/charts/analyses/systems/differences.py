"""Runs in their order with what does not differ, as bars beside the arrows of pseudo-groups."""

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.difference_bars import RunNames, difference_bars
from metrics.charts.results import AnalysisResult, Column, interval_text
from metrics.core.analyses.systems.differences import SystemDifferences


def differences_result(
    differences: SystemDifferences, names: RunNames, nouns: Nouns
) -> AnalysisResult:
    """The runs from the best to the worst, and which of them do not differ."""
    return AnalysisResult(
        headline=_headline(differences, names),
        reading=(
            "Runs that share a letter do not differ. An arrow spans a pseudo-group: a run and "
            "those after it down to the first that differs from it; runs of two groups need not "
            "differ. From, to: 95 % interval of a run's mean by itself, so runs whose intervals "
            "overlap may differ. What does not differ is not shown to be equal."
        ),
        extent=nouns.extent,
        columns=[
            Column("rank", "Rank"),
            Column("run", "Run"),
            Column("team", "Team"),
            Column("mean", names.mean_title, 4),
            Column("mean_low", "From", 4),
            Column("mean_high", "To", 4),
            Column("letters", "Letters"),
            Column("pseudo_group", "Pseudo-group"),
            Column("n_differing", "Runs that it differs from"),
        ],
        rows=[
            [
                row.rank,
                names.runs[row.system],
                names.teams[row.system],
                row.mean,
                row.interval.low,
                row.interval.high,
                ",".join(row.letters),
                row.group,
                row.n_differing,
            ]
            for row in differences.systems
        ],
        spec=difference_bars(differences.systems, names),
        notes=nouns.notes,
    )


def _headline(differences: SystemDifferences, names: RunNames) -> str:
    if names.are_too_few:
        return names.too_few_text
    best = differences.systems[0]
    n = len(differences.systems)
    n_like = sum(row.group == 1 for row in differences.systems) - 1
    n_best = sum(row.rank == 1 for row in differences.systems)
    if n_best > 1:
        return (
            f"{n_best:,} of {n:,} runs share the best mean, {best.mean:.4f}; "
            f"{differences.n_differing:,} of {counted(differences.n_pairs, 'pair')} of runs differ"
        )
    lead = (
        f"{names.runs[best.system]} leads with a mean of {best.mean:.4f} "
        f"({interval_text(best.interval, digits=4)})"
    )
    if best.n_differing == n - 1:
        return f"{lead} and differs from {'the other run' if n == 2 else f'all {n - 1:,} others'}"
    if not n_like:
        return f"{lead} and differs from {best.n_differing:,} of {n - 1:,} others"
    following = "the next run" if n_like == 1 else f"the next {n_like:,} runs"
    return (
        f"{lead}; nothing separates it from {following}; "
        f"{differences.n_differing:,} of {counted(differences.n_pairs, 'pair')} of runs differ"
    )
