"""The table of positives of reference sets that people refused."""

from collections.abc import Sequence
from typing import NamedTuple

from annotate.core.phrases import counted
from metrics.charts.analyses.labels.items import ItemSummary
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.labels.refusals import Refusals

FEWEST = 30  # graded positives of which a headline tells an interval
MOST_PAIRS = 50_000  # that are listed
WHOLE_LIST = (
    ", in the CSV too. For the others choose a smaller query set; Downloads have all grades, of "
    "people and of the reference."
)


class RefusedPair(NamedTuple):
    """A pair that a reference set calls positive, and people do not.

    grade, level : by people; n_labels : of the pair itself; decided : how they became a grade
    ranks : in each run; None where it does not return the pair
    """

    reference: str
    source: ItemSummary
    target: ItemSummary
    reference_grade: int
    grade: int
    level: str
    n_labels: int
    decided: str
    ranks: list[int | None]


def refusals_result(
    pairs: Sequence[RefusedPair],
    refusals: Sequence[Refusals],
    propagated: Sequence[Refusals],
    nouns: Nouns,
    *,
    sides: Sequence[str],
    runs: Sequence[str],
) -> AnalysisResult:
    """A row for each refused pair; of one or more.

    pairs : the first to be listed first
    refusals, propagated : of each set, by people's own grades and by those of originals
    sides : of the sources and of the targets
    """
    rows: list[list[Cell]] = [
        [
            pair.reference,
            *pair.source,
            *pair.target,
            pair.reference_grade,
            pair.grade,
            pair.level,
            pair.n_labels,
            pair.decided,
            *pair.ranks,
        ]
        for pair in pairs[:MOST_PAIRS]
    ]
    notes = [
        set_sentences(row, copies, nouns) for row, copies in zip(refusals, propagated, strict=True)
    ]
    if len(pairs) > MOST_PAIRS:
        notes.append(f"The first {MOST_PAIRS:,} of {len(pairs):,} pairs are listed{WHOLE_LIST}")
    return AnalysisResult(
        headline=_headline(refusals, propagated),
        reading=(
            "A row for each pair and reference set that calls it positive, where people's grade is "
            "below the threshold: the most contradicted first, then those with the most labels. "
            "Labels: those of the pair itself, also where a lead decided; none where a duplicate "
            "takes its original's grade. A blank rank: the run does not return the pair."
        ),
        extent=f"{counted(sum(row.n_graded for row in refusals), 'graded positive')} of "
        f"{nouns.extent}",
        columns=_columns(sides, runs),
        rows=rows,
        notes=[*notes, *nouns.notes],
    )


def _columns(sides: Sequence[str], runs: Sequence[str]) -> list[Column]:
    columns = [Column("reference", "Reference")]
    for side in sides:
        columns += [Column(side, side.capitalize()), Column(f"{side}_content", "Content")]
    columns += [
        Column("reference_grade", "Grade of the reference"),
        Column("grade", "People's grade"),
        Column("level", "Level"),
        Column("n_labels", "Labels"),
        Column("decided", "Decided"),
    ]
    columns += [Column(f"rank_in_{name}", f"Rank in {name}") for name in runs]
    return columns


def set_sentences(row: Refusals, copies: Refusals, nouns: Nouns) -> str:
    """The numbers of a set by people's own grades, and by propagated ones if it has any."""
    text = (
        f"Reference “{row.name}” has {counted(row.n_positive, 'positive')} of these "
        f"{nouns.queries}; people graded {row.n_graded:,} of them and refused {len(row.source):,}."
    )
    if copies.n_graded:
        text += (
            f" Propagated grades refuse {len(copies.source):,} of the {copies.n_graded:,} that "
            "have one."
        )
    return f"{text} Of the others nothing is known."


def _headline(refusals: Sequence[Refusals], propagated: Sequence[Refusals]) -> str:
    """The refused pairs of each set of which people graded one, with an interval from thirty on."""
    sentences = []
    for row in refusals:
        if not row.n_graded:
            continue
        sentence = (
            f"{len(row.source):,} of the "
            f"{counted(row.n_graded, 'positive')} of reference “{row.name}” that they graded"
        )
        if row.n_graded >= FEWEST and row.share is not None:
            interval = interval_text(row.interval.per_cent, digits=1)
            sentence += f" ({100 * row.share:.1f} %, {interval})"
        sentences.append(sentence)
    if sentences:
        return f"People refused {'; '.join(sentences)}"
    n = sum(len(row.source) for row in propagated)
    return f"Propagated grades refuse {counted(n, 'positive')}; people graded none of them"
