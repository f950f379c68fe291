"""Sentences on the tests of a table's differences, and on what counts of queries that runs miss."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotate.core.phrases import counted, enumeration
from metrics.core.comparisons.missing_queries import MISSING_RUNS, MISSING_ZERO
from metrics.core.comparisons.range_tests import METHODS as RANGE_METHODS
from metrics.core.comparisons.run_comparison import (
    HAVE_OWN_ERRORS,
    METHOD_NAMES,
    NEWMAN_KEULS,
    RANDOMIZATION,
    RANDOMIZED_TUKEY,
)
from metrics.core.measures.measures import Measure, parse_one

Facts = dict[str, Any]
ALPHA = 0.05  # of the test of one moment
SHARES_OF_1 = ("RBPres",)  # families whose share of a query without a ranking is 1


class MeasureTest(NamedTuple):
    """The test of the runs by one measure.

    n_pairs : of runs; facts : of the method and what it was given, as they are stored
    """

    measure: str
    n_pairs: int
    facts: Facts

    @property
    def method(self) -> str:
        """The method that decided; empty without a test."""
        return str(self.facts.get("method", ""))

    @property
    def is_marked(self) -> bool:
        """True if a method for nearly normal scores decided on scores that are 0 or 1."""
        return self.method in RANGE_METHODS and self.facts.get("q") is not None


def notes(decisions: Sequence[MeasureTest], *, over: str, unit: str) -> list[str]:
    """Return sentences on the tests of a table's differences: method, limits, what is left out.

    over : the queries, as the page calls them; unit : the plural noun for one observation
    """
    tested_decisions = [decision for decision in decisions if decision.method]
    if not tested_decisions:
        return []
    method = str(tested_decisions[0].facts["asked"])
    own = " and each pair's own error" if method in HAVE_OWN_ERRORS else ""
    sentences = [
        (
            f"{METHOD_NAMES[method]}{own}: at .05 over "
            f"{over}{_samples(tested_decisions, method, unit)}."
        )
    ]
    if instead := [decision.measure for decision in tested_decisions if decision.method != method]:
        how = "toss as often as Holm's correction needs" if method == RANDOMIZATION else "permute"
        why = f"so many runs and queries would take too long to {how}"
        sentences.append(
            f"Tukey's HSD and each pair's own error tested {', '.join(instead)} instead, as {why}."
        )
    if hopeless_measures := [
        decision.measure
        for decision in tested_decisions
        if not decision.facts.get("can_differ", True)
    ]:
        sentences.append(
            f"By {', '.join(hopeless_measures)} the runs differ on too few {unit} for this test to "
            "tell any two of them apart, whatever their scores."
        )
    if method == RANDOMIZATION and tested_decisions[0].method == method:
        n_pairs = max(1, *(decision.n_pairs for decision in tested_decisions))
        sentences.append(
            f"Of {counted(n_pairs, 'pair')} Holm's correction asks p below {ALPHA / n_pairs:.2g} "
            "of the first. A pair whose p Hoeffding's inequality bounds below that is told apart "
            "by the bound, without tosses."
        )
    if method == NEWMAN_KEULS:
        sentences.append(
            "It does not hold the family-wise error: the more runs there are, the surer it is to "
            "declare some that are equal different. Rely on randomized Tukey."
        )
    if marked_measures := [decision.measure for decision in tested_decisions if decision.is_marked]:
        made_for = "was made for scores that are near normal; for 0/1 rely on randomized Tukey"
        sentences.append(
            f"The scores of {', '.join(marked_measures)} are 0 or 1 (‡): the method {made_for}."
        )
    return sentences + _left_out(tested_decisions)


def _samples(decisions: Sequence[MeasureTest], method: str, unit: str) -> str:
    """Say how many permutations or tosses were drawn; empty for methods that draw none."""
    counts = [
        decision.facts["n_samples"]
        for decision in decisions
        if decision.method == method and decision.facts["n_samples"]
    ]
    if not counts:
        return ""
    times = (
        f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    )
    draws = {
        RANDOMIZED_TUKEY: f"permutations of the runs within {unit}",
        RANDOMIZATION: f"tosses of all {unit}",
    }
    return f", {times} {draws[method]}, seeded by the scores"


def _left_out(decisions: Sequence[MeasureTest]) -> list[str]:
    """Say how queries that some run misses were treated, unless they count as they do in scores."""
    facts = decisions[0].facts
    if facts["missing"] == MISSING_ZERO:
        return []
    count = missed_text([parse_one(decision.measure) for decision in decisions])
    if facts["missing"] == MISSING_RUNS:
        return [
            f"Runs that miss queries are left out of these tests: {facts['n_runs_out']:,}. Their "
            f"scores count {count} for those."
        ]
    return [
        "Queries that some run misses are left out of these tests: "
        f"{facts['n_queries_out']:,}. Scores count {count} for those."
    ]


def missed_text(measures: Sequence[Measure]) -> str:
    """The count, in words, of a query that a run misses: 0 by shares, beyond all ranks by ranks."""
    shares = [measure for measure in measures if measure.is_share]
    full_names = [measure.name for measure in shares if measure.family in SHARES_OF_1]
    ranks = [measure for measure in measures if not measure.is_share]
    parts = ["0"] if len(full_names) < len(shares) or not measures else []
    if full_names:
        parts.append(f"1 by {enumeration(full_names)}")
    if ranks:
        names = enumeration([measure.name for measure in ranks])
        parts.append(f"as beyond every rank by {names} where there is a positive")
    means = [measure.name for measure in ranks if measure.is_mean]
    undefined = f", which leaves {enumeration(means)} undefined" if means else ""
    return f"{', and '.join(parts)}{undefined}"
