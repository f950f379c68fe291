"""The tables of scores in a diff, and of the runs that changed places by them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from annotate.core.phrases import counted, enumeration
from metrics.charts.release_diffs import ScoreShift, score_shifts
from metrics.charts.results import AnalysisResult, Cell, Column
from metrics.core.comparisons.run_comparison import METHOD_NAMES, METHODS
from metrics.core.measures.measures import parse_one
from metrics.core.releases.diffs.score_changes import BoardKey
from metrics.core.statistics.rounding import OF_SUMS, rounding_of_sums, with_ties

BOARD_COLUMNS = [
    Column("direction", "Direction"),
    Column("query_set", "Query set"),
    Column("measure", "Measure"),
]
SCORES_READING = "The mean of each run over the queries; the table has its 95 % interval too."
SIDES = ("before", "after")
BEFORE, AFTER = 4, 5  # positions of the two sides in a score of a value
THRESHOLD, MEAN = 0, 1  # and of these in a side
VERDICTS = {True: "decided", False: "not decided", None: "not tested"}
Row = Sequence[Any]


class ScoreTables(NamedTuple):
    """The scores in the value of a diff; the fields are those of DiffTables."""

    value: Mapping[str, Any]
    sides: tuple[str, str]
    source: str

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
