"""Significant differences of runs by a measure: tested, stored as JSON, and put into words."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.figures import p_text
from annotate.core.phrases import enumeration
from metrics.charts.decision_notes import ALPHA, Facts, MeasureTest
from metrics.core.comparisons.binary_scores import are_zero_one, cochran
from metrics.core.comparisons.letters import abbreviate
from metrics.core.comparisons.missing_queries import MISSING_RUNS, MISSING_ZERO
from metrics.core.comparisons.run_comparison import (
    decide,
)
from metrics.core.measures.measures import Measure
from metrics.core.statistics.groups import Groups
from pooling.models import Run

MAX_NAMED_PAIRS = 6  # pairs of neighbours that a sentence names


def decision_facts(
    measure: Measure,
    scores: NDArray[np.float64],
    runs: list[int],
    *,
    groups: Groups,
    method: str,
    alpha: float = ALPHA,
    missing: str = MISSING_ZERO,
    is_missing: NDArray[np.bool_] | None = None,
    n_measures: int = 1,
) -> Facts:
    """Return letters, pseudo-groups and pairs of runs that differ, as JSON, or why there are none.

    scores : (Q, S); groups : of the Q queries; alpha : the family-wise error of this one test
    missing : the treatment of missing queries; is_missing : (Q, S), needed unless they count 0
    n_measures : of the table, which share the time that permutations may take
    """
    why = _why_not(measure, scores, runs, groups)
    left_out: Facts = {"missing": missing, "n_runs_out": 0, "n_queries_out": 0}
    if not why and is_missing is not None and missing != MISSING_ZERO:
        is_run, is_query = _included(is_missing, missing)
        left_out |= {"n_runs_out": int((~is_run).sum()), "n_queries_out": int((~is_query).sum())}
        scores, groups = scores[np.ix_(is_query, is_run)], groups.within(is_query)
        runs = [run for run, is_included in zip(runs, is_run.tolist(), strict=True) if is_included]
        if len(runs) < 2:
            why = "fewer than two runs hold every query"
        elif groups.n < 2:
            why = "fewer than two queries or groups that no run misses"
    if why:
        return {"why": why, "groups": [], "pairs": [], **left_out}
    sign = -1 if measure.entry.smaller_is_better else 1
    outcome = decide(sign * scores, groups=groups, method=method, alpha=alpha, n_tables=n_measures)
    order = [runs[position] for position in outcome.order]
    positions = np.argwhere(np.triu(outcome.significant)).tolist()
    return {
        "why": "",
        "groups": [[order[position] for position in group] for group in outcome.groups],
        "pairs": [[order[i], order[j]] for i, j in positions],
        "letters": [
            [run, run_letters] for run, run_letters in zip(order, outcome.letters, strict=True)
        ],
        "asked": method,
        "method": outcome.method,
        "n_samples": outcome.n_samples,
        "can_differ": outcome.can_differ,
        "q": _q_facts(scores, groups),
        **left_out,
    }


def _included(
    is_missing: NDArray[np.bool_], missing: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the runs and of the queries that stay in the tests.

    is_missing : (Q, S); missing : MISSING_RUNS or MISSING_QUERIES
    """
    is_query, is_run = (np.ones(n, dtype=bool) for n in is_missing.shape)
    if missing == MISSING_RUNS:
        return np.asarray(~is_missing.any(axis=0)), is_query
    return is_run, np.asarray(~is_missing.any(axis=1))


def _why_not(measure: Measure, scores: NDArray[np.float64], runs: list[int], groups: Groups) -> str:
    """Return the reason why no test is possible; empty if one is."""
    if len(runs) < 2:
        return "a single run"
    if len(scores) < 2:
        return "fewer than two queries"
    if groups.n_queries != len(scores):
        return "the queries have changed, and their scores are being made"
    if groups.n < 2:
        return "all queries are of one group"
    if not measure.is_mean:
        return "a median, and the tests compare means"
    return "" if np.isfinite(scores).all() else "a query without a value"


def _q_facts(scores: NDArray[np.float64], groups: Groups) -> Facts | None:
    """Cochran's Q of scores that are 0 or 1, as JSON; undefined numbers are null."""
    if not are_zero_one(scores):
        return None
    q = cochran(scores, groups)
    numbers = {"statistic": q.statistic, "p": q.p_value}
    return {"df": q.df, "n_samples": q.n_samples} | {
        name: None if math.isnan(number) else number for name, number in numbers.items()
    }


class MeasureDecision(NamedTuple):
    """The decision of one measure on its runs, best first; `why` is the reason if there is none.

    n_pairs : pairs of runs; n_decided : pairs that differ; unseparated : pairs of neighbours that
        do not
    letters : of each run by its key; facts : the result of `decision_facts`
    """

    measure: str
    why: str
    groups: list[list[Run]]
    n_decided: int
    n_pairs: int
    unseparated: list[tuple[Run, Run]]
    letters: Mapping[int, list[str]]
    facts: Facts

    @property
    def group_texts(self) -> list[str]:
        """The names of the runs of each pseudo-group."""
        return [", ".join(run.name for run in group) for group in self.groups]

    @property
    def named_pairs(self) -> list[tuple[Run, Run]]:
        """The pairs of neighbours that do not differ, as far as pages name them."""
        return self.unseparated[:MAX_NAMED_PAIRS]

    @property
    def more_text(self) -> str:
        """The number of such pairs that are not named; empty if all are."""
        n_more = len(self.unseparated) - MAX_NAMED_PAIRS
        return f" and {n_more} more" if n_more > 0 else ""

    @property
    def unseparated_text(self) -> str:
        """The pairs of neighbours that do not differ."""
        pairs = ", ".join(f"{first.name} ? {second.name}" for first, second in self.named_pairs)
        return f"{pairs or 'none'}{self.more_text}"

    def group_of(self, run: Run) -> int | None:
        """Return the number of the run's pseudo-group, 1 for the best."""
        return next(
            (number for number, group in enumerate(self.groups, start=1) if run in group), None
        )

    def separates(self, leaders: list[Run], followers: list[Run]) -> bool:
        """True if each leader is among the best here, and differs from each follower."""
        letters = [set(self.letters.get(run.pk, ())) for run in leaders]
        follower_letters = [set(self.letters.get(run.pk, ())) for run in followers]
        return (
            all("a" in own for own in letters)
            and all(follower_letters)
            and not any(own & other for own in letters for other in follower_letters)
        )

    @property
    def test(self) -> MeasureTest:
        """The facts that sentences on the test are made of."""
        return MeasureTest(self.measure, self.n_pairs, self.facts)

    @property
    def method(self) -> str:
        """The method of the test; empty without a test."""
        return self.test.method

    @property
    def is_marked(self) -> bool:
        """True if a method for nearly normal scores decided on scores that are 0 or 1."""
        return self.test.is_marked

    @property
    def runs_with_letters(self) -> list[tuple[Run, str]]:
        """The runs, best first, with their letters in compact form."""
        order = [run for group in self.groups for run in group]
        return [(run, abbreviate(self.letters[run.pk])) for run in order if run.pk in self.letters]

    @property
    def q_text(self) -> str:
        """Cochran's Q in words; empty for scores that are not 0 or 1."""
        q = self.facts.get("q")
        if q is None:
            return ""
        if q["statistic"] is None:
            return "no query tells runs apart"
        if q["p"] is None:
            return f"Q {q['statistic']:.2f}, p not defined: too many groups of queries to permute"
        p = f"p {p_text(q['p'])}"
        how = (
            f"df {q['df']}"
            if q["df"] is not None
            else f"{q['n_samples']:,} permutations of the groups"
        )
        return f"Q {q['statistic']:.2f}, {how}, {p}"


def decision(facts: Facts, runs: list[Run]) -> MeasureDecision:
    """Build the decision of one measure from a view's facts and its runs."""
    by_pk = {run.pk: run for run in runs}
    outcome = facts["decided"]
    groups = [[by_pk[pk] for pk in group if pk in by_pk] for group in outcome["groups"]]
    order = [run for group in groups for run in group]
    different_pairs = {tuple(pair) for pair in outcome["pairs"] if set(pair) <= set(by_pk)}
    neighbours = [(a, b) for a, b in pairwise(order) if (a.pk, b.pk) not in different_pairs]
    n_pairs = len(order) * (len(order) - 1) // 2
    letters = {pk: run_letters for pk, run_letters in outcome.get("letters", ()) if pk in by_pk}
    return MeasureDecision(
        facts["name"],
        outcome["why"],
        groups,
        len(different_pairs),
        n_pairs,
        neighbours,
        letters,
        outcome,
    )


def headline(
    leaders: list[Run], decision: MeasureDecision, more: Sequence[MeasureDecision] = ()
) -> str:
    """Name the leading runs by a measure and count those not separated from them.

    Empty if undecided.
    leaders : the runs that have the best score
    more : decisions of other measures, of which those are named that do separate them
    """
    if not decision.groups or not leaders or not set(leaders) <= set(decision.groups[0]):
        return ""
    names = [run.name for run in leaders] if len(leaders) < 3 else [f"{len(leaders):,} runs"]
    lead = (
        f"{leaders[0].name} leads so far"
        if len(leaders) == 1
        else f"{' and '.join(names)} lead alike so far"
    )
    followers = [run for run in decision.groups[0] if run not in leaders]
    n, pronoun = len(followers), "it" if len(leaders) == 1 else "them"
    if not n:
        return f"{lead} at {decision.measure}."
    names = [other.measure for other in more if other.separates(leaders, followers)]
    exceptions = f"; {enumeration(names)} {'does' if len(names) == 1 else 'do'}" if names else ""
    return (
        f"{lead} at {decision.measure}, which does not yet separate {pronoun} from the next "
        f"{'one' if n == 1 else f'{n:,}'}{exceptions}."
    )
