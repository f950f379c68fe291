"""Krippendorff's alpha and percent agreement of a label file; no database."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.core.formats import FormatError, KindsOfFault
from metrics.core.agreement import Alpha, InGroups, Level, alpha_of_counts, percent_agreement
from metrics.core.counts import UnitCounts, count_units, counts_of_several
from metrics.core.group_files import as_groups
from metrics.core.groups import Groups
from metrics.core.label_files import LabelTable, read_labels
from metrics.management.groups import FILE_HELP, groups_from_file, refuse_one_group
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
        parser.add_argument(
            "--planned", action="store_true", help='labels whose column "why" is first or double alone: the headline'
        )
        parser.add_argument("--bootstrap", type=whole, default=0, metavar="N", help="samples of an interval")
        parser.add_argument(
            "--group", default="", help="with --bootstrap: column or columns of what units belong to: draw whole groups"
        )
        parser.add_argument("--groups", metavar="FILE", help=f"groups of the values of --group; {FILE_HELP}")
        parser.add_argument("--confidence", type=share, default=0.95, help="of the interval (.95)")
        parser.add_argument(
            "--seed", type=whole, help="of the bootstrap, printed; default: hash of the labels, or number of groups"
        )
        parser.add_argument("--digits", type=whole, default=4, help="after the point (4)")
        parser.add_argument("--json", action="store_true", help="one JSON object, full precision")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["group"] and not options["bootstrap"]) or (options["groups"] and not options["group"]):
            raise CommandError("--group is of the interval, which --bootstrap asks for, and --groups is of --group.")
        table = self.labels(options)
        counted = count_units(table.labels)
        try:
            found = alpha_of_counts(
                counted,
                level=options["level"],
                n_replicates=options["bootstrap"],
                confidence=options["confidence"],
                seed=options["seed"],
                in_groups=self.in_groups(table, counted, options) if options["group"] else None,
            )
        except FormatError as error:
            raise CommandError(f"{error.file}: {error}") from error
        except OSError as error:
            raise CommandError(f"{options['groups']}: {error.strerror}") from error
        except ValueError as error:
            raise CommandError(f"{options['labels']}: {error}") from error
        percent = percent_agreement(counted)._asdict()
        percent.pop("n_units")  # the pairable ones, which alpha's report names
        report = as_dict(found) | percent
        report["n_repeated_labels"] = table.labels.n_repeated
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            self.stdout.writelines(f"{key}\t{shown(value, options['digits'])}\n" for key, value in report.items())

    def labels(self, options: dict[str, Any]) -> LabelTable:
        """The labels of the table, and what their units belong to. Raises CommandError for a faulty one."""
        problems = KindsOfFault()
        try:
            with open(options["labels"], "rb") as stream:
                table = read_labels(
                    stream,
                    problems,
                    name=options["labels"],
                    unit=options["unit"].split(","),
                    annotator=options["annotator"].split(","),
                    value=options["value"] or None,
                    level=options["level"],
                    has_header=not options["no_header"],
                    group=options["group"].split(",") if options["group"] else (),
                    planned=options["planned"],
                )
        except (FormatError, OSError) as error:
            raise CommandError(f"{options['labels']}: {getattr(error, 'strerror', '') or error}") from error
        if problems:
            raise CommandError(f"{options['labels']}: {problems}")
        return table

    def in_groups(self, table: LabelTable, counted: UnitCounts, options: dict[str, Any]) -> InGroups:
        """Where the units with two labels or more are. Raises CommandError where several are all of one group."""
        several, counts = counts_of_several(table.labels)
        of_unit = self.groups(table, options).within(several)
        refuse_one_group(of_unit, of="units with two labels", instead="name other groups, or leave out --group")
        return InGroups.of(counts, of_unit.of_query, counted)

    def groups(self, table: LabelTable, options: dict[str, Any]) -> Groups:
        """The groups of the units: the values of the columns, or what --groups says of those values."""
        if not options["groups"]:
            return as_groups(table.groups)
        if any(len(group) > 1 for group in table.groups):
            raise CommandError("--groups says where the values of one column belong: name one by --group.")
        values = list(dict.fromkeys(group[0] for group in table.groups if group))
        of_value = groups_from_file(options["groups"], values, stderr=self.stderr, of="values of --group")
        number = dict(zip(values, of_value.of_query.tolist(), strict=True))
        return as_groups([(number[group[0]],) if group else () for group in table.groups])


def as_dict(found: Alpha) -> dict[str, Any]:
    """Alpha by the names it is printed under; the interval and its seed only where one was asked for."""
    report: dict[str, Any] = {"alpha": found.value, "level": str(found.level)}
    if found.reason:
        report["not_defined"] = found.reason
    if found.n_replicates:
        report |= {"low": found.low, "high": found.high, "seed": found.seed}
        if found.n_groups is not None:
            report["n_groups"] = found.n_groups
        report |= {"n_replicates": found.n_replicates, "n_undefined_replicates": found.n_undefined_replicates}
    for name in ("n_units", "n_labels", "n_pairable_units", "n_pairable_labels"):
        report[name] = getattr(found, name)
    return report


def shown(value: object, digits: int) -> str:
    """A value for people."""
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return "n/a" if value is None else str(value)
