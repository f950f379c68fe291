"""What `plan` tells of one file of scores or two: which runs, how far their scores stray, and what a test shows."""

from dataclasses import dataclass, field
from itertools import combinations, product
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from django.core.management.base import CommandError, OutputWrapper
from numpy.typing import NDArray

from annotate.core.formats import shown
from metrics.core.groups import Groups
from metrics.core.sampling import (
    Middle,
    detectable_difference,
    middle_pair,
    middle_run,
    queries_for_difference,
    queries_for_error,
    sampling_error,
    seed_of_samples,
)
from metrics.core.score_files import ScoreTable
from metrics.management.groups import groups_of, refuse_one_group
from metrics.management.scores import read_table

TOLD = 20  # names of runs in a message
TARGETS = ("of_these", "like_these")
NO_PAIR = "The error of a difference and what is detectable are of two runs: name another by --against."


@dataclass
class Plan:
    """A plan as it is told.

    facts : what it is of, by name; sentences : what each number means
    columns : names of the numbers; rows : one a size, None where there is no such number
    needed : queries, and groups, for what was asked, None where they are more than 10,000,000
    """

    facts: dict[str, str | int | float]
    columns: list[str]
    rows: list[dict[str, Any]]
    sentences: dict[str, str] = field(default_factory=dict)
    needed: dict[str, int | None] = field(default_factory=dict)

    @property
    def sizes(self) -> list[int]:
        """The numbers of queries."""
        return [row["queries"] for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """The plan in JSON's terms."""
        return {**self.facts, "sizes": self.rows, **self.needed, "sentences": self.sentences}


class Runs(NamedTuple):
    """The runs that are planned with, on the Q queries that all of them have, and the queries' groups.

    scores : (Q, S) of the runs `names`; first : columns whose error may be told; pairs : columns of two runs each
    """

    names: list[str]
    scores: NDArray[np.float64]
    groups: Groups
    first: list[int]
    pairs: list[tuple[int, int]]


def planned(options: dict[str, Any], *, stderr: OutputWrapper) -> Plan:
    """The plan by the options of the command. Raises CommandError, FormatError, ValueError and OSError."""
    if not all(size.strip().isdigit() for size in options["sizes"].split(",")):
        raise CommandError(f'--sizes are whole numbers such as 500,1000,3000, not "{options["sizes"]}".')
    sizes = [int(size) for size in options["sizes"].split(",")]
    runs = chosen_runs(options, stderr=stderr)
    groups = runs.groups
    run = middle_run(runs.scores[:, runs.first], groups)
    name, scores = runs.names[runs.first[run.place]], runs.scores[:, runs.first[run.place]]
    facts: dict[str, str | int | float] = {"mean": fsum(scores) / len(scores), "queries": groups.n_queries}
    plan = Plan(facts, ["queries"], [{"queries": size} for size in sizes])
    if not groups.are_single:
        plan.facts["groups"] = groups.n
        plan.columns.append("groups")
        plan.sentences["groups"] = grouped_sentence(groups)
    plan.facts.update({"run": name, "samples": options["samples"]})
    plan.sentences["score"] = score_sentence(name, groups)
    _add_errors(plan, "score", scores, groups, options)
    if options["error"] is not None:
        plan.needed.update(_for_error(scores, groups, options))
    if runs.pairs:
        pair = middle_pair(runs.scores, runs.pairs, groups)
        _add_difference(plan, runs, runs.pairs[pair.place], options)
        plan.sentences |= chosen_sentence(plan, runs, pair)
    else:
        plan.sentences["difference"] = NO_PAIR
    return plan


def chosen_runs(options: dict[str, Any], *, stderr: OutputWrapper) -> Runs:
    """The runs of one file or two that the options name, else all; stderr says which queries not both files have."""
    table = read_table(options["scores"], options)
    groups = groups_of(table.queries, table.groups, options, stderr=stderr)
    first = _named(table, options["run"], "--run", path=options["scores"])
    scores, names = table.values, list(table.runs)
    if options["against"]:
        other = read_table(options["against"], options)
        second = _named(other, options["against_run"], "--against-run", path=options["against"])
        is_shared = _shared(options, table, other, stderr=stderr)
        place = {query: row for row, query in enumerate(other.queries)}
        rows = [place[query] for query, both in zip(table.queries, is_shared, strict=True) if both]
        scores, groups = np.hstack([scores[is_shared], other.values[rows]]), groups.within(is_shared)
        refuse_one_group(groups, of="queries of both files")
        second = [len(names) + column for column in second]
        names += other.runs
    else:
        second = _named(table, options["against_run"], "--against-run", path=options["scores"])
        if options["run"] is None and options["against_run"] is not None and len(first) > 1:
            first = [column for column in first if column not in second]
    pairs = list(combinations(first, 2)) if first == second else [(i, j) for i, j in product(first, second) if i != j]
    if not pairs and (options["against_run"] is not None or options["difference"] is not None):
        raise CommandError("A difference is of two runs: name another one by --against or --against-run.")
    return Runs(names, scores, groups, first, pairs)


def _named(table: ScoreTable, name: str | None, option: str, *, path: str) -> list[int]:
    """The column of the run that is named, else those of all by name. CommandError where scores are missing."""
    if name is not None and name not in table.runs:
        more = f" and {len(table.runs) - TOLD:,} more" if len(table.runs) > TOLD else ""
        raise CommandError(f"{path}: name one of its runs by {option}: {', '.join(table.runs[:TOLD])}{more}.")
    chosen = sorted(table.runs) if name is None else [name]
    columns = [table.runs.index(run) for run in chosen]
    for run, column in zip(chosen, columns, strict=True):
        n = int(np.count_nonzero(~np.isnan(table.values[:, column])))
        if n < len(table.queries):
            lack = f"{path}: run {run} has a score on {n:,} of {len(table.queries):,} queries"
            repair = "write 0 where it found nothing, or leave the other queries out of the file"
            elsewhere = "" if name else "; or name runs that have all by --run and --against-run"
            raise CommandError(f"{lack}; {repair}{elsewhere}.")
    return columns


def _shared(
    options: dict[str, Any], table: ScoreTable, other: ScoreTable, *, stderr: OutputWrapper
) -> NDArray[np.bool_]:
    """(Q,) whether the other file has the query too; stderr says how many not both have."""
    of_other = set(other.queries)
    is_shared = np.array([query in of_other for query in table.queries])
    n = int(np.count_nonzero(is_shared))
    if n < 2:
        raise CommandError(f"{options['scores']} and {options['against']} share fewer than two queries.")
    if n < max(len(table.queries), len(other.queries)):
        alone = next((query for query in table.queries if query not in of_other), None)
        alone = alone or next(query for query in other.queries if query not in set(table.queries))
        sizes = f"{options['scores']} has {len(table.queries):,} queries and {options['against']} {len(of_other):,}"
        stderr.write(f"{sizes}; the plan is of the {n:,} that both have, without such as {shown(alone)}.")
    return is_shared


def _add_errors(plan: Plan, noun: str, values: NDArray[np.float64], groups: Groups, options: dict[str, Any]) -> None:
    """Two columns: of values drawn without replacement and with."""
    seed = seed_of_samples(values, groups) if options["seed"] is None else options["seed"]
    plan.facts[f"seed_of_{noun}"] = seed
    plan.columns.extend(f"{noun}_{target}" for target in TARGETS)
    errors = sampling_error(values, plan.sizes, groups=groups, n_samples=options["samples"], seed=seed)
    for row, found in zip(plan.rows, errors, strict=True):
        row |= {"groups": found.n_groups, f"{noun}_of_these": found.of_these, f"{noun}_like_these": found.like_these}


def _add_difference(plan: Plan, runs: Runs, pair: tuple[int, int], options: dict[str, Any]) -> None:
    """Three columns of two runs: the errors of their difference, and the smallest that a test shows."""
    name, other = (runs.names[column] for column in pair)
    differences = runs.scores[:, pair[0]] - runs.scores[:, pair[1]]
    asked: dict[str, Any] = {"alpha": options["alpha"], "power": options["power"]}
    mean = fsum(differences) / len(differences)  # rounded once, so the same in whatever order
    plan.facts.update({"first": name, "second": other, "difference": mean, **asked})
    _add_errors(plan, "difference", differences, runs.groups, options)
    plan.sentences["difference"] = difference_sentence(name, other)
    plan.sentences["detectable_difference"] = detectable_sentence(name, other, options)
    plan.columns.append("detectable_difference")
    for row, found in zip(
        plan.rows, detectable_difference(differences, plan.sizes, groups=runs.groups, **asked), strict=True
    ):
        row["detectable_difference"] = found
    if options["difference"] is not None:
        wanted = f"for_difference_{options['difference']:g}"
        needed = queries_for_difference(differences, options["difference"], groups=runs.groups, **asked)
        plan.needed[f"queries_{wanted}"] = needed.n_queries
        if not runs.groups.are_single:
            plan.needed[f"groups_{wanted}"] = needed.n_groups


def _for_error(scores: NDArray[np.float64], groups: Groups, options: dict[str, Any]) -> dict[str, int | None]:
    """The queries whose error of a score is at most what was asked for, of these queries and of others like them."""
    asked: dict[str, Any] = {"groups": groups, "n_samples": options["samples"], "seed": options["seed"]}
    return {
        f"queries_for_error_{options['error']:g}_{target}": queries_for_error(
            scores, options["error"], of_these=target == "of_these", **asked
        )
        for target in TARGETS
    }


def score_sentence(run: str, groups: Groups) -> str:
    """What the error of a score is."""
    return (
        f"score_of_these, score_like_these: the error of a score. In 95 of 100 samples of N queries the mean of {run} "
        f"on them is at most this far from its mean on all: on the {groups.n_queries:,} queries there are (of_these: "
        "drawn without replacement, no error once all are drawn), or on all queries like them (like_these: drawn with "
        "replacement)."
    )


def difference_sentence(run: str, other: str) -> str:
    """What the error of a difference is."""
    return (
        f"difference_of_these, difference_like_these: the error of a difference. The same of the mean of {run} minus "
        f"that of {other} on the same N queries, which may be smaller or larger than that of one score."
    )


def detectable_sentence(run: str, other: str, options: dict[str, Any]) -> str:
    """What the smallest difference that a test shows is."""
    return (
        f"detectable_difference: what a test shows. If the means of {run} and {other} on all queries like these truly "
        f"differed by this much, a two-sided paired t test on N queries would find it at alpha {options['alpha']:g} "
        f"with chance {options['power']:g}; a smaller difference is missed more often. No error of a score says this."
    )


def chosen_sentence(plan: Plan, runs: Runs, pair: Middle) -> dict[str, str]:
    """Which of several runs and pairs the numbers are of, if there are several."""
    n_runs, n_pairs, facts = len(runs.first), len(runs.pairs), plan.facts
    told = []
    if n_runs > 1:
        told.append(f"of {n_runs:,} runs {facts['run']} has the {_which(n_runs)} error of a score")
    if n_pairs > 1:
        has = f"of {n_pairs:,} pairs {facts['first']} and {facts['second']} have the {_which(n_pairs)}"
        others = f"for the others it, and what is detectable, is {pair.least:.2f} to {pair.most:.2f} times that"
        told.append(f"{has} error of a difference; {others}")
    return {"chosen": f"Chosen: {'; '.join(told)}. --run and --against-run choose others."} if told else {}


def _which(n: int) -> str:
    """Of two errors the larger is taken, of others the one in the middle."""
    return "larger" if n == 2 else "middle"


def grouped_sentence(groups: Groups) -> str:
    """What N queries are where they come in groups."""
    return (
        "groups: whole groups of queries are drawn and tested, and N queries are taken for so many of the mean size, "
        f"which is {groups.n_queries / groups.n:.4g} queries."
    )
