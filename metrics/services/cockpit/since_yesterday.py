"""The events of the last day in three lines: labels and alpha, runs, pools."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from annotate.core.figures import decimals
from annotate.core.phrases import counted
from annotate.models import Collection
from metrics.services.dashboard.recent_events import RecentEvents, RecentRow
from metrics.services.numbers import history


class RecentLine(NamedTuple):
    """Runs or pools with which the same happened: the newest by name, with the page of it.

    noun, address : of one; more_text, list_address : of those beyond the newest
    """

    noun: str
    row: RecentRow
    address: str
    more_text: str
    list_address: str
    event: str


class SinceYesterday(NamedTuple):
    """The events since a moment of yesterday.

    n_labels_by_person : labels of each person since then, of the moment of all labels
    n_pairs_by_round : pairs by the key of a round
    alpha_before, alpha : of the planned labels then and now; None where it is not defined or kept
    """

    events: RecentEvents
    n_labels_by_person: Sequence[int]
    n_pairs_by_round: Mapping[int, int]
    alpha_before: float | None
    alpha: float | None

    @property
    def labels_text(self) -> str:
        """The labels, by how many people; empty without one."""
        n_people = sum(n > 0 for n in self.n_labels_by_person)
        if not n_people:
            return ""
        labels = counted(sum(self.n_labels_by_person), "label")
        return f"{labels} by {counted(n_people, 'person')}"

    @property
    def alpha_text(self) -> str:
        """The move of alpha in two digits; empty where either is missing or it is the same."""
        if self.alpha is None or self.alpha_before is None:
            return ""
        before, now = decimals(self.alpha_before, 2), decimals(self.alpha, 2)
        if before == now:
            return f"alpha still {now}" if self.labels_text else ""
        return (
            f"alpha {'rose' if self.alpha > self.alpha_before else 'fell'} from {before} to {now}"
        )

    @property
    def run_lines(self) -> list[RecentLine]:
        """The runs that were added; empty without one."""
        return _lines("Run", self.events.runs, "pooling:run", "pooling:runs", "added")

    @property
    def pool_lines(self) -> list[RecentLine]:
        """The pools that were opened, with the pairs of one alone, and those that were closed."""
        pools, address, list_address = self.events.opened_pools, "pooling:pool", "pooling:pools"
        n_pairs = self.n_pairs_by_round.get(pools[0].round or 0) if len(pools) == 1 else None
        event = "opened" if n_pairs is None else f"opened with {counted(n_pairs, 'pair')}"
        return [
            *_lines("Pool", pools, address, list_address, event),
            *_lines("Pool", self.events.closed_pools, address, list_address, "closed"),
        ]

    @property
    def is_empty(self) -> bool:
        """True if nothing happened."""
        texts = (self.labels_text, self.alpha_text, self.run_lines, self.pool_lines)
        return not any(texts)


def _lines(
    noun: str, rows: Sequence[RecentRow], address: str, list_address: str, event: str
) -> list[RecentLine]:
    if not rows:
        return []
    more_text = f"{len(rows) - 1:,} more" if len(rows) > 1 else ""
    return [RecentLine(noun, rows[0], address, more_text, list_address, event)]


def alpha_at(*, collection: Collection, level: str, moment: datetime) -> float | None:
    """Alpha of the planned labels at a moment; None if nothing so old is kept, or has it."""
    point = history.newest_before(collection=collection, kind="agreement", moment=moment)
    if point is None:
        return None
    value: float | None = history.alphas_of(point).get("planned", {}).get(level, {}).get("value")
    return value
