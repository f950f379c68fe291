"""The tables of a diff, for its page, its files and programs: one form for all of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotate.core.phrases import counted
from metrics.charts.release_diffs import GradeMove, grade_moves
from metrics.charts.results import AnalysisResult, Column
from metrics.services.releases.diffs.score_tables import ScoreTables

CHANGE_COLUMNS = [
    Column("added", "Added"),
    Column("removed", "Removed"),
    Column("changed", "Changed"),
]
NO_GRADE = "no grade"


class DiffTables(NamedTuple):
    """The value of a diff, with the words for its sides.

    value : as `computation.compute` makes it; sides : such as 1.0 and 1.1, or 1.0 and now
    level_names : of the grades, on either side; source : the label source in words
    """

    value: Mapping[str, Any]
    sides: tuple[str, str]
    level_names: Sequence[Mapping[int, str]]
    source: str

    def grades(self) -> AnalysisResult:
        """The pairs by their grades before and after, with the chart of both."""
        before, after = self.sides
        counts = self.value["grades"]["counts"]
        rows = [[old, self._level(old, 0), new, self._level(new, 1), n] for old, new, n in counts]
        orders = [self._grades_of(rows, 0), self._grades_of(rows, 2)]
        moves = [GradeMove(_grade_text(*row[:2]), _grade_text(*row[2:4]), row[4]) for row in rows]
        return AnalysisResult(
            headline=_headline("grade", self.value["grades"]),
            reading=f"Pairs of all query sets, each once, by their grades in {before} and {after}.",
            extent="",
            columns=[
                Column("before", f"Grade, {before}"),
                Column("level_before", f"Level, {before}"),
                Column("after", f"Grade, {after}"),
                Column("level_after", f"Level, {after}"),
                Column("pairs", "Pairs"),
            ],
            rows=rows,
            spec=grade_moves(moves, orders=orders, sides=self.sides) if rows else None,
        )

    def queries(self) -> AnalysisResult:
        """The changed grades of each query, the most first."""
        rows = self.value["queries"]
        return AnalysisResult(
            headline=f"{counted(len(rows), 'query')} with grades that are not the same",
            reading="Grades that were added, removed or changed; other queries are not in it.",
            extent="",
            columns=[Column("query", "Query"), *CHANGE_COLUMNS],
            rows=[list(row) for row in rows],
        )

    def people(self) -> AnalysisResult:
        """The changed labels of each annotator, with her share in all of them."""
        facts = self.value["labels"]
        total = sum(facts["whole"])
        return AnalysisResult(
            headline=_headline("label", facts),
            reading=(
                "Labels that count, by annotator and pair: golds, training, repeats and "
                "adjudications are none. The share is of all labels that were added, removed or "
                "changed; annotators without such a label are not in the table."
            ),
            extent="",
            columns=[
                Column("annotator", "Annotator"),
                Column("labels_before", f"Labels, {self.sides[0]}"),
                Column("labels_after", f"Labels, {self.sides[1]}"),
                *CHANGE_COLUMNS,
                Column("share", "Share, %", 1),
            ],
            rows=[
                [name, n_before, n_after, *changes, 100 * sum(changes) / total]
                for name, *changes, n_before, n_after in self.value["people"]
            ],
        )

    def agreement(self) -> AnalysisResult:
        """Agreement before and after."""
        states = self.value["agreement"]
        notes = [
            f"Alpha of {side} is undefined: {state['undefined']}."
            for side, state in zip(self.sides, states, strict=True)
            if state["alpha"] is None
        ]
        kinds = [state["measurement"] for state in states]
        if kinds[0] != kinds[1]:
            notes.append(
                f"The two alphas are not of one kind: {kinds[0]} in {self.sides[0]}, {kinds[1]} in "
                f"{self.sides[1]}."
            )
        columns = [
            Column("alpha", "Alpha", 4),
            Column("low", "From", 4),
            Column("high", "To", 4),
            Column("same_grade", "Same grade", 4),
            Column("n_pairs", "Pairs"),
            Column("n_labels", "Their labels"),
        ]
        return AnalysisResult(
            headline=_agreement_headline(*(state["alpha"] for state in states)),
            reading=(
                "Krippendorff's alpha of the planned labels with its 95 % interval, the share of "
                "pairs of labels with the same grade, and the pairs with two such labels or more."
            ),
            extent="",
            columns=[Column("labels_of", "Labels of"), *columns],
            rows=[
                [side, *(state[column.key] for column in columns)]
                for side, state in zip(self.sides, states, strict=True)
            ],
            notes=notes,
        )

    @property
    def of_scores(self) -> ScoreTables:
        """The tables of scores."""
        return ScoreTables(self.value, self.sides, self.source)

    def _level(self, grade: int | None, side: int) -> str:
        return NO_GRADE if grade is None else self.level_names[side].get(grade, "")

    def _grades_of(self, rows: Sequence[Sequence[Any]], column: int) -> list[str]:
        """The grades of one side in words, the largest first, no grade last."""
        grades = {row[column]: row[column + 1] for row in rows}
        order = sorted(grades, key=lambda grade: (grade is None, -(grade or 0)))
        return [_grade_text(grade, grades[grade]) for grade in order]


def _grade_text(grade: int | None, level: str) -> str:
    return NO_GRADE if grade is None else f"{grade} {level}".rstrip()


def _headline(noun: str, facts: Mapping[str, Any]) -> str:
    n_added, n_removed, n_changed = facts["whole"]
    n_same = sum(n for before, after, n in facts["counts"] if before == after)
    return (
        f"{counted(n_added, noun)} added, {n_removed:,} removed, {n_changed:,} changed; "
        f"{n_same:,} the same"
    )


def _agreement_headline(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return "Alpha is not defined on both sides"
    return f"Alpha {before:.3f} before, {after:.3f} after"
