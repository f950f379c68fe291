"""The plan of command `plan`: chosen runs, errors of scores, detectable differences."""

from argparse import Namespace
from dataclasses import dataclass, field
from itertools import combinations, product
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import quoted
from assayer.commands.command import CommandFailed, remark
from assayer.commands.files.groups import groups_of, refuse_one_group
from assayer.commands.files.scores import read_table
from metrics.core.files.scores import ScoreTable
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.sample_sizes import (
    MiddleBySpread,
    detectable_difference,
    middle_pair,
    middle_run,
    queries_for_difference,
    queries_for_error,
    sampling_error,
    seed_of_samples,
)

MAX_LISTED_RUNS = 20  # names of runs in a message
TARGETS = ("of_these", "like_these")
NO_PAIR = (
    "The error of a difference and what is detectable are of two runs: name another by --against."
)


@dataclass
class SampleSizePlan:
    """A plan for output.

    facts : the inputs of the plan, by name; sentences : the meaning of each number
    columns : names of the numbers; rows : one a size, None where there is no such number
    required_sizes : queries, and groups, that reach the options' targets, None for more than
        10,000,000
    """

    facts: dict[str, str | int | float]
    columns: list[str]
    rows: list[dict[str, Any]]
    sentences: dict[str, str] = field(default_factory=dict)
    required_sizes: dict[str, int | None] = field(default_factory=dict)

    @property
    def sizes(self) -> list[int]:
        """The numbers of queries."""
        return [row["queries"] for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """The plan for JSON."""
        return {
            **self.facts,
            "sizes": self.rows,
            **self.required_sizes,
            "sentences": self.sentences,
        }


class PlannedRuns(NamedTuple):
    """The runs of a plan, on the Q queries that all of them have, and the queries' groups.

    scores : (Q, S) of the runs `names`; own_columns : columns whose error of a score may be planned
    pairs : columns of two runs each
    """

    names: list[str]
    scores: NDArray[np.float64]
    groups: Groups
    own_columns: list[int]
    pairs: list[tuple[int, int]]


def make_plan(options: Namespace) -> SampleSizePlan:
    """Make the plan of the command's options.

    Raises CommandFailed, FormatError, ValueError and OSError.
    """
    if not all(size.strip().isdigit() for size in options.sizes.split(",")):
        raise CommandFailed(
            f'--sizes are whole numbers such as 500,1000,3000, not "{options.sizes}".'
        )
    sizes = [int(size) for size in options.sizes.split(",")]
    runs = select_runs(options)
    groups = runs.groups
    run = middle_run(runs.scores[:, runs.own_columns], groups)
    name = runs.names[runs.own_columns[run.position]]
    scores = runs.scores[:, runs.own_columns[run.position]]
    facts: dict[str, str | int | float] = {
        "mean": fsum(scores) / len(scores),
        "queries": groups.n_queries,
    }
    plan = SampleSizePlan(facts, ["queries"], [{"queries": size} for size in sizes])
    if not groups.are_single:
        plan.facts["groups"] = groups.n
        plan.columns.append("groups")
        plan.sentences["groups"] = groups_sentence(groups)
    plan.facts.update({"run": name, "samples": options.samples})
    plan.sentences["score"] = score_sentence(name, groups)
    _add_errors(plan, "score", scores, groups, options)
    if options.error is not None:
        plan.required_sizes.update(_queries_for_error(scores, groups, options))
    if runs.pairs:
        pair = middle_pair(runs.scores, runs.pairs, groups)
        _add_difference(plan, runs, runs.pairs[pair.position], options)
        plan.sentences |= choice_sentence(plan, runs, pair)
    else:
        plan.sentences["difference"] = NO_PAIR
    return plan


def select_runs(options: Namespace) -> PlannedRuns:
    """Read the runs that the options name, else all, from one file or two.

    Stderr names unshared queries.
    """
    table = read_table(options.scores, options)
    groups = groups_of(table.queries, table.groups, options)
    first = _run_columns(table, options.run, "--run", path=options.scores)
    scores, names = table.values, list(table.runs)
    if options.against:
        other_table = read_table(options.against, options)
        second = _run_columns(
            other_table, options.against_run, "--against-run", path=options.against
        )
        is_shared = _shared_queries(options, table, other_table)
        row_of_query = {query: row for row, query in enumerate(other_table.queries)}
        rows = [
            row_of_query[query]
            for query, in_both in zip(table.queries, is_shared, strict=True)
            if in_both
        ]
        scores = np.hstack([scores[is_shared], other_table.values[rows]])
        groups = groups.within(is_shared)
        refuse_one_group(groups, noun="queries of both files")
        second = [len(names) + column for column in second]
        names += other_table.runs
    else:
        second = _run_columns(table, options.against_run, "--against-run", path=options.scores)
        if options.run is None and options.against_run is not None and len(first) > 1:
            first = [column for column in first if column not in second]
    pairs = (
        list(combinations(first, 2))
        if first == second
        else [(i, j) for i, j in product(first, second) if i != j]
    )
    if not pairs and (options.against_run is not None or options.difference is not None):
        raise CommandFailed(
            "A difference is of two runs: name another one by --against or --against-run."
        )
    return PlannedRuns(names, scores, groups, first, pairs)


def _run_columns(table: ScoreTable, name: str | None, option: str, *, path: str) -> list[int]:
    """The column of the named run, else those of all, sorted by name.

    CommandFailed for missing scores.
    """
    if name is not None and name not in table.runs:
        more = (
            f" and {len(table.runs) - MAX_LISTED_RUNS:,} more"
            if len(table.runs) > MAX_LISTED_RUNS
            else ""
        )
        raise CommandFailed(
            f"{path}: name one of its runs by {option}: "
            f"{', '.join(table.runs[:MAX_LISTED_RUNS])}{more}."
        )
    names = sorted(table.runs) if name is None else [name]
    columns = [table.runs.index(run) for run in names]
    for run, column in zip(names, columns, strict=True):
        n = int(np.count_nonzero(~np.isnan(table.values[:, column])))
        if n < len(table.queries):
            lack = f"{path}: run {run} has a score on {n:,} of {len(table.queries):,} queries"
            repair = "write 0 where it found nothing, or leave the other queries out of the file"
            elsewhere = "" if name else "; or name runs that have all by --run and --against-run"
            raise CommandFailed(f"{lack}; {repair}{elsewhere}.")
    return columns


def _shared_queries(options: Namespace, table: ScoreTable, other: ScoreTable) -> NDArray[np.bool_]:
    """(Q,) whether the other file has the query too; stderr says how many queries both have."""
    other_queries = set(other.queries)
    is_shared = np.array([query in other_queries for query in table.queries])
    n_shared = int(np.count_nonzero(is_shared))
    if n_shared < 2:
        raise CommandFailed(f"{options.scores} and {options.against} share fewer than two queries.")
    if n_shared < max(len(table.queries), len(other.queries)):
        unshared_query = next(
            (query for query in table.queries if query not in other_queries), None
        )
        unshared_query = unshared_query or next(
            query for query in other.queries if query not in set(table.queries)
        )
        sizes = (
            f"{options.scores} has {len(table.queries):,} queries and {options.against} "
            f"{len(other_queries):,}"
        )
        remark(
            f"{sizes}; the plan is of the {n_shared:,} that both have, without such as "
            f"{quoted(unshared_query)}."
        )
    return is_shared


def _add_errors(
    plan: SampleSizePlan,
    noun: str,
    values: NDArray[np.float64],
    groups: Groups,
    options: Namespace,
) -> None:
    """Add two columns: the errors of values drawn without replacement and with replacement."""
    seed = seed_of_samples(values, groups) if options.seed is None else options.seed
    plan.facts[f"seed_of_{noun}"] = seed
    plan.columns.extend(f"{noun}_{target}" for target in TARGETS)
    errors = sampling_error(values, plan.sizes, groups=groups, n_samples=options.samples, seed=seed)
    for row, size_error in zip(plan.rows, errors, strict=True):
        row |= {
            "groups": size_error.n_groups,
            f"{noun}_of_these": size_error.of_these,
            f"{noun}_like_these": size_error.like_these,
        }


def _add_difference(
    plan: SampleSizePlan, runs: PlannedRuns, pair: tuple[int, int], options: Namespace
) -> None:
    """Add three columns of two runs: two errors of their difference, and the detectable one."""
    name, other = (runs.names[column] for column in pair)
    differences = runs.scores[:, pair[0]] - runs.scores[:, pair[1]]
    test_options: dict[str, Any] = {"alpha": options.alpha, "power": options.power}
    mean = fsum(differences) / len(differences)  # rounded once, so the same in any order
    plan.facts.update({"first": name, "second": other, "difference": mean, **test_options})
    _add_errors(plan, "difference", differences, runs.groups, options)
    plan.sentences["difference"] = difference_sentence(name, other)
    plan.sentences["detectable_difference"] = detectable_sentence(name, other, options)
    plan.columns.append("detectable_difference")
    for row, smallest in zip(
        plan.rows,
        detectable_difference(differences, plan.sizes, groups=runs.groups, **test_options),
        strict=True,
    ):
        row["detectable_difference"] = smallest
    if options.difference is not None:
        suffix = f"for_difference_{options.difference:g}"
        sizes = queries_for_difference(
            differences, options.difference, groups=runs.groups, **test_options
        )
        plan.required_sizes[f"queries_{suffix}"] = sizes.n_queries
        if not runs.groups.are_single:
            plan.required_sizes[f"groups_{suffix}"] = sizes.n_groups


def _queries_for_error(
    scores: NDArray[np.float64], groups: Groups, options: Namespace
) -> dict[str, int | None]:
    """Numbers of queries that reach --error, of these queries and of others like them."""
    sampling_options: dict[str, Any] = {
        "groups": groups,
        "n_samples": options.samples,
        "seed": options.seed,
    }
    return {
        f"queries_for_error_{options.error:g}_{target}": queries_for_error(
            scores, options.error, of_these=target == "of_these", **sampling_options
        )
        for target in TARGETS
    }


def score_sentence(run: str, groups: Groups) -> str:
    """Explain the error of a score."""
    return (
        "score_of_these, score_like_these: the error of a score. In 95 of 100 samples of N "
        f"queries the mean of {run} on them is at most this far from its mean on all: on the "
        f"{groups.n_queries:,} queries there are (of_these: drawn without replacement, no error "
        "once all are drawn), or on all queries like them (like_these: drawn with replacement)."
    )


def difference_sentence(run: str, other: str) -> str:
    """Explain the error of a difference."""
    return (
        "difference_of_these, difference_like_these: the error of a difference. The same of the "
        f"mean of {run} minus that of {other} on the same N queries, which may be smaller or "
        "larger than that of one score."
    )


def detectable_sentence(run: str, other: str, options: Namespace) -> str:
    """Explain the smallest difference that a test shows."""
    return (
        f"detectable_difference: what a test shows. If the means of {run} and {other} on all "
        "queries like these truly differed by this much, a two-sided paired t test on N queries "
        f"would find it at alpha {options.alpha:g} with chance {options.power:g}; a smaller "
        "difference is missed more often. No error of a score says this."
    )


def choice_sentence(
    plan: SampleSizePlan, runs: PlannedRuns, pair: MiddleBySpread
) -> dict[str, str]:
    """Name the run and the pair behind the numbers, if there are several of them."""
    n_runs, n_pairs, facts = len(runs.own_columns), len(runs.pairs), plan.facts
    parts = []
    if n_runs > 1:
        parts.append(
            f"of {n_runs:,} runs {facts['run']} has the {_ordinal_text(n_runs)} error of a score"
        )
    if n_pairs > 1:
        middle_text = (
            f"of {n_pairs:,} pairs {facts['first']} and {facts['second']} have the "
            f"{_ordinal_text(n_pairs)}"
        )
        range_text = (
            f"for the others it, and what is detectable, is {pair.least:.2f} to {pair.most:.2f} "
            "times that"
        )
        parts.append(f"{middle_text} error of a difference; {range_text}")
    return (
        {"chosen": f"Chosen: {'; '.join(parts)}. --run and --against-run choose others."}
        if parts
        else {}
    )


def _ordinal_text(n: int) -> str:
    """The word for the chosen one of n errors: the larger of two, else the one in the middle."""
    return "larger" if n == 2 else "middle"


def groups_sentence(groups: Groups) -> str:
    """Explain N queries where they come in groups."""
    return (
        "groups: of queries like these whole groups are drawn and tested, and N queries are taken "
        f"for so many of the mean size, which is {groups.n_queries / groups.n:.4g} queries; of "
        "these queries single ones are drawn, as a pool does."
    )
