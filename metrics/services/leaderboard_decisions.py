"""Which runs a measure tells apart: tested from their values, kept as JSON, and told on the page."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.groups import Groups
from metrics.core.letters import shown
from metrics.core.measures import Measure
from metrics.core.multiple import METHODS as RANGE_METHODS
from metrics.core.tournament import HAVE_OWN_ERRORS, NEWMAN_KEULS, RANDOMIZATION, RANDOMIZED_TUKEY, decide
from metrics.core.zero_one import are_zero_one, cochran
from metrics.services.leaderboard_wanted import METHOD_NAMES, MISSING_QUERIES, MISSING_RUNS, MISSING_ZERO
from pooling.models import Run

Facts = dict[str, Any]
ALPHA = 0.05  # of the test of one moment


def decided(
    measure: Measure,
    scores: NDArray[np.float64],
    runs: list[int],
    *,
    groups: Groups,
    method: str,
    alpha: float = ALPHA,
    missing: str = MISSING_ZERO,
    missed: NDArray[np.bool_] | None = None,
    n_measures: int = 1,
) -> Facts:
    """Letters, pseudo-groups and pairs of runs that differ, as JSON, or why there are none.

    scores : (Q, S); groups : of the Q queries; alpha : the family-wise error of this one test
    missing : what is done with queries that a run misses; missed : (Q, S) which, needed unless they count 0
    n_measures : of the table, which share the time that permutations may take
    """
    why = _why_not(measure, scores, runs, groups)
    left_out: Facts = {"missing": missing, "n_runs_out": 0, "n_queries_out": 0}
    if not why and missed is not None and missing != MISSING_ZERO:
        is_run, is_query = np.ones(len(runs), dtype=bool), np.ones(len(scores), dtype=bool)
        if missing == MISSING_RUNS:
            is_run = np.asarray(~missed.any(axis=0))
        else:
            is_query = np.asarray(~missed.any(axis=1))
        left_out |= {"n_runs_out": int((~is_run).sum()), "n_queries_out": int((~is_query).sum())}
        scores, groups = scores[np.ix_(is_query, is_run)], groups.within(is_query)
        runs = [run for run, is_in in zip(runs, is_run.tolist(), strict=True) if is_in]
        if len(runs) < 2:
            why = "fewer than two runs hold every query"
        elif groups.n < 2:
            why = "fewer than two queries or groups that no run misses"
    if why:
        return {"why": why, "groups": [], "pairs": [], **left_out}
    sign = -1 if measure.entry.smaller_is_better else 1
    found = decide(sign * scores, groups=groups, method=method, alpha=alpha, n_tables=n_measures)
    ordered = [runs[place] for place in found.order]
    first, second = np.nonzero(np.triu(found.significant))
    return {
        "why": "",
        "groups": [[ordered[place] for place in group] for group in found.groups],
        "pairs": [[ordered[i], ordered[j]] for i, j in zip(first.tolist(), second.tolist(), strict=True)],
        "letters": [[run, own] for run, own in zip(ordered, found.letters, strict=True)],
        "asked": method,
        "method": found.method,
        "n_samples": found.n_samples,
        "q": _q_facts(scores, groups),
        **left_out,
    }


def _why_not(measure: Measure, scores: NDArray[np.float64], runs: list[int], groups: Groups) -> str:
    """Why nothing can be decided; empty where it can."""
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
    """Cochran's Q of scores that are 0 or 1, as JSON; what is not defined is null."""
    if not are_zero_one(scores):
        return None
    q = cochran(scores, groups)
    numbers = {"statistic": q.statistic, "p": q.p_value}
    return {"df": q.df, "n_samples": q.n_samples} | {
        name: None if math.isnan(number) else number for name, number in numbers.items()
    }


class Decision(NamedTuple):
    """Which runs one measure tells apart, best first; `why` says why it can not.

    n_pairs : pairs of runs there are; n_decided : those that differ; open : the pairs of neighbours that do not
    letters : of each run by its key; facts : what `decided` gave
    """

    measure: str
    why: str
    groups: list[list[Run]]
    n_decided: int
    n_pairs: int
    open: list[tuple[Run, Run]]
    letters: Mapping[int, list[str]]
    facts: Facts

    def group_of(self, run: Run) -> int | None:
        """The number of the run's pseudo-group, 1 for the best."""
        return next((number for number, group in enumerate(self.groups, start=1) if run in group), None)

    @property
    def method(self) -> str:
        """What tested; empty where nothing did."""
        return str(self.facts.get("method", ""))

    @property
    def is_marked(self) -> bool:
        """Whether what was made for scores near normal decided scores that are 0 or 1."""
        return self.method in RANGE_METHODS and self.facts.get("q") is not None

    @property
    def lettered(self) -> list[tuple[Run, str]]:
        """The runs, best first, with their letters in little space."""
        order = [run for group in self.groups for run in group]
        return [(run, shown(self.letters[run.pk])) for run in order if run.pk in self.letters]

    @property
    def q_text(self) -> str:
        """Cochran's Q; empty of scores that are not 0 or 1."""
        q = self.facts.get("q")
        if q is None:
            return ""
        if q["statistic"] is None:
            return "no query tells runs apart"
        if q["p"] is None:
            return f"Q {q['statistic']:.2f}, p not defined: too many groups of queries to permute"
        p = "p < .0001" if q["p"] < 0.0001 else f"p {q['p']:.4f}"
        how = f"df {q['df']}" if q["df"] is not None else f"{q['n_samples']:,} permutations of the groups"
        return f"Q {q['statistic']:.2f}, {how}, {p}"


def decision(facts: Facts, runs: list[Run]) -> Decision:
    """What a view says of one measure, with its runs."""
    by_pk = {run.pk: run for run in runs}
    found = facts["decided"]
    groups = [[by_pk[pk] for pk in group if pk in by_pk] for group in found["groups"]]
    order = [run for group in groups for run in group]
    apart = {tuple(pair) for pair in found["pairs"] if set(pair) <= set(by_pk)}
    neighbours = [(a, b) for a, b in pairwise(order) if (a.pk, b.pk) not in apart]
    n_pairs = len(order) * (len(order) - 1) // 2
    letters = {pk: own for pk, own in found.get("letters", ()) if pk in by_pk}
    return Decision(facts["name"], found["why"], groups, len(apart), n_pairs, neighbours, letters, found)


def headline(leaders: list[Run], decision: Decision) -> str:
    """Who leads by a measure so far, and how many runs nothing tells apart from them yet; empty where nothing does.

    leaders : the runs that have the best score
    """
    if not decision.groups or not leaders or not set(leaders) <= set(decision.groups[0]):
        return ""
    names = [run.name for run in leaders] if len(leaders) < 3 else [f"{len(leaders):,} runs"]
    who = f"{leaders[0].name} leads so far" if len(leaders) == 1 else f"{' and '.join(names)} lead alike so far"
    n, them = len(decision.groups[0]) - len(leaders), "it" if len(leaders) == 1 else "them"
    if n <= 0:
        return f"{who} at {decision.measure}."
    return f"{who} at {decision.measure}; nothing yet separates {them} from the next {'one' if n == 1 else f'{n:,}'}."


def notes(decisions: Sequence[Decision], *, over: str, unit: str) -> list[str]:
    """How the differences of a table were tested, a sentence each: the method, what it asks for, what was left out.

    over : the queries, as the page calls them; unit : what is one observation, in the plural
    """
    made = [each for each in decisions if each.method]
    if not made:
        return []
    asked = str(made[0].facts["asked"])
    own = " and each pair's own error" if asked in HAVE_OWN_ERRORS else ""
    said = [f"{METHOD_NAMES[asked]}{own}: at .05 over {over}{_samples(made, asked, unit)}."]
    if instead := [each.measure for each in made if each.method != asked]:
        how = "toss as often as Holm's correction needs" if asked == RANDOMIZATION else "permute"
        why = f"so many runs and queries would take too long to {how}"
        said.append(f"Tukey's HSD and each pair's own error tested {', '.join(instead)} instead, as {why}.")
    if asked == NEWMAN_KEULS:
        said.append(
            "It does not hold the family-wise error: the more runs there are, the surer it is to declare some that are "
            "equal different. Rely on randomized Tukey."
        )
    if marked := [each.measure for each in made if each.is_marked]:
        made_for = "was made for scores that are near normal; for 0/1 rely on randomized Tukey"
        said.append(f"The scores of {', '.join(marked)} are 0 or 1 (‡): the method {made_for}.")
    return said + _left_out(made[0].facts)


def _samples(made: Sequence[Decision], asked: str, unit: str) -> str:
    """How often what was drawn; empty of methods that draw nothing."""
    counts = [each.facts["n_samples"] for each in made if each.method == asked and each.facts["n_samples"]]
    if not counts:
        return ""
    times = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    what = {RANDOMIZED_TUKEY: f"permutations of the runs within {unit}", RANDOMIZATION: f"tosses of all {unit}"}
    return f", {times} {what[asked]}, seeded by the scores"


def _left_out(facts: Facts) -> list[str]:
    """What was done with queries that some run misses, where they do not count 0."""
    n_runs, n_queries = facts["n_runs_out"], facts["n_queries_out"]
    if facts["missing"] == MISSING_RUNS:
        return [f"Runs that miss queries are left out of these tests: {n_runs:,}. Their scores count 0 for those."]
    if facts["missing"] == MISSING_QUERIES:
        left = f"Queries that some run misses are left out of these tests: {n_queries:,}"
        return [f"{left}. Scores count 0 for those."]
    return []
