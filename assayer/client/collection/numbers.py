"""Numbers of a collection."""

from typing import Any

from assayer.client.collection.part import CollectionPart
from assayer.client.records.numbers import (
    Agreement,
    AnalysisRow,
    Leaderboard,
    Progress,
    WholeAnalysis,
)
from assayer.client.records.record import Records, field_of
from assayer.client.transport import Call

WAIT = 600.0


class Numbers(CollectionPart):
    """The numbers of a collection's pages; `wait` is in seconds, after them NotReady is raised."""

    def progress(self, *, wait: float = WAIT) -> Progress:
        """The progress of all pools and imports, each pair once, and of each of them."""
        return self.numbers(Progress, Call("GET", self.address("progress/")), wait=wait)

    def agreement(self, level: str | None = None, *, wait: float = WAIT) -> Agreement:
        """Krippendorff's alpha, at a level of measurement: by default the collection's."""
        call = Call("GET", self.address("agreement/"), {"level": level})
        return self.numbers(Agreement, call, wait=wait)

    def leaderboard(self, *, wait: float = WAIT, **choices: Any) -> Leaderboard:
        """The scores of all runs.

        choices : direction, run, measure (each may be a list), label_source, people, threshold,
            queries, subset, words_from, words_to, method, missing, target, protocol
        """
        call = Call("GET", self.address("leaderboard/"), choices)
        return self.numbers(Leaderboard, call, wait=wait, title="The scores")

    def analyses(self) -> Records[AnalysisRow]:
        """The analyses that there are."""
        rows = field_of(self.transport.read(self.address("analyses/")), "analyses")
        return Records(AnalysisRow.of(row) for row in rows)

    def analysis(self, name: str, *, wait: float = WAIT, **choices: Any) -> WholeAnalysis:
        """An analysis by its name; choices are the parameters that `analyses` names of it."""
        call = Call("GET", self.address(f"analyses/{name}/"), choices)
        return self.numbers(WholeAnalysis, call, wait=wait, title=f"{name}: its numbers")
