"""The difference of each pair of runs, as a table and a triangle of cells."""

from collections.abc import Sequence

from annotate.core.phrases import counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.difference_bars import MOST_NAMES, RunNames
from metrics.charts.analyses.systems.differences import mark_notes
from metrics.charts.analyses.systems.pair_cells import VERDICTS, pair_cells
from metrics.charts.results import AnalysisResult, Column, interval_text, number_text
from metrics.core.analyses.systems.differences import PairDifference, SystemDifferences


def pairs_result(
    differences: SystemDifferences,
    pairs: Sequence[PairDifference],
    names: RunNames,
    nouns: Nouns,
) -> AnalysisResult:
    """The difference of each pair of runs, the best run's first, and whether the two differ."""
    rank = {row.system: row.rank for row in differences.systems}
    return AnalysisResult(
        headline=_headline(differences, pairs, names),
        reading=(
            "Difference: the mean of the first run less that of the second, which stands behind "
            "it. From, to: 95 % interval of the paired difference, of this pair alone. Whether two "
            "runs differ is decided for all pairs together by the chosen test, so an interval "
            "without 0 is no verdict. What does not differ is not shown to be equal."
        ),
        extent=f"{nouns.extent}; {counted(len(pairs), 'pair')}",
        columns=[
            Column("first", "Run"),
            Column("second", "Other run"),
            Column("first_rank", "Rank"),
            Column("second_rank", "Other rank"),
            Column("difference", "Difference", 4),
            Column("difference_low", "From", 4),
            Column("difference_high", "To", 4),
            Column("verdict", "Verdict"),
        ],
        rows=[
            [
                names.runs[pair.first],
                names.runs[pair.second],
                rank[pair.first],
                rank[pair.second],
                pair.difference,
                pair.interval.low,
                pair.interval.high,
                VERDICTS[pair.differ],
            ]
            for pair in pairs
        ],
        spec=pair_cells(differences, pairs, names),
        notes=[
            *nouns.notes,
            *mark_notes(differences, names),
            *_notes(pairs, len(names.runs)),
        ],
    )


def _notes(pairs: Sequence[PairDifference], n_runs: int) -> list[str]:
    notes = []
    n_within = sum(
        pair.differ
        and pair.interval.low is not None
        and pair.interval.high is not None
        and pair.interval.low <= 0 <= pair.interval.high
        for pair in pairs
    )
    if n_within:
        notes.append(
            f"{counted(n_within, 'pair')} {'differs' if n_within == 1 else 'differ'} by the test "
            "though 0 lies in the pair's own interval: the test takes one error for all pairs."
        )
    if n_runs > MOST_NAMES:
        notes.append(
            "Chart: a dark cell is a pair that differs, at the places of its runs; place 1 is best."
        )
    return notes


def _headline(
    differences: SystemDifferences, pairs: Sequence[PairDifference], names: RunNames
) -> str:
    if names.are_too_few:
        return names.too_few_text
    n = counted(differences.n_pairs, "pair")
    closest = min(
        (pair for pair in pairs if pair.differ),
        key=lambda pair: abs(pair.difference),
        default=None,
    )
    if closest is None:
        return f"None of {n} of runs differs"
    within = 2 * differences.least
    n_closest = sum(
        pair.differ and abs(pair.difference) - abs(closest.difference) <= within for pair in pairs
    )
    closest_names = f"{names.runs[closest.first]} and {names.runs[closest.second]}"
    if n_closest > 1:
        closest_names = f"{counted(n_closest, 'pair')}, such as {closest_names}"
    return (
        f"{differences.n_differing:,} of {n} of runs "
        f"{'differs' if differences.n_differing == 1 else 'differ'}; the closest that do are "
        f"{number_text(abs(closest.difference), 4)} apart ({closest_names}, "
        f"{interval_text(closest.interval, digits=4)})"
    )
