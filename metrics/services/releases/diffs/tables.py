"""The tables of a diff, for its page, its files and programs: one form for all of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotate.core.phrases import counted, enumeration
from metrics.charts.release_diffs import GradeMove, ScoreShift, grade_moves, score_shifts
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.measures.measures import parse_one
from metrics.core.releases.diffs.score_changes import BoardKey
from metrics.core.statistics.rounding import OF_SUMS, rounding_of_sums, with_ties

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
NO_GRADE = "no grade"
VERDICTS = {True: "decided", False: "not decided", None: "not tested"}
SCORES_READING = "The mean over the queries of each run, with its 95 % interval."
BEFORE, AFTER = 4, 5  # positions of the two sides in a score of a value
THRESHOLD, MEAN = 0, 1  # and of these in a side


class DiffTables(NamedTuple):
    """The value of a diff, with the words for its sides.

    value : as `computation.compute` makes it; sides : such as 1.0 and 1.1, or 1.0 and now
    level_names : of the grades
    """

    value: Mapping[str, Any]
    sides: tuple[str, str]
    level_names: Mapping[int, str]

    def grades(self) -> AnalysisResult:
        """The pairs by their grades before and after, with the chart of both."""
        facts = self.value["grades"]
        before, after = self.sides
        rows = [
            (old, self._level(old), new, self._level(new), n) for old, new, n in facts["counts"]
        ]
        grades = {row[0] for row in rows} | {row[2] for row in rows}
        moves = [
            GradeMove(self._grade_text(old), self._grade_text(new), n)
            for old, new, n in facts["counts"]
        ]
        order = [self._grade_text(grade) for grade in sorted(grades - {None}, reverse=True)]
        order += [NO_GRADE] * (None in grades)
        return AnalysisResult(
            headline=_headline("grade", facts),
            reading=f"Pairs of all query sets, each once, by their grades in {before} and {after}.",
            extent="",
            columns=[
                Column("before", f"Grade, {before}"),
                Column("level_before", "Level"),
                Column("after", f"Grade, {after}"),
                Column("level_after", "Level"),
                Column("pairs", "Pairs"),
            ],
            rows=[list(row) for row in rows],
            spec=grade_moves(moves, order=order, before=before, after=after) if rows else None,
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
        facts, rows = self.value["labels"], self.value["people"]
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
                for name, *changes, n_before, n_after in rows
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
            notes=self._threshold_notes(rows),
        )

    def board(self, board: BoardKey) -> AnalysisResult:
        """The scores of one board with their places, best after first, and the chart of both."""
        rows = [row for row in self.value["scores"] if BoardKey(*row[:3]) == board]
        places = [_places(rows, side, board.measure) for side in (BEFORE, AFTER)]
        order = sorted(range(len(rows)), key=lambda i: (places[1][i] is None, places[1][i] or 0))
        shifts = [
            ScoreShift(
                self.run_name(rows[i][3]), *(_mean(rows[i], side) for side in (BEFORE, AFTER))
            )
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
            notes=self._threshold_notes(rows),
        )

    def swaps(self) -> AnalysisResult:
        """The pairs of runs that changed places, and whether their difference is decided."""
        rows = self.value["swaps"]
        boards = {tuple(row[:3]) for row in rows}
        headline = (
            f"{counted(len(rows), 'pair')} of runs changed places, on "
            f"{counted(len(boards), 'table')} of scores"
        )
        return AnalysisResult(
            headline=headline if rows else "No two runs changed places",
            reading=(
                "The first was better before, the second is better now. A difference is decided "
                "where a leaderboard of the runs of both sides would let the two differ, by its "
                "default test at 5 %. Runs that are equal on one side changed no places."
            ),
            extent="",
            columns=[
                *BOARD_COLUMNS,
                Column("first", "Was better"),
                Column("second", "Is better"),
                Column("difference_before", f"First less second, {self.sides[0]}", 4),
                Column("verdict_before", f"in {self.sides[0]}"),
                Column("difference_after", f"First less second, {self.sides[1]}", 4),
                Column("verdict_after", f"in {self.sides[1]}"),
            ],
            rows=[
                [
                    *board,
                    *map(self.run_name, runs),
                    differences[0],
                    VERDICTS[verdicts[0]],
                    differences[1],
                    VERDICTS[verdicts[1]],
                ]
                for board, runs, differences, verdicts in (
                    (row[:3], row[3:5], row[5:7], row[7:]) for row in rows
                )
            ],
            notes=[
                f"Not tested in {self.sides[side == 'after']}: {measure} over {query_set}, "
                f"{direction}: {why}."
                for direction, query_set, measure, side, why in self.value["untested"]
            ],
        )

    @property
    def boards(self) -> list[BoardKey]:
        """The boards with a score on either side."""
        return list(dict.fromkeys(BoardKey(*row[:3]) for row in self.value["scores"]))

    def run_name(self, key: str) -> str:
        """The name that the sides give a run; both where they differ."""
        before, after = self.value["runs"][key]
        if None in (before, after) or before == after:
            return str(after if before is None else before)
        return f"{after} ({before} in {self.sides[0]})"

    def _level(self, grade: int | None) -> str:
        return NO_GRADE if grade is None else self.level_names.get(grade, "")

    def _grade_text(self, grade: int | None) -> str:
        return self._level(grade) if grade is None else f"{grade} {self._level(grade)}".rstrip()

    def _score_columns(self) -> list[Column]:
        columns = [Column("run", "Run")]
        for key, side in zip(("before", "after"), self.sides, strict=True):
            columns += [
                Column(f"mean_{key}", side, 4),
                Column(f"low_{key}", "from", 4),
                Column(f"high_{key}", "to", 4),
                Column(f"queries_{key}", "Queries"),
            ]
        return [*columns, Column("change", "Change", 4)]

    def _score_cells(self, row: Sequence[Any]) -> list[Cell]:
        cells: list[Cell] = [self.run_name(row[3])]
        for side in (BEFORE, AFTER):
            cells += row[side][MEAN:] if row[side] is not None else [None] * 4
        return [*cells, _difference(_mean(row, BEFORE), _mean(row, AFTER))]

    def _threshold_notes(self, rows: Sequence[Sequence[Any]]) -> list[str]:
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


def _mean(row: Sequence[Any], side: int) -> float | None:
    return None if row[side] is None else row[side][MEAN]


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _n_moved(rows: Sequence[Sequence[Any]]) -> int:
    """The number of scores whose mean differs by more than rounding."""
    means = [(_mean(row, BEFORE), _mean(row, AFTER)) for row in rows]
    pairs = np.array([pair for pair in means if None not in pair], dtype=np.float64)
    pairs = pairs.reshape(-1, 2)
    within = OF_SUMS * np.abs(pairs).max(axis=1, initial=0.0)
    return int(np.count_nonzero(np.abs(pairs[:, 1] - pairs[:, 0]) > within))


def _places(rows: Sequence[Sequence[Any]], side: int, measure: str) -> list[int | None]:
    """The place of each run among those with a mean on a side; equal ones share the better."""
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
