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
from metrics.core.measures import UnknownMeasure, parse_one
from metrics.core.multiple import METHODS, compare_systems
from metrics.core.resampling import is_turned, seed_of
from metrics.core.score_files import ScoreTable, option_of
from metrics.core.significance import CORRECTIONS, SAMPLED, TESTS, PairedTest
from metrics.core.swaps import reer_paired
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
        parser.add_argument("--samples", type=count, default=10_000, help="of randomization and bootstrap tests")
        parser.add_argument("--seed", type=whole, help="of those samples; default: a hash of the scores, as on pages")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            names, scores = self.scores(options)
            if options["test"] in METHODS:
                lines = groups(names, scores, method=options["test"], alpha=options["alpha"])
            else:
                lines = pairs(names, scores, options)
            self.stdout.writelines(lines)
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error

    def scores(self, options: dict[str, Any]) -> tuple[list[str], NDArray[np.float64]]:
        """Names of the runs, and (Q, S) their scores a query."""
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
        return table.runs, self.whole(table, common=options["common"])

    def whole(self, table: ScoreTable, *, common: bool) -> NDArray[np.float64]:
        """The scores of queries on which every run has one. Raises CommandError for others, unless they may go."""
        missing = np.isnan(table.values)
        is_whole = ~missing.any(axis=1)
        if is_whole.all():
            return table.values
        told = [f"{run} on {n:,}" for run, n in zip(table.runs, missing.sum(axis=0).tolist(), strict=True) if n]
        first = table.queries[int(np.argmin(is_whole))]
        lack = f"Scores are missing: of {len(table.queries):,} queries {', '.join(told[:5])}, such as {shown(first)}."
        if not common:
            raise CommandError(f"{lack} Write 0 where a run found nothing, or leave these queries out by --common.")
        if not is_whole.any():
            raise CommandError(f"{lack} No query is left.")
        self.stderr.write(f"{lack} {np.count_nonzero(is_whole):,} queries are compared.")
        return table.values[is_whole]


def measured(options: dict[str, Any]) -> tuple[list[str], NDArray[np.float64]]:
    """Names and scores of run files."""
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
    names, columns = [], []
    for path, run in zip(options["runs"], runs, strict=True):
        names.append(run.name if run.name not in names else path)
        columns.append(measure.compute(run.ranked, threshold))
    return names, np.stack(columns, axis=1)


def groups(names: list[str], scores: NDArray[np.float64], *, method: str, alpha: float) -> Iterator[str]:
    """place, run, mean, pseudo-group; then who differs from whom by place."""
    found = compare_systems(scores, method=method, alpha=alpha)
    group_of = {place: number for number, group in enumerate(found.groups, start=1) for place in group}
    yield "place\trun\tmean\tgroup\tdiffers_from\n"
    for place, system in enumerate(found.order):
        others = ",".join(str(other + 1) for other in np.flatnonzero(found.significant[place])) or "-"
        yield f"{place + 1}\t{names[system]}\t{found.means[place]:.4f}\t{group_of[place]}\t{others}\n"


def pairs(names: list[str], scores: NDArray[np.float64], options: dict[str, Any]) -> Iterator[str]:
    """Every pair: difference, p, p corrected for the number of pairs, the verdict, and the chance of a swap."""
    order = np.argsort(-scores.mean(axis=0), kind="stable")
    chosen = list(combinations(order, 2))
    tests = [_tested(scores[:, [i, j]], options) for i, j in chosen]
    adjusted = CORRECTIONS[options["correction"]]([test.p_value for test in tests])
    yield f"run\tother\tdifference\tp\tp_{options['correction']}\tdiffers\treer\n"
    for (i, j), test, p in zip(chosen, tests, adjusted, strict=True):
        verdict = "yes" if p < options["alpha"] else "no"
        swap = reer_paired(scores[:, i], scores[:, j])
        yield f"{names[i]}\t{names[j]}\t{test.difference:.4f}\t{test.p_value:.3g}\t{p:.3g}\t{verdict}\t{swap:.3f}\n"


def _tested(scores: NDArray[np.float64], options: dict[str, Any]) -> PairedTest:
    """The paired test of two columns; its samples are those of the page for the same scores."""
    oriented = scores[:, ::-1] if is_turned(*scores.T) else scores
    sampling = {}
    if options["test"] in SAMPLED:
        seed = seed_of(oriented) if options["seed"] is None else options["seed"]
        sampling = {"rng": np.random.default_rng(seed), "n_samples": options["samples"]}
    return TESTS[options["test"]](*scores[np.lexsort(oriented.T[::-1])].T, **sampling)
