"""The parts of a leaderboard's table: a score with all that belongs to it, and which runs a measure tells apart."""

from itertools import pairwise
from typing import Any, NamedTuple

from metrics.core.measures import Measure
from pooling.models import Run


class Cell(NamedTuple):
    """A score: the whole (with people's labels), the reference's part, the difference of the two; shares in per cent.

    The three are rounded so that what is printed adds up. `defined` is the mean over queries with a positive.
    negative, positive : the score as if every unjudged target had been judged so
    judged : per cent of the first ranks that is judged; group : the pseudo-group, 1 holds the best run
    icc, deff : intraclass correlation and design effect, where queries come in groups
    """

    whole: float
    reference: float | None
    difference: float | None
    low: float | None
    high: float | None
    defined: float | None
    n_defined: int
    negative: float | None = None
    positive: float | None = None
    judged: float | None = None
    group: int | None = None
    icc: float | None = None
    deff: float | None = None

    @property
    def text(self) -> str:
        """A (B + C), or A alone where there is no reference."""
        if self.reference is None or self.difference is None:
            return f"{self.whole:.1f}"
        sign = "\N{MINUS SIGN}" if self.difference < 0 else "+"
        return f"{self.whole:.1f} ({self.reference:.1f} {sign} {abs(self.difference):.1f})"

    @classmethod
    def of(cls, facts: dict[str, Any], *, scale: float, group: int | None = None) -> "Cell | None":
        """A cell of what was measured, None where the whole is not defined."""
        if facts.get("whole") is None:
            return None

        def scaled(name: str, by: float = scale) -> float | None:
            value = facts.get(name)
            return None if value is None else by * value

        total, reference = scale * facts["whole"], scaled("reference")
        part = None if reference is None else round(reference, 1)
        return cls(
            whole=total,
            reference=part,
            difference=None if part is None else round(round(total, 1) - part, 1),
            low=scaled("low"),
            high=scaled("high"),
            defined=scaled("defined"),
            n_defined=facts["n_defined"],
            negative=scaled("negative"),
            positive=scaled("positive"),
            judged=scaled("judged", 100),
            group=group,
            icc=facts.get("icc"),
            deff=facts.get("deff"),
        )


class Absent(NamedTuple):
    """A score that there is not, and why: "n/a beyond 100" where the run's lists end before the rank it needs."""

    reason: str

    def __bool__(self) -> bool:
        return False


class Decision(NamedTuple):
    """Which runs one measure tells apart, best first; `why` says why it can not.

    n_pairs : pairs of runs there are; n_decided : those that differ; open : the pairs of neighbours that do not
    """

    measure: str
    why: str
    groups: list[list[Run]]
    n_decided: int
    n_pairs: int
    open: list[tuple[Run, Run]]

    def group_of(self, run: Run) -> int | None:
        """The number of the run's pseudo-group, 1 for the best."""
        return next((number for number, group in enumerate(self.groups, start=1) if run in group), None)


def decision(facts: dict[str, Any], runs: list[Run]) -> Decision:
    """What a view says of one measure, with its runs."""
    by_pk = {run.pk: run for run in runs}
    found = facts["decided"]
    groups = [[by_pk[pk] for pk in group if pk in by_pk] for group in found["groups"]]
    order = [run for group in groups for run in group]
    apart = {tuple(pair) for pair in found["pairs"]}
    neighbours = [(a, b) for a, b in pairwise(order) if (a.pk, b.pk) not in apart]
    n_pairs = len(order) * (len(order) - 1) // 2
    return Decision(facts["name"], found["why"], groups, len(apart), n_pairs, neighbours)


def headline(leaders: list[str], decision: Decision) -> str:
    """Who leads by a measure, and how many runs nothing tells apart from them; empty where nothing is decided.

    leaders : the runs that have the best score
    """
    if not decision.groups or not leaders:
        return ""
    names = leaders if len(leaders) < 3 else [f"{len(leaders):,} runs"]
    who = f"{leaders[0]} leads" if len(leaders) == 1 else f"{' and '.join(names)} lead alike"
    n, them = len(decision.groups[0]) - len(leaders), "it" if len(leaders) == 1 else "them"
    if n <= 0:
        return f"{who} at {decision.measure}."
    return f"{who} at {decision.measure}; nothing separates {them} from the next {'one' if n == 1 else f'{n:,}'}."


def unit_of(measure: Measure) -> str:
    """What the numbers shown of a measure are: "%" of shares, "rank" of ranks."""
    return "rank" if measure.entry.smaller_is_better else "%"


def measure_scale(measure: Measure) -> float:
    """Shares are shown in per cent, ranks as they are."""
    return 1.0 if measure.entry.smaller_is_better else 100.0
