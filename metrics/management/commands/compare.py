"""Which of several runs differ; no database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from numpy.typing import NDArray

from annotate.core.formats import FormatError, finite_number, shown
from metrics.core.evaluation import runs_of
from metrics.core.groups import Groups
from metrics.core.measures import UnknownMeasure, parse_one
from metrics.core.multiple import METHODS as RANGE_METHODS
from metrics.core.score_files import ScoreTable, option_of
from metrics.core.significance import CORRECTIONS, SAMPLED, TESTS, paired_test
from metrics.core.swaps import reer_paired, reversal
from metrics.core.tournament import HAVE_OWN_ERRORS, NEWMAN_KEULS, RANDOMIZED_TUKEY, Decided, decide
from metrics.core.tournament import METHODS as ALL_METHODS
from metrics.core.zero_one import are_zero_one, cochran
from metrics.management.groups import add_group_arguments, groups_of
from metrics.management.labels import add_label_arguments, labels_of
from metrics.management.numbers import count, share, whole
from metrics.management.samples import beyond_sample, refuse_unequal_rates
from metrics.management.scores import add_choice_arguments, read_table
from metrics.services.leaderboard_wanted import METHOD_NAMES, MISSING_NAMES, MISSING_QUERIES, MISSING_ZERO

METHODS = [name for name in ALL_METHODS if name not in TESTS]
N_SAMPLES = 10_000  # of a paired test
NOT_COMPARED = (
    "The labels are a sample, of which {1} counts what was not drawn as irrelevant, leaves it out or infers it with an "
    "unknown bias, for {0} at least: it tells no runs apart. Measures of ranks that were all drawn do, such as P@k."
)


class Command(BaseCommand):
    help = (
        "Compare runs on one measure: which differ, all pairs at once (randomized-tukey, tukey, regwq, newman-keuls), "
        "or every pair by a paired test. Of those the columns reversal and reer are chances: that as many other "
        "queries turn the order round, and that two such sets of queries disagree (docs/numbers.md)."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("runs", nargs="+", metavar="FILE", help="run files; or without labels one file of scores")
        add_label_arguments(parser)
        parser.add_argument("--measure", help="default AP; of a file of scores, which, where it holds several")
        parser.add_argument("--test", choices=[*METHODS, *TESTS], default=RANDOMIZED_TUKEY)
        parser.add_argument("--alpha", type=share, default=0.05, help="level of significance (.05)")
        parser.add_argument("--correction", choices=list(CORRECTIONS), default="holm", help="of paired tests (holm)")
        parser.add_argument("--threshold", help="grade from which a document is positive (1); of a file, which scores")
        add_choice_arguments(parser, ["direction", "query_set"])
        said = "what is done with queries that a run misses: zero counts 0, as is done with run files unless told, or "
        said += "leave such runs or queries out"
        parser.add_argument("--missing", choices=list(MISSING_NAMES), help=said)
        add_group_arguments(parser)
        parser.add_argument("--samples", type=count, help="permutations of randomized Tukey, samples of a test")
        parser.add_argument("--seed", type=whole, help="of those samples; default: a hash of the scores, as on pages")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            table = self.scores(options)
            groups = groups_of(table.queries, table.groups, options, stderr=self.stderr)
            if not groups.are_single:
                told = f"{groups.n_queries:,} queries of {groups.n:,} groups of queries"
                self.stderr.write(f"{told}: whole groups are compared.")
            if options["test"] in METHODS:
                found = decided(table, groups, options)
                self.stderr.writelines(f"{sentence}\n" for sentence in notes(table, groups, found, options))
                self.stdout.writelines(verdicts(table, groups, found))
            else:
                self.warn_of_few_samples(len(table.runs), options)
                self.stdout.writelines(pairs(table, groups, options))
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error

    def scores(self, options: dict[str, Any]) -> ScoreTable:
        """The scores that are compared, none of them missing."""
        has_labels = options["qrels"] or options["reference"]
        strange = ("direction", "query_set") if has_labels else ("queries",)
        if given := [name for name in strange if options[name]]:
            of = "a file of scores, not of run files" if has_labels else "run files, not of a file of scores"
            raise CommandError(f"{option_of(given[0])} is an option of {of}.")
        if has_labels:
            return self.whole(*measured(options), rule=options["missing"] or MISSING_ZERO)
        if len(options["runs"]) > 1:
            raise CommandError("Name the labels of run files by --qrels or --reference, or name one file of scores.")
        table = read_table(options["runs"][0], options)
        if len(table.runs) < 2:
            raise CommandError(f"The file holds scores of {table.runs[0]} alone; two runs or more are compared.")
        return self.whole(table, np.isnan(table.values), rule=options["missing"])

    def whole(self, table: ScoreTable, missed: NDArray[np.bool_], *, rule: str | None) -> ScoreTable:
        """The scores without those that are missing, by the rule; CommandError where there is none, or too little left.

        missed : (Q, S) which scores a run does not have, or has of a query that it misses
        """
        if not missed.any():
            return table
        told = [f"{run} on {n:,}" for run, n in zip(table.runs, missed.sum(axis=0).tolist(), strict=True) if n]
        first = table.queries[int(np.argmax(missed.any(axis=1)))]
        lack = f"Scores are missing: of {len(table.queries):,} queries {', '.join(told[:5])}, such as {shown(first)}."
        if rule is None:
            raise CommandError(f"{lack} Say by --missing whether they count 0, or what to leave out: runs or queries.")
        if rule == MISSING_ZERO:
            self.stderr.write(f"{lack} They count 0.")
            return table._replace(values=np.where(missed, np.nan_to_num(table.values), table.values))
        if rule == MISSING_QUERIES:
            kept = np.flatnonzero(~missed.any(axis=1))
            if not len(kept):
                raise CommandError(f"{lack} No query is left.")
            self.stderr.write(f"{lack} {len(kept):,} queries are compared.")
            return table.of_queries(kept)
        runs = np.flatnonzero(~missed.any(axis=0))
        if len(runs) < 2:
            raise CommandError(f"{lack} Fewer than two runs are left.")
        self.stderr.write(f"{lack} {len(runs):,} runs are compared.")
        return table._replace(runs=[table.runs[run] for run in runs], values=table.values[:, runs])

    def warn_of_few_samples(self, n_runs: int, options: dict[str, Any]) -> None:
        """Say so where a test draws too few samples for any pair to differ after Holm's correction."""
        n_pairs = n_runs * (n_runs - 1) // 2
        if options["test"] not in SAMPLED or options["correction"] != "holm":
            return
        if n_pairs >= options["alpha"] * (1 + (options["samples"] or N_SAMPLES)):
            least = int(n_pairs / options["alpha"]) + 1
            told = f"{n_pairs:,} pairs need {least:,} samples before Holm's correction lets any differ"
            self.stderr.write(f"{told}: see --samples, or decide by {RANDOMIZED_TUKEY}.")


def measured(options: dict[str, Any]) -> tuple[ScoreTable, NDArray[np.bool_]]:
    """The scores of run files, and (Q, S) which queries each misses."""
    try:
        measure = parse_one(options["measure"] or "AP")
    except UnknownMeasure as error:
        raise CommandError(str(error)) from error
    if not measure.is_mean:
        raise CommandError(f"{measure.name} is a median, and runs are compared by means.")
    if len(options["runs"]) < 2:
        raise CommandError("Name two runs or more to compare.")
    threshold = finite_number(options["threshold"] or 1)
    if threshold is None:
        raise CommandError(f"--threshold is a number, not {shown(options['threshold'])}.")
    _, labels = labels_of(options)
    refuse_unequal_rates(labels, [measure])
    runs = runs_of(options["runs"], labels, queries_path=options["queries"])
    queries: list[str] = []
    names, columns, missed = [], [], []
    for path, run in zip(options["runs"], runs, strict=True):
        names.append(run.name if run.name not in names else path)
        if beyond_sample(run.ranked, [measure]):
            raise CommandError(NOT_COMPARED.format(run.name, measure.name))
        columns.append(measure.compute(run.ranked, threshold))
        missed.append(run.ranked.depth == 0)
        queries = [query.decode() for query in run.queries]  # those of the labels, so the same for each run
    return ScoreTable(queries, names, np.stack(columns, axis=1)), np.stack(missed, axis=1)


def decided(table: ScoreTable, groups: Groups, options: dict[str, Any]) -> Decided:
    """Which runs differ."""
    told = {"method": options["test"], "alpha": options["alpha"], "groups": groups}
    return decide(table.values, seed=options["seed"], n_samples=options["samples"], **told)


def notes(table: ScoreTable, groups: Groups, found: Decided, options: dict[str, Any]) -> Iterator[str]:
    """How it was decided, a sentence each."""
    drawn = f", {found.n_samples:,} permutations of the runs within each query or group" if found.n_samples else ""
    own = " and each pair's own error" if found.method in HAVE_OWN_ERRORS else ""
    yield f"{METHOD_NAMES[found.method]}{own} at {options['alpha']:g}{drawn}."
    if found.method != options["test"]:
        yield f"It decided instead of {options['test']}: so many runs and queries would take too long to permute."
    if found.method == NEWMAN_KEULS:
        yield f"It does not hold the family-wise error; rely on {RANDOMIZED_TUKEY}."
    if not are_zero_one(table.values):
        return
    if found.method in RANGE_METHODS:
        yield f"It was made for scores that are near normal, and these are 0 or 1: rely on {RANDOMIZED_TUKEY}."
    q = cochran(table.values, groups)
    how = f"df {q.df}" if q.df is not None else f"{q.n_samples:,} permutations of the groups"
    yield f"Cochran's Q that no runs differ: {q.statistic:.3f}, {how}, p {q.p_value:.3g}."


def verdicts(table: ScoreTable, groups: Groups, found: Decided) -> Iterator[str]:
    """place, run, mean, pseudo-group, letters; then who differs from whom by place."""
    group_of = {place: number for number, group in enumerate(found.groups, start=1) for place in group}
    means = groups.mean(table.values)
    yield "place\trun\tmean\tgroup\tletters\tdiffers_from\n"
    for place, system in enumerate(found.order):
        others = ",".join(str(other + 1) for other in np.flatnonzero(found.significant[place])) or "-"
        row = (place + 1, table.runs[system], f"{means[system]:.4f}", group_of[place], ",".join(found.letters[place]))
        yield "\t".join(map(str, (*row, others))) + "\n"


def pairs(table: ScoreTable, groups: Groups, options: dict[str, Any]) -> Iterator[str]:
    """Every pair: difference, p, p corrected for the number of pairs, the verdict, and the chances of a swap."""
    names, scores = table.runs, table.values
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    chosen = list(combinations(order, 2))
    sampling = {"seed": options["seed"], "n_samples": options["samples"] or N_SAMPLES}
    tests = [paired_test(options["test"], *scores[:, [i, j]].T, groups=groups, **sampling) for i, j in chosen]
    adjusted = CORRECTIONS[options["correction"]]([test.p_value for test in tests])
    yield f"run\tother\tdifference\tp\tp_{options['correction']}\tdiffers\treversal\treer\n"
    for (i, j), test, p in zip(chosen, tests, adjusted, strict=True):
        verdict = "yes" if p < options["alpha"] else "no"
        shares = groups.shares(scores[:, [i, j]]).T
        tested = f"{test.difference:.4f}\t{test.p_value:.3g}\t{p:.3g}\t{verdict}"
        yield f"{names[i]}\t{names[j]}\t{tested}\t{reversal(*shares):.3f}\t{reer_paired(*shares):.3f}\n"
