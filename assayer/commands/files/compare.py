"""Compare runs and tell which differ."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, finite_number, quoted
from assayer.commands.command import CommandFailed, remark
from assayer.commands.files.argument_types import count, share, whole
from assayer.commands.files.groups import add_group_arguments, groups_of
from assayer.commands.files.labels import add_label_arguments, labels_of
from assayer.commands.files.samples import beyond_sample, refuse_unequal_rates
from assayer.commands.files.scores import add_choice_arguments, read_table
from metrics.core.comparisons.binary_scores import are_zero_one, cochran
from metrics.core.comparisons.missing_queries import MISSING_NAMES, MISSING_QUERIES, MISSING_ZERO
from metrics.core.comparisons.range_tests import METHODS as RANGE_METHODS
from metrics.core.comparisons.run_comparison import (
    HAVE_OWN_ERRORS,
    METHOD_NAMES,
    NEWMAN_KEULS,
    RANDOMIZED_TUKEY,
    Verdicts,
    decide,
)
from metrics.core.comparisons.run_comparison import METHODS as ALL_METHODS
from metrics.core.comparisons.significance import CORRECTIONS, SAMPLING_TESTS, TESTS, paired_test
from metrics.core.comparisons.swaps import reer_paired, reversal
from metrics.core.files.scores import ScoreTable, option_name
from metrics.core.measures.evaluation import evaluate_files
from metrics.core.measures.measures import UnknownMeasure, parse_one
from metrics.core.statistics.groups import Groups

METHODS = [name for name in ALL_METHODS if name not in TESTS]
N_SAMPLES = 10_000  # of a paired test
NOT_COMPARED = (
    "The labels are a sample, of which {1} counts what was not drawn as irrelevant, leaves it out "
    "or infers it with an unknown bias, for {0} at least: it tells no runs apart. Measures of "
    "ranks that were all drawn do, such as P@k."
)


DESCRIPTION = (
    "Compare runs on one measure: which differ, all pairs at once (randomized-tukey, tukey, "
    "regwq, newman-keuls), or every pair by a paired test. Of those the columns reversal and "
    "reer are chances: that as many other queries turn the order round, and that two such "
    "sets of queries disagree (docs/numbers.md)."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="FILE",
        help="run files; or without labels one file of scores",
    )
    add_label_arguments(parser)
    parser.add_argument(
        "--measure", help="default AP; of a file of scores, which, where it holds several"
    )
    parser.add_argument("--test", choices=[*METHODS, *TESTS], default=RANDOMIZED_TUKEY)
    parser.add_argument("--alpha", type=share, default=0.05, help="level of significance (.05)")
    parser.add_argument(
        "--correction", choices=list(CORRECTIONS), default="holm", help="of paired tests (holm)"
    )
    parser.add_argument(
        "--threshold",
        help="grade from which a document is positive (1); of a file, which scores",
    )
    add_choice_arguments(parser, ["direction", "query_set"])
    missing_help = (
        "what is done with queries that a run misses: zero counts 0, as is done with run files "
        "unless told, or leave such runs or queries out"
    )
    parser.add_argument("--missing", choices=list(MISSING_NAMES), help=missing_help)
    add_group_arguments(parser)
    parser.add_argument(
        "--samples", type=count, help="permutations of randomized Tukey, samples of a test"
    )
    parser.add_argument(
        "--seed",
        type=whole,
        help="of those samples; default: a hash of the scores, as on pages",
    )


def run(options: Namespace) -> None:
    """Print which runs differ, or every pair of them."""
    try:
        table = scores_to_compare(options)
        groups = groups_of(table.queries, table.groups, options)
        if not groups.are_single:
            facts = f"{groups.n_queries:,} queries of {groups.n:,} groups of queries"
            remark(f"{facts}: whole groups are compared.")
        if options.test in METHODS:
            verdicts = decide_runs(table, groups, options)
            for sentence in notes(table, groups, verdicts, options):
                remark(sentence)
            sys.stdout.writelines(verdict_lines(table, groups, verdicts))
        else:
            warn_of_few_samples(len(table.runs), options)
            sys.stdout.writelines(pair_lines(table, groups, options))
    except BrokenPipeError:
        raise  # nobody reads on
    except FormatError as error:
        raise CommandFailed(f"{error.file}: {error}") from error
    except ValueError as error:
        raise CommandFailed(str(error)) from error


def scores_to_compare(options: Namespace) -> ScoreTable:
    """Read the scores to compare, and complete them."""
    has_labels = options.qrels or options.reference
    foreign_options = ("direction", "query_set") if has_labels else ("queries",)
    if misplaced_options := [name for name in foreign_options if getattr(options, name)]:
        of = (
            "a file of scores, not of run files"
            if has_labels
            else "run files, not of a file of scores"
        )
        raise CommandFailed(f"{option_name(misplaced_options[0])} is an option of {of}.")
    if has_labels:
        return complete(*measure_runs(options), rule=options.missing or MISSING_ZERO)
    if len(options.runs) > 1:
        raise CommandFailed(
            "Name the labels of run files by --qrels or --reference, or name one file of scores."
        )
    table = read_table(options.runs[0], options)
    if len(table.runs) < 2:
        raise CommandFailed(
            f"The file holds scores of {table.runs[0]} alone; two runs or more are compared."
        )
    return complete(table, np.isnan(table.values), rule=options.missing)


def complete(table: ScoreTable, is_missing: NDArray[np.bool_], *, rule: str | None) -> ScoreTable:
    """Treat missing scores by the rule.

    CommandFailed where there is none, or too little is left.
    is_missing : (Q, S) whether a run has no score, or has one on a query that it misses
    """
    if not is_missing.any():
        return table
    missing_text = [
        f"{run} on {n:,}"
        for run, n in zip(table.runs, is_missing.sum(axis=0).tolist(), strict=True)
        if n
    ]
    first = table.queries[int(np.argmax(is_missing.any(axis=1)))]
    lack = (
        f"Scores are missing: of {len(table.queries):,} queries {', '.join(missing_text[:5])}, "
        f"such as {quoted(first)}."
    )
    if rule is None:
        raise CommandFailed(
            f"{lack} Say by --missing whether they count 0, or what to leave out: runs or queries."
        )
    if rule == MISSING_ZERO:
        remark(f"{lack} They count 0.")
        return table._replace(
            values=np.where(is_missing, np.nan_to_num(table.values), table.values)
        )
    if rule == MISSING_QUERIES:
        kept_queries = np.flatnonzero(~is_missing.any(axis=1))
        if not len(kept_queries):
            raise CommandFailed(f"{lack} No query is left.")
        remark(f"{lack} {len(kept_queries):,} queries are compared.")
        return table.of_queries(kept_queries)
    runs = np.flatnonzero(~is_missing.any(axis=0))
    if len(runs) < 2:
        raise CommandFailed(f"{lack} Fewer than two runs are left.")
    remark(f"{lack} {len(runs):,} runs are compared.")
    return table._replace(runs=[table.runs[run] for run in runs], values=table.values[:, runs])


def warn_of_few_samples(n_runs: int, options: Namespace) -> None:
    """Warn where samples are too few for any pair to differ after Holm's correction."""
    n_pairs = n_runs * (n_runs - 1) // 2
    if options.test not in SAMPLING_TESTS or options.correction != "holm":
        return
    if n_pairs >= options.alpha * (1 + (options.samples or N_SAMPLES)):
        least = int(n_pairs / options.alpha) + 1
        fact = f"{n_pairs:,} pairs need {least:,} samples before Holm's correction lets any differ"
        remark(f"{fact}: see --samples, or decide by {RANDOMIZED_TUKEY}.")


def measure_runs(options: Namespace) -> tuple[ScoreTable, NDArray[np.bool_]]:
    """Compute the scores of run files, and (Q, S) whether each run misses a query."""
    try:
        measure = parse_one(options.measure or "AP")
    except UnknownMeasure as error:
        raise CommandFailed(str(error)) from error
    if not measure.is_mean:
        raise CommandFailed(f"{measure.name} is a median, and runs are compared by means.")
    if len(options.runs) < 2:
        raise CommandFailed("Name two runs or more to compare.")
    threshold = finite_number(options.threshold or 1)
    if threshold is None:
        raise CommandFailed(f"--threshold is a number, not {quoted(options.threshold)}.")
    _, labels = labels_of(options)
    refuse_unequal_rates(labels, [measure])
    runs = evaluate_files(options.runs, labels, queries_path=options.queries)
    queries: list[str] = []
    names, columns, is_missing = [], [], []
    for path, run in zip(options.runs, runs, strict=True):
        names.append(run.name if run.name not in names else path)
        if beyond_sample(run.rankings, [measure]):
            raise CommandFailed(NOT_COMPARED.format(run.name, measure.name))
        columns.append(measure.compute(run.rankings, threshold))
        is_missing.append(run.rankings.depth == 0)
        # those of the labels, so the same for each run
        queries = [query.decode() for query in run.queries]
    return ScoreTable(queries, names, np.stack(columns, axis=1)), np.stack(is_missing, axis=1)


def decide_runs(table: ScoreTable, groups: Groups, options: Namespace) -> Verdicts:
    """Decide which runs differ."""
    settings = {"method": options.test, "alpha": options.alpha, "groups": groups}
    return decide(table.values, seed=options.seed, n_samples=options.samples, **settings)


def notes(
    table: ScoreTable, groups: Groups, verdicts: Verdicts, options: Namespace
) -> Iterator[str]:
    """Sentences on the method of the decision."""
    permutations_text = (
        f", {verdicts.n_samples:,} permutations of the runs within each query or group"
        if verdicts.n_samples
        else ""
    )
    own_error_text = " and each pair's own error" if verdicts.method in HAVE_OWN_ERRORS else ""
    yield (
        f"{METHOD_NAMES[verdicts.method]}{own_error_text} at {options.alpha:g}{permutations_text}."
    )
    if verdicts.method != options.test:
        yield (
            f"It decided instead of {options.test}: so many runs and queries would take too "
            "long to permute."
        )
    if verdicts.method == NEWMAN_KEULS:
        yield f"It does not hold the family-wise error; rely on {RANDOMIZED_TUKEY}."
    if not are_zero_one(table.values):
        return
    if verdicts.method in RANGE_METHODS:
        yield (
            "It was made for scores that are near normal, and these are 0 or 1: rely on "
            f"{RANDOMIZED_TUKEY}."
        )
    q = cochran(table.values, groups)
    method_text = (
        f"df {q.df}" if q.df is not None else f"{q.n_samples:,} permutations of the groups"
    )
    yield f"Cochran's Q that no runs differ: {q.statistic:.3f}, {method_text}, p {q.p_value:.3g}."


def verdict_lines(table: ScoreTable, groups: Groups, verdicts: Verdicts) -> Iterator[str]:
    """Lines of place, run, mean, pseudo-group, letters, and the places of runs that differ."""
    group_of = {
        place: number for number, group in enumerate(verdicts.groups, start=1) for place in group
    }
    means = groups.mean(table.values)
    yield "place\trun\tmean\tgroup\tletters\tdiffers_from\n"
    for place, system in enumerate(verdicts.order):
        different_places = (
            ",".join(str(rank + 1) for rank in np.flatnonzero(verdicts.significant[place])) or "-"
        )
        row = (
            place + 1,
            table.runs[system],
            f"{means[system]:.4f}",
            group_of[place],
            ",".join(verdicts.letters[place]),
        )
        yield "\t".join(map(str, (*row, different_places))) + "\n"


def pair_lines(table: ScoreTable, groups: Groups, options: Namespace) -> Iterator[str]:
    """Lines of every pair: difference, p, corrected p, verdict, and chances of a swap."""
    names, scores = table.runs, table.values
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    pairs = list(combinations(order, 2))
    sample_options = {"seed": options.seed, "n_samples": options.samples or N_SAMPLES}
    tests = [
        paired_test(options.test, *scores[:, [i, j]].T, groups=groups, **sample_options)
        for i, j in pairs
    ]
    adjusted_p = CORRECTIONS[options.correction]([test.p_value for test in tests])
    yield f"run\tother\tdifference\tp\tp_{options.correction}\tdiffers\treversal\treer\n"
    for (i, j), test, p in zip(pairs, tests, adjusted_p, strict=True):
        verdict = "yes" if p < options.alpha else "no"
        shares = groups.shares(scores[:, [i, j]]).T
        columns = f"{test.difference:.4f}\t{test.p_value:.3g}\t{p:.3g}\t{verdict}"
        swaps = f"{reversal(*shares):.3f}\t{reer_paired(*shares):.3f}"
        yield f"{names[i]}\t{names[j]}\t{columns}\t{swaps}\n"
