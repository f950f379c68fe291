"""Scores by the known truth of a rehearsal, shown beside those of the leaderboard."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from annotate.models import Collection
from metrics.core.measures.measures import parse_one
from metrics.models import Score
from metrics.services.leaderboard.cells import ScoreCell, measure_scale
from metrics.services.leaderboard.choices.choices import Choices, is_stored
from metrics.services.leaderboard.tables import LeaderboardTable
from metrics.services.scores.labels import truth_source


class TruthScores(NamedTuple):
    """Scores by the known truth.

    means : shares from 0 to 1, or ranks, by query set, run and measure; empty where there are none
        for the chosen queries
    """

    means: Mapping[tuple[int, int, str], float]

    @property
    def sentence(self) -> str:
        """The meaning of the true scores, or the reason why there are none."""
        opening = "The people here are simulated, and the true grade of each pair is known."
        if not self.means:
            return (
                f"{opening} True scores are kept for the usual measures and threshold over all "
                "queries of a set, so none stands beside these."
            )
        return (
            f"{opening} Beneath each score stands the one that the true grades give, as in “true "
            "78.0”: what the run would score if no label were wrong or missing. No other number on "
            "this page counts it."
        )

    def beside(self, table: LeaderboardTable) -> LeaderboardTable:
        """The table with the true score in each cell that has one."""
        rows = [
            row._replace(
                cells=[
                    cell._replace(truth=self._truth(table, row.run.pk, name))
                    if isinstance(cell, ScoreCell)
                    else cell
                    for name, cell in zip(table.kinds, row.cells, strict=True)
                ]
            )
            for row in table.rows
        ]
        return table._replace(rows=rows)

    def _truth(self, table: LeaderboardTable, run: int, measure: str) -> float | None:
        mean = self.means.get((table.query_set.pk, run, measure))
        return None if mean is None else measure_scale(parse_one(measure)) * mean


def truth_scores(*, collection: Collection, choices: Choices) -> TruthScores | None:
    """Read the true scores of the chosen runs and queries; None without a known truth.

    None too where the scores are those of the truth, chosen by its name. No query outside
    rehearsals.
    """
    truth = truth_source(collection=collection)
    if truth is None or set(truth.sets) <= set(choices.source.sets):
        return None
    usual = replace(
        choices.spec, label_source=choices.stored_source.key, people="", target="", measures=()
    )
    if not is_stored(collection=collection, spec=usual):
        return TruthScores({})
    rows = Score.objects.by_known_truth().filter(
        run__in=choices.spec.runs,
        run__collection=collection,
        query_set__name=choices.spec.query_set,
        threshold=choices.spec.threshold,
        measure__in=choices.spec.measures,
    )
    return TruthScores(
        {
            (query_set, run, measure): mean
            for query_set, run, measure, mean in rows.values_list(
                "query_set", "run", "measure", "mean"
            )
            if mean is not None
        }
    )
