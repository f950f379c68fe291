"""Rehearse a campaign with simulated annotators of known quality."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.services.collection.collections import CollectionExists
from metrics.core.labels.simulation import SimulatedAnnotator
from metrics.services.rehearsal.rehearsal import Rehearsal, rehearse


class Command(BaseCommand):
    help = (
        "Run a whole campaign by simulated annotators on the demo study, in a collection of its "
        "own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--slug", default="rehearsal", help="name of the new collection in addresses"
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="of the captions drawn and the labels (default 0)"
        )
        parser.add_argument(
            "--captions", type=int, default=120, help="how many captions are pooled (default 120)"
        )
        parser.add_argument("--sensitivity", type=float, default=0.9)
        parser.add_argument("--specificity", type=float, default=0.995)

    def handle(self, *args: Any, **options: Any) -> None:
        quality = SimulatedAnnotator(
            sensitivity=options["sensitivity"], specificity=options["specificity"]
        )
        try:
            rehearsal = rehearse(
                slug=options["slug"],
                seed=options["seed"],
                quality=quality,
                n_captions=options["captions"],
                report_progress=self.show_progress,
            )
        except CollectionExists as error:
            raise CommandError(f"{error} Give another with --slug.") from error
        self.stderr.write("")
        self.stdout.write(summary(rehearsal))

    def show_progress(self, n_judgments: int) -> None:
        """Show the progress of the campaign on one line."""
        self.stderr.write(f"\r{n_judgments:,} judgments", ending="")
        self.stderr.flush()


def summary(rehearsal: Rehearsal) -> str:
    """The results of a rehearsal as a few lines and a table."""
    alpha = "not defined" if rehearsal.alpha is None else f"{rehearsal.alpha:.3f}"
    lines = [
        f"{rehearsal.n_judgments:,} judgments of {rehearsal.n_pairs:,} pairs in "
        f"{rehearsal.seconds:.0f} s; alpha {alpha}.",
        f"The pool misses {rehearsal.missed_share:.1%} of the true positives.",
        f"{'system':10} {'measure':8} {'truth':>7} {'people':>7} {'reference alone':>16}",
    ]
    lines += [
        f"{row.system:10} {row.measure:8} {row.truth:7.3f} {row.people:7.3f} {row.reference:16.3f}"
        for row in rehearsal.scores
    ]
    inflation = ", ".join(
        f"{system} {value:+.3f}" for system, value in sorted(rehearsal.inflation.items())
    )
    return "\n".join([*lines, f"C@10 against the truth, inflated where above 0: {inflation}."])
