"""Which of several runs differ; no database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from annotate.core.formats import FormatError, finite_number, shown
from metrics.core.evaluation import runs_of
from metrics.core.groups import Groups
from metrics.core.measures import UnknownMeasure, parse_one
from metrics.core.multiple import METHODS, compare_systems
from metrics.core.score_files import ScoreTable, option_of
from metrics.core.significance import CORRECTIONS, TESTS, paired_test
from metrics.core.swaps import reer_paired, reversal
from metrics.core.tournament import a_row_a_group
from metrics.management.groups import add_group_arguments, groups_of
from metrics.management.labels import add_label_arguments, labels_of
from metrics.management.numbers import count, share, whole
from metrics.management.scores import add_choice_arguments, read_table


class Command(BaseCommand):
    help = (
        "Compare runs on one measure: groups that do not differ (newman-keuls, tukey), or every pair by a paired test."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("runs", nargs="+", metavar="FILE", help="run files; or without labels one file of scores")
        add_label_arguments(parser)
        parser.add_argument("--measure", help="default AP; of a file of scores, which, where it holds several")
        parser.add_argument("--test", choices=[*METHODS, *TESTS], default=METHODS[0])
        parser.add_argument("--alpha", type=share, default=0.05, help="level of significance (.05)")
        parser.add_argument("--correction", choices=list(CORRECTIONS), default="holm", help="of paired tests (holm)")
        parser.add_argument("--threshold", help="grade from which a document is positive (1); of a file, which scores")
        add_choice_arguments(parser, ["direction", "query_set"])
        parser.add_argument("--common", action="store_true", help="leave out queries on which a run has no score")
        add_group_arguments(parser)
        parser.add_argument("--samples", type=count, default=10_000, help="of randomization and bootstrap tests")
        parser.add_argument("--seed", type=whole, help="of those samples; default: a hash of the scores, as on pages")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            table = self.scores(options)
            groups = groups_of(table.queries, table.groups, options, stderr=self.stderr)
            if not groups.are_single:
                told = f"{groups.n_queries:,} queries of {groups.n:,} groups of queries"
                self.stderr.write(f"{told}: whole groups are compared.")
            self.stdout.writelines((pseudo_groups if options["test"] in METHODS else pairs)(table, groups, options))
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error

    def scores(self, options: dict[str, Any]) -> ScoreTable:
        """The scores that are compared, none of them missing."""
        has_labels = options["qrels"] or options["reference"]
        strange = ("direction", "query_set", "common") if has_labels else ("queries",)
        if given := [name for name in strange if options[name]]:
            of = "a file of scores, not of run files" if has_labels else "run files, not of a file of scores"
            raise CommandError(f"{option_of(given[0])} is an option of {of}.")
        if has_labels:
            return measured(options)
        if len(options["runs"]) > 1:
            raise CommandError("Name the labels of run files by --qrels or --reference, or name one file of scores.")
        table = read_table(options["runs"][0], options)
        if len(table.runs) < 2:
            raise CommandError(f"The file holds scores of {table.runs[0]} alone; two runs or more are compared.")
        return self.whole(table, common=options["common"])

    def whole(self, table: ScoreTable, *, common: bool) -> ScoreTable:
        """The scores of queries on which every run has one. Raises CommandError for others, unless they may go."""
        missing = np.isnan(table.values)
        is_whole = ~missing.any(axis=1)
        if is_whole.all():
            return table
        told = [f"{run} on {n:,}" for run, n in zip(table.runs, missing.sum(axis=0).tolist(), strict=True) if n]
        first = table.queries[int(np.argmin(is_whole))]
        lack = f"Scores are missing: of {len(table.queries):,} queries {', '.join(told[:5])}, such as {shown(first)}."
        if not common:
            raise CommandError(f"{lack} Write 0 where a run found nothing, or leave these queries out by --common.")
        if not is_whole.any():
            raise CommandError(f"{lack} No query is left.")
        self.stderr.write(f"{lack} {np.count_nonzero(is_whole):,} queries are compared.")
        return table.of_queries(np.flatnonzero(is_whole))


def measured(options: dict[str, Any]) -> ScoreTable:
    """The scores of run files."""
    try:
        measure = parse_one(options["measure"] or "AP")
    except UnknownMeasure as error:
        raise CommandError(str(error)) from error
    if len(options["runs"]) < 2:
        raise CommandError("Name two runs or more to compare.")
    threshold = finite_number(options["threshold"] or 1)
    if threshold is None:
        raise CommandError(f"--threshold is a number, not {shown(options['threshold'])}.")
    _, labels = labels_of(options)
    runs = runs_of(options["runs"], labels, queries_path=options["queries"])
    queries: list[str] = []
    names, columns = [], []
    for path, run in zip(options["runs"], runs, strict=True):
        names.append(run.name if run.name not in names else path)
        columns.append(measure.compute(run.ranked, threshold))
        queries = [query.decode() for query in run.queries]  # those of the labels, so the same for each run
    return ScoreTable(queries, names, np.stack(columns, axis=1))


def pseudo_groups(table: ScoreTable, groups: Groups, options: dict[str, Any]) -> Iterator[str]:
    """place, run, mean, pseudo-group; then who differs from whom by place."""
    method = options["test"]
    found = compare_systems(a_row_a_group(table.values, groups, method=method), method=method, alpha=options["alpha"])
    group_of = {place: number for number, group in enumerate(found.groups, start=1) for place in group}
    yield "place\trun\tmean\tgroup\tdiffers_from\n"
    for place, system in enumerate(found.order):
        others = ",".join(str(other + 1) for other in np.flatnonzero(found.significant[place])) or "-"
        yield f"{place + 1}\t{table.runs[system]}\t{found.means[place]:.4f}\t{group_of[place]}\t{others}\n"


def pairs(table: ScoreTable, groups: Groups, options: dict[str, Any]) -> Iterator[str]:
    """Every pair: difference, p, p corrected for the number of pairs, the verdict, and the chances of a swap."""
    names, scores = table.runs, table.values
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    chosen = list(combinations(order, 2))
    sampling = {"seed": options["seed"], "n_samples": options["samples"]}
    tests = [paired_test(options["test"], *scores[:, [i, j]].T, groups=groups, **sampling) for i, j in chosen]
    adjusted = CORRECTIONS[options["correction"]]([test.p_value for test in tests])
    yield f"run\tother\tdifference\tp\tp_{options['correction']}\tdiffers\treversal\treer\n"
    for (i, j), test, p in zip(chosen, tests, adjusted, strict=True):
        verdict = "yes" if p < options["alpha"] else "no"
        shares = groups.shares(scores[:, [i, j]]).T
        tested = f"{test.difference:.4f}\t{test.p_value:.3g}\t{p:.3g}\t{verdict}"
        yield f"{names[i]}\t{names[j]}\t{tested}\t{reversal(*shares):.3f}\t{reer_paired(*shares):.3f}\n"
