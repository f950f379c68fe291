"""How many queries to judge, from scores on some; no database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from numpy.typing import NDArray

from annotate.core.formats import FormatError
from metrics.core.groups import Groups
from metrics.core.sampling import queries_for_difference, queries_for_error, sampling_error
from metrics.core.score_files import ScoreTable, paired
from metrics.management.groups import add_group_arguments, groups_of, refuse_one_group
from metrics.management.numbers import count, positive, share, whole
from metrics.management.scores import add_choice_arguments, read_table

TOLD = 20  # names of runs in a message


class Command(BaseCommand):
    help = "The error of a mean over N queries, and the N that shows a difference, from a file of scores a query."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "scores",
            metavar="SCORES",
            help="what evaluate --per-query prints, the file of scores of Downloads, a table of queries and runs, or a "
            "number a line",
        )
        add_choice_arguments(parser)
        parser.add_argument("--run", help="which run, where the file holds several")
        add_group_arguments(parser)
        parser.add_argument("--sizes", default="500,1000,3000", help="numbers of queries (500,1000,3000)")
        parser.add_argument("--error", type=positive, help="find the number of queries whose error is at most this")
        parser.add_argument("--against", metavar="SCORES", help="a file of another run's scores on the same queries")
        parser.add_argument("--against-run", metavar="RUN", help="which run of it, or of the first file")
        parser.add_argument(
            "--difference", type=positive, help="with --against or --against-run: queries that show this difference"
        )
        parser.add_argument("--power", type=share, default=0.8, help="chance to show it (.8)")
        parser.add_argument("--alpha", type=share, default=0.05, help="level of significance (.05)")
        parser.add_argument("--samples", type=count, default=10_000, help="bootstrap samples a size")
        parser.add_argument("--seed", type=whole, default=0, help="of the bootstrap (0)")

    def handle(self, *args: Any, **options: Any) -> None:
        has_other = bool(options["against"] or options["against_run"])
        if (options["difference"] is not None) != has_other:
            raise CommandError("--difference and --against or --against-run go together: it is of two runs.")
        try:
            if not all(size.strip().isdigit() for size in options["sizes"].split(",")):
                raise CommandError(f'--sizes are whole numbers such as 500,1000,3000, not "{options["sizes"]}".')
            sizes = [int(size) for size in options["sizes"].split(",")]
            read = read_table(options["scores"], options)
            scores = one_run(read, options["run"], "--run", path=options["scores"])
            other = other_scores(read, options) if has_other else {}
            groups = groups_of(read.queries, read.groups, options, stderr=self.stderr)
            self.stdout.writelines(table(np.array(list(scores.values())), groups, sizes, options))
            if has_other:
                first, second = paired(scores, other)
                of_both = groups.within(np.array([query in other for query in scores]))
                self.stdout.writelines(needed(first - second, of_both, options))
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error


def other_scores(first: ScoreTable, options: dict[str, Any]) -> dict[str, float]:
    """Scores by query of the run to compare with, of its own file or of the first one."""
    path = options["against"] or options["scores"]
    read = read_table(options["against"], options) if options["against"] else first
    return one_run(read, options["against_run"], "--against-run", path=path)


def one_run(table: ScoreTable, name: str | None, option: str, *, path: str) -> dict[str, float]:
    """A run's scores by query; the only run's where none is named."""
    if name is None and len(table.runs) == 1:
        name = table.runs[0]
    if name not in table.runs:
        more = f" and {len(table.runs) - TOLD:,} more" if len(table.runs) > TOLD else ""
        raise CommandError(f"{path}: name one of its runs by {option}: {', '.join(table.runs[:TOLD])}{more}.")
    scores = table.of(name)
    if len(scores) < len(table.queries):
        lack = f"{path}: run {name} has a score on {len(scores):,} of {len(table.queries):,} queries"
        raise CommandError(f"{lack}; write 0 where it found nothing, or leave the other queries out of the file.")
    return scores


def table(scores: NDArray[np.float64], groups: Groups, sizes: list[int], options: dict[str, Any]) -> Iterator[str]:
    """The mean of all, and for each size the 95th percentile of the error and the middle 95 % of means.

    Where queries come in groups, of how many groups the queries are, all of them and those of each size.
    """
    rng = np.random.default_rng(options["seed"])
    given: dict[str, Any] = {"rng": rng, "groups": groups, "n_samples": options["samples"]}
    yield f"mean\t{scores.mean():.4f}\nqueries\t{len(scores)}\n"
    yield "" if groups.are_single else f"groups\t{groups.n}\n"
    yield f"samples\t{options['samples']}\nseed\t{options['seed']}\n"
    yield "size\terror_p95\tlow\thigh\n" if groups.are_single else "size\terror_p95\tlow\thigh\tgroups\n"
    for found in sampling_error(scores, sizes, **given):
        of_groups = "" if groups.are_single else f"\t{found.n_groups}"
        yield f"{found.size}\t{found.error:.4f}\t{found.low:.4f}\t{found.high:.4f}{of_groups}\n"
    if options["error"] is not None:
        size = queries_for_error(scores, options["error"], **given)
        yield f"queries_for_error_{options['error']:g}\t{size}\n"


def needed(differences: NDArray[np.float64], groups: Groups, options: dict[str, Any]) -> Iterator[str]:
    """The queries that both runs have, and how many show the difference; their groups, where they come in groups."""
    if len(differences) < 2:
        raise CommandError("The two runs share fewer than two queries.")
    refuse_one_group(groups, of="queries of both runs")
    asked = {"alpha": options["alpha"], "power": options["power"]}
    found = queries_for_difference(differences, options["difference"], groups=groups, **asked)
    rows = {"queries": (len(differences), found.n_queries), "groups": (groups.n, found.n_groups)}
    if groups.are_single:
        rows.pop("groups")
    for noun, (of_both, _) in rows.items():
        yield f"{noun}_of_both\t{of_both}\n"
    for noun, (_, n) in rows.items():
        yield f"{noun}_for_difference_{options['difference']:g}\t{'more than 10,000,000' if n is None else n}\n"
