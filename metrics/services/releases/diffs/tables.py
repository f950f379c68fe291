"""The tables of a diff, for its page, its files and programs: one form for all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotate.core.phrases import counted, enumeration
from metrics.charts.release_diffs import GradeMove, ScoreShift, grade_moves, score_shifts
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.measures.measures import parse_one
from metrics.core.releases.diffs.score_changes import BoardKey
from metrics.core.statistics.rounding import OF_SUMS, rounding_of_sums, with_ties
from metrics.services.leaderboard.choices.choices import METHOD_NAMES

BOARD_COLUMNS = [
    Column("direction", "Direction"),
    Column("query_set", "Query set"),
    Column("measure", "Measure"),
]
CHANGE_COLUMNS = [
    Column("added", "Added"),
    Column("removed", "Removed"),
    Column("changed", "Changed"),
]
SCORES_READING = "The mean of each run over the queries; the table has its 95 % interval too."
SIDES = ("before", "after")
BEFORE, AFTER = 4, 5  # positions of the two sides in a score of a value
THRESHOLD, MEAN = 0, 1  # and of these in a side
NO_GRADE = "no grade"
VERDICTS = {True: "decided", False: "not decided", None: "not tested"}
Row = Sequence[Any]


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

    def scores(self) -> AnalysisResult:
        """Every score before and after, on all boards."""
        rows = self.value["scores"]
        return AnalysisResult(
            headline=f"{counted(_n_moved(rows), 'mean')} of {len(rows):,} moved",
            reading=SCORES_READING,
            extent="",
            columns=[*BOARD_COLUMNS, *self._score_columns()],
            rows=[[*row[:3], *self._score_cells(row)] for row in rows],
            notes=self._score_notes(rows),
        )

    def board(self, board: BoardKey) -> AnalysisResult:
        """The scores of one board with their places, best after first, and the chart of both."""
        rows = [row for row in self.value["scores"] if BoardKey(*row[:3]) == board]
        places = [_places(rows, side, board.measure) for side in (BEFORE, AFTER)]
        order = sorted(range(len(rows)), key=lambda i: (places[1][i] is None, places[1][i] or 0))
        names = self._labels_of([row[3] for row in rows])
        shifts = [
            ScoreShift(names[rows[i][3]], *(_mean(rows[i], side) for side in (BEFORE, AFTER)))
            for i in order
        ]
        before, after = self.sides
        return AnalysisResult(
            headline=f"{board.measure}: {counted(_n_moved(rows), 'mean')} of {len(rows):,} moved",
            reading=SCORES_READING,
            extent="",
            columns=[
                *self._score_columns(),
                Column("place_before", f"Place, {before}"),
                Column("place_after", f"Place, {after}"),
            ],
            rows=[[*self._score_cells(rows[i]), places[0][i], places[1][i]] for i in order],
            spec=score_shifts(shifts, measure=board.measure, before=before, after=after),
            notes=self._score_notes(rows),
        )

    def swaps(self) -> AnalysisResult:
        """The pairs of runs that changed places, and whether their difference is decided."""
        rows = self.value["swaps"]
        before, after = self.sides
        n_boards = len({tuple(row[:3]) for row in rows})
        headline = (
            f"{counted(len(rows), 'pair')} of runs changed places, on "
            f"{counted(n_boards, 'table')} of scores"
        )
        return AnalysisResult(
            headline=headline if rows else "No two runs changed places",
            reading=(
                f"The first was better in {before}, the second is better in {after}. A difference "
                "is decided where a leaderboard of the runs of both sides lets the two differ, by "
                "its default test at 5 %. Runs that are equal on one side changed no places."
            ),
            extent="",
            columns=[
                *BOARD_COLUMNS,
                Column("first", "Was better"),
                Column("second", "Is better"),
                Column("difference_before", f"First less second, {before}", 4),
                Column("verdict_before", f"Verdict, {before}"),
                Column("difference_after", f"First less second, {after}", 4),
                Column("verdict_after", f"Verdict, {after}"),
                Column("first_before", f"The first in {before}"),
                Column("second_before", f"The second in {before}"),
            ],
            rows=[self._swap_cells(row) for row in rows],
            notes=[*self._score_notes(self.value["scores"]), *self._test_notes()],
        )

    @property
    def boards(self) -> list[BoardKey]:
        """The boards with a score on either side."""
        return list(dict.fromkeys(BoardKey(*row[:3]) for row in self.value["scores"]))

    def _labels_of(self, keys: Sequence[str]) -> dict[str, str]:
        """A name for each run, with its side where another run has that name too."""
        names = {key: self.value["runs"][key] for key in keys}
        labels = {key: str(after or before) for key, (before, after) in names.items()}
        n_runs = Counter(labels.values())
        return {
            key: label
            if n_runs[label] == 1
            else f"{label}, {self.sides[names[key][1] is not None]}"
            for key, label in labels.items()
        }

    def _swap_cells(self, row: Row) -> list[Cell]:
        first, second = (self.value["runs"][key] for key in row[3:5])
        differences, verdicts = row[5:7], [VERDICTS[is_decided] for is_decided in row[7:9]]
        return [
            *row[:3],
            first[1],
            second[1],
            differences[0],
            verdicts[0],
            differences[1],
            verdicts[1],
            first[0],
            second[0],
        ]

    def _level(self, grade: int | None, side: int) -> str:
        return NO_GRADE if grade is None else self.level_names[side].get(grade, "")

    def _grades_of(self, rows: Sequence[Row], column: int) -> list[str]:
        """The grades of one side in words, the largest first, no grade last."""
        grades = {row[column]: row[column + 1] for row in rows}
        order = sorted(grades, key=lambda grade: (grade is None, -(grade or 0)))
        return [_grade_text(grade, grades[grade]) for grade in order]

    def _score_columns(self) -> list[Column]:
        columns = [
            Column(f"run_{key}", f"Run, {side}")
            for key, side in zip(SIDES, self.sides, strict=True)
        ]
        for key, side in zip(SIDES, self.sides, strict=True):
            columns += [
                Column(f"mean_{key}", f"Mean, {side}", 4),
                Column(f"low_{key}", f"from, {side}", 4),
                Column(f"high_{key}", f"to, {side}", 4),
                Column(f"queries_{key}", f"Queries, {side}"),
            ]
        return [*columns, Column("change", "Change", 4)]

    def _score_cells(self, row: Row) -> list[Cell]:
        cells: list[Cell] = list(self.value["runs"][row[3]])
        for side in (BEFORE, AFTER):
            cells += row[side][MEAN:] if row[side] is not None else [None] * 4
        return [*cells, _difference(_mean(row, BEFORE), _mean(row, AFTER))]

    def _score_notes(self, rows: Sequence[Row]) -> list[str]:
        """Sentences on scores that are not of the same things on both sides."""
        notes = [
            f"{name} has no scores under {self.source}: only the other side has."
            for name, side in zip(self.sides, (BEFORE, AFTER), strict=True)
            if rows and all(row[side] is None for row in rows)
        ]
        if self.value["scores_wait"]:
            notes.append(
                "Labels have come since the scores of now were measured: these are of the labels "
                "before, until a worker has followed."
            )
        notes += [
            f"Query set “{name}” ({direction}) has other queries, or another gallery, in "
            f"{self.sides[1]} than in {self.sides[0]}: part of a change may be of that alone."
            for direction, name in self.value["query_sets"]
        ]
        return [*notes, *self._threshold_notes(rows)]

    def _threshold_notes(self, rows: Sequence[Row]) -> list[str]:
        """A sentence where the two sides count pairs as positive from another grade up."""
        thresholds = [
            {row[side][THRESHOLD] for row in rows if row[side] is not None}
            for side in (BEFORE, AFTER)
        ]
        if not all(thresholds) or thresholds[0] == thresholds[1]:
            return []
        words = [
            f"in {name} from grade {enumeration([*map(str, sorted(grades))])} up"
            for name, grades in zip(self.sides, thresholds, strict=True)
        ]
        return [f"A pair is positive {enumeration(words)}: part of a change may be of that alone."]

    def _test_notes(self) -> list[str]:
        """Sentences on the tests: other methods than the usual one, and where there was none."""
        methods = Counter(method for *_, method, why in self.value["tests"] if not why)
        notes = [
            f"{counted(n, 'table')} tested by {METHOD_NAMES[method]}, as the usual test, "
            f"{METHOD_NAMES[METHODS[0]]}, would have taken too long."
            for method, n in methods.items()
            if method != METHODS[0]
        ]
        return notes + [
            f"Not tested in {self.sides[SIDES.index(side)]}: {measure} over {query_set}, "
            f"{direction}: {why}."
            for direction, query_set, measure, side, _, why in self.value["tests"]
            if why
        ]


def _grade_text(grade: int | None, level: str) -> str:
    return NO_GRADE if grade is None else f"{grade} {level}".rstrip()


def _mean(row: Row, side: int) -> float | None:
    return None if row[side] is None else row[side][MEAN]


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _n_moved(rows: Sequence[Row]) -> int:
    """The number of scores whose mean differs by more than rounding."""
    means = [(_mean(row, BEFORE), _mean(row, AFTER)) for row in rows]
    pairs = np.array([pair for pair in means if None not in pair], dtype=np.float64)
    pairs = pairs.reshape(-1, 2)
    within = OF_SUMS * np.abs(pairs).max(axis=1, initial=0.0)
    return int(np.count_nonzero(np.abs(pairs[:, 1] - pairs[:, 0]) > within))


def _places(rows: Sequence[Row], side: int, measure: str) -> list[int | None]:
    """The place of each run among those with a mean on a side; equal ones share the better.

    None for all where more makes no run better, as of how much of a top is judged.
    """
    if parse_one(measure).family == "Judged":
        return [None] * len(rows)
    means = np.array([np.nan if _mean(row, side) is None else _mean(row, side) for row in rows])
    sign = -1 if parse_one(measure).entry.smaller_is_better else 1
    scores = sign * with_ties(means, within=rounding_of_sums(means))
    return [
        None if np.isnan(score) else 1 + int(np.count_nonzero(scores > score)) for score in scores
    ]


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
