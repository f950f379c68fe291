"""How many queries to judge, from scores on some; no database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from numpy.typing import NDArray

from annotate.core.formats import FormatError
from metrics.core.sampling import queries_for_difference, queries_for_error, sampling_error
from metrics.core.score_files import paired, read_scores


class Command(BaseCommand):
    help = "The error of a mean over N queries, and the N that shows a difference, from a file of scores a query."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scores", metavar="SCORES", help="what evaluate --per-query prints, or a number a line")
        parser.add_argument("--measure", help="which, where the file holds several")
        parser.add_argument("--sizes", default="500,1000,3000", help="numbers of queries (500,1000,3000)")
        parser.add_argument("--error", type=float, help="find the number of queries whose error is at most this")
        parser.add_argument("--against", metavar="SCORES", help="another run's scores on the same queries")
        parser.add_argument("--difference", type=float, help="with --against: queries that show this difference")
        parser.add_argument("--power", type=float, default=0.8, help="chance to show it (.8)")
        parser.add_argument("--alpha", type=float, default=0.05, help="level of significance (.05)")
        parser.add_argument("--samples", type=int, default=10_000, help="bootstrap samples a size")
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (0)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["difference"] is not None and not options["against"]:
            raise CommandError("--difference needs --against: the spread of two runs' differences decides.")
        try:
            if not all(size.strip().isdigit() for size in options["sizes"].split(",")):
                raise CommandError(f'--sizes are whole numbers such as 500,1000,3000, not "{options["sizes"]}".')
            sizes = [int(size) for size in options["sizes"].split(",")]
            scores = self.read(options["scores"], options)
            self.stdout.writelines(table(np.array(list(scores.values())), sizes, options))
            if options["difference"] is not None:
                first, second = paired(scores, self.read(options["against"], options))
                self.stdout.write(needed(first - second, options))
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error

    def read(self, path: str, options: dict[str, Any]) -> dict[str, float]:
        """Scores by query."""
        with open(path, "rb") as stream:
            return read_scores(stream, name=path, measure=options["measure"])


def table(scores: NDArray[np.float64], sizes: list[int], options: dict[str, Any]) -> Iterator[str]:
    """The mean of all, and for each size the 95th percentile of the error and the middle 95 % of means."""
    rng = np.random.default_rng(options["seed"])
    yield f"mean\t{scores.mean():.4f}\nqueries\t{len(scores)}\nsamples\t{options['samples']}\nseed\t{options['seed']}\n"
    yield "size\terror_p95\tlow\thigh\n"
    for found in sampling_error(scores, sizes, rng=rng, n_samples=options["samples"]):
        yield f"{found.size}\t{found.error:.4f}\t{found.low:.4f}\t{found.high:.4f}\n"
    if options["error"] is not None:
        size = queries_for_error(scores, options["error"], rng=rng, n_samples=options["samples"])
        yield f"queries_for_error_{options['error']:g}\t{size}\n"


def needed(differences: NDArray[np.float64], options: dict[str, Any]) -> str:
    """One line: the queries that show the difference."""
    if len(differences) < 2:
        raise CommandError("The two runs share fewer than two queries.")
    found = queries_for_difference(differences, options["difference"], alpha=options["alpha"], power=options["power"])
    count = "more than 10,000,000" if found.n_queries is None else str(found.n_queries)
    return f"queries_for_difference_{options['difference']:g}\t{count}\n"
