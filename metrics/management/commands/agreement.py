"""Krippendorff's alpha and percent agreement of a label file; no database."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.core.formats import FormatError, KindsOfFault
from metrics.core.agreement import Alpha, Level, alpha_of_counts, percent_agreement
from metrics.core.counts import count_units
from metrics.core.label_files import read_labels
from metrics.management.numbers import share, whole


class Command(BaseCommand):
    help = "Agreement of the labels in a table (CSV, or tabs): a label a line, or a column an annotator."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("labels", metavar="LABELS", help="the table")
        parser.add_argument(
            "--level", choices=[str(level) for level in Level], required=True, help="how values compare"
        )
        parser.add_argument(
            "--unit", default="unit", help="column of what was labelled, or several: by names a,b or numbers 1,2 or 1-2"
        )
        parser.add_argument("--annotator", default="annotator", help="column or columns of who labelled")
        parser.add_argument("--no-header", action="store_true", help="the first line names no columns")
        parser.add_argument(
            "--value", default="value", help='column of the label; "" where each annotator has a column'
        )
        parser.add_argument("--bootstrap", type=whole, default=0, metavar="N", help="samples of an interval over units")
        parser.add_argument("--confidence", type=share, default=0.95, help="of the interval (.95)")
        parser.add_argument(
            "--seed", type=whole, help="of the bootstrap, printed with it; default: a hash of the labels, as on pages"
        )
        parser.add_argument("--digits", type=whole, default=4, help="after the point (4)")
        parser.add_argument("--json", action="store_true", help="one JSON object, full precision")

    def handle(self, *args: Any, **options: Any) -> None:
        problems = KindsOfFault()
        try:
            with open(options["labels"], "rb") as stream:
                labels = read_labels(
                    stream,
                    problems,
                    name=options["labels"],
                    unit=options["unit"].split(","),
                    annotator=options["annotator"].split(","),
                    value=options["value"] or None,
                    level=options["level"],
                    has_header=not options["no_header"],
                )
        except (FormatError, OSError) as error:
            raise CommandError(f"{options['labels']}: {getattr(error, 'strerror', '') or error}") from error
        if problems:
            raise CommandError(f"{options['labels']}: {problems}")
        counted = count_units(labels)
        try:
            found = alpha_of_counts(
                counted,
                level=options["level"],
                n_replicates=options["bootstrap"],
                confidence=options["confidence"],
                seed=options["seed"],
            )
        except ValueError as error:
            raise CommandError(f"{options['labels']}: {error}") from error
        percent = percent_agreement(counted)._asdict()
        percent.pop("n_units")  # the pairable ones, which alpha's report names
        report = as_dict(found) | percent
        report["n_repeated_labels"] = labels.n_repeated
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            self.stdout.writelines(f"{key}\t{shown(value, options['digits'])}\n" for key, value in report.items())


def as_dict(found: Alpha) -> dict[str, Any]:
    """Alpha by the names it is printed under; the interval and its seed only where one was asked for."""
    report: dict[str, Any] = {"alpha": found.value, "level": str(found.level)}
    if found.reason:
        report["not_defined"] = found.reason
    if found.n_replicates:
        report |= {"low": found.low, "high": found.high, "seed": found.seed}
        report |= {"n_replicates": found.n_replicates, "n_undefined_replicates": found.n_undefined_replicates}
    for name in ("n_units", "n_labels", "n_pairable_units", "n_pairable_labels"):
        report[name] = getattr(found, name)
    return report


def shown(value: object, digits: int) -> str:
    """A value for people."""
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return "n/a" if value is None else str(value)
