"""Runs in their order with what does not differ, as bars beside the arrows of pseudo-groups."""

from annotate.core.phrases import counted, first_few
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.systems.difference_bars import (
    MOST_NAMED_BARS,
    RunNames,
    difference_bars,
)
from metrics.charts.analyses.systems.letter_rules import LetterRules, letter_rules
from metrics.charts.results import AnalysisResult, Column, interval_text, number_text
from metrics.core.analyses.systems.differences import SystemDifferences


def differences_result(
    differences: SystemDifferences, names: RunNames, nouns: Nouns
) -> AnalysisResult:
    """The runs from the best to the worst, and which of them do not differ."""
    rules = letter_rules([row.letters for row in differences.systems])
    return AnalysisResult(
        headline=_headline(differences, names),
        reading=(
            "Runs that share a letter do not differ; a thin rule spans them, with a dot at each. "
            "An arrow spans a pseudo-group: a run and those after it that come before the "
            "first one that differs from it; runs of two groups need not differ. From, to: 95 % "
            "interval of a run's mean by itself, so runs whose intervals overlap may differ. What "
            "does not differ is not shown to be equal."
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
        spec=difference_bars(differences.systems, names, rules),
        notes=[*nouns.notes, *mark_notes(differences, names), *_notes(differences, rules)],
    )


def mark_notes(differences: SystemDifferences, names: RunNames) -> list[str]:
    """A sentence on the ranks of the marked team's runs, or that there are none; empty without."""
    if not names.mark:
        return []
    runs = [
        f"{names.runs[row.system]} (rank {row.rank:,})"
        for row in differences.systems
        if names.is_marked(row.system)
    ]
    if not runs:
        return [f"None of these runs is of the marked team {names.mark}."]
    of_all = f"of {len(differences.systems):,} runs"
    return [f"Marked by a dark diamond, team {names.mark}: {first_few(runs)} {of_all}."]


def _notes(differences: SystemDifferences, rules: LetterRules) -> list[str]:
    """Sentences on what the chart has no room for."""
    notes = [rules.note] if rules.note else []
    if len(differences.systems) > MOST_NAMED_BARS:
        notes.append(
            f"Chart: names and letters of more than {MOST_NAMED_BARS} runs are in the table alone."
        )
    return notes


def _headline(differences: SystemDifferences, names: RunNames) -> str:
    if names.are_too_few:
        return names.too_few_text
    best = differences.systems[0]
    n = len(differences.systems)
    verb = "differs" if differences.n_differing == 1 else "differ"
    share = f"{differences.n_differing:,} of {counted(differences.n_pairs, 'pair')} of runs {verb}"
    n_like = sum(row.group == 1 for row in differences.systems) - 1
    n_best = sum(row.rank == 1 for row in differences.systems)
    if n_best > 1:
        return f"{n_best:,} of {n:,} runs share the best mean, {number_text(best.mean, 4)}; {share}"
    lead = (
        f"{names.runs[best.system]} leads with a mean of {number_text(best.mean, 4)} "
        f"({interval_text(best.interval, digits=4)})"
    )
    if best.n_differing == n - 1:
        further_runs = {2: "the other run", 3: "both others"}.get(n, f"all {n - 1:,} others")
        return f"{lead} and differs from {further_runs}"
    if not n_like:
        return f"{lead} and differs from {best.n_differing:,} of {n - 1:,} others"
    following = "the next run" if n_like == 1 else f"the next {n_like:,} runs"
    return f"{lead}; nothing separates it from {following}; {share}"
