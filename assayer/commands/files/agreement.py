"""Krippendorff's alpha and percent agreement of a label file."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from annotate.core.files.formats import FormatError, GroupedProblems
from assayer.commands.command import CommandFailed
from assayer.commands.files.argument_types import share, whole
from assayer.commands.files.groups import FILE_HELP, groups_from_file, refuse_one_group
from metrics.core.agreement.agreement import (
    Alpha,
    MeasurementLevel,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import UnitCounts, count_units, counts_of_several
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.files.groups import as_groups
from metrics.core.files.labels import LabelTable, read_labels
from metrics.core.statistics.groups import Groups

DESCRIPTION = (
    "Agreement of the labels in a table (CSV, or tabs): a label a line, or a column an annotator."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("labels", metavar="LABELS", help="the table")
    parser.add_argument(
        "--level",
        choices=[str(level) for level in MeasurementLevel],
        required=True,
        help="how values compare",
    )
    parser.add_argument(
        "--unit",
        default="unit",
        help="column of what was labelled, or several: by names a,b or numbers 1,2 or 1-2",
    )
    parser.add_argument(
        "--annotator", default="annotator", help="column or columns of who labelled"
    )
    parser.add_argument("--no-header", action="store_true", help="the first line names no columns")
    parser.add_argument(
        "--value",
        default="value",
        help='column of the label; "" where each annotator has a column',
    )
    parser.add_argument(
        "--planned",
        action="store_true",
        help='labels whose column "why" is first or double alone: the headline',
    )
    parser.add_argument(
        "--bootstrap", type=whole, default=0, metavar="N", help="samples of an interval"
    )
    parser.add_argument(
        "--group",
        default="",
        help="with --bootstrap: column or columns of what units belong to: draw whole groups",
    )
    parser.add_argument(
        "--groups", metavar="FILE", help=f"groups of the values of --group; {FILE_HELP}"
    )
    parser.add_argument("--confidence", type=share, default=0.95, help="of the interval (.95)")
    parser.add_argument(
        "--seed",
        type=whole,
        help="of the bootstrap, printed; default: hash of the labels, or number of groups",
    )
    parser.add_argument("--digits", type=whole, default=4, help="after the point (4)")
    parser.add_argument("--json", action="store_true", help="one JSON object, full precision")


def run(options: Namespace) -> None:
    """Print alpha and percent agreement, by names or as JSON."""
    if (options.group and not options.bootstrap) or (options.groups and not options.group):
        raise CommandFailed(
            "--group is of the interval, which --bootstrap asks for, and --groups is of --group."
        )
    table = labels_of_file(options)
    unit_counts = count_units(table.labels)
    try:
        alpha = alpha_of_counts(
            unit_counts,
            level=options.level,
            n_replicates=options.bootstrap,
            confidence=options.confidence,
            seed=options.seed,
            grouped_units=units_by_group(table, unit_counts, options) if options.group else None,
        )
    except FormatError as error:
        raise CommandFailed(f"{error.file}: {error}") from error
    except OSError as error:
        raise CommandFailed(f"{options.groups}: {error.strerror}") from error
    except ValueError as error:
        raise CommandFailed(f"{options.labels}: {error}") from error
    percent = percent_agreement(unit_counts)._asdict()
    percent.pop("n_units")  # the pairable ones, which alpha's report has already
    report = as_dict(alpha) | percent
    report["n_repeated_labels"] = table.labels.n_repeated
    if options.json:
        print(json.dumps(report))
    else:
        sys.stdout.writelines(
            f"{key}\t{format_value(value, options.digits)}\n" for key, value in report.items()
        )


def labels_of_file(options: Namespace) -> LabelTable:
    """Read the labels of the table, and the groups of units.

    Raises CommandFailed for a faulty table.
    """
    problems = GroupedProblems()
    try:
        with open(options.labels, "rb") as stream:
            table = read_labels(
                stream,
                problems,
                name=options.labels,
                unit=options.unit.split(","),
                annotator=options.annotator.split(","),
                value=options.value or None,
                level=options.level,
                has_header=not options.no_header,
                group=options.group.split(",") if options.group else (),
                planned=options.planned,
            )
    except (FormatError, OSError) as error:
        raise CommandFailed(
            f"{options.labels}: {getattr(error, 'strerror', '') or error}"
        ) from error
    if problems:
        raise CommandFailed(f"{options.labels}: {problems}")
    return table


def units_by_group(table: LabelTable, unit_counts: UnitCounts, options: Namespace) -> GroupedUnits:
    """The units with two labels or more, by group.

    Raises CommandFailed where all are of one group.
    """
    has_several, counts = counts_of_several(table.labels)
    groups = groups_of_units(table, options).within(has_several)
    refuse_one_group(
        groups, noun="units with two labels", advice="name other groups, or leave out --group"
    )
    return GroupedUnits.of(counts, groups.of_query, unit_counts)


def groups_of_units(table: LabelTable, options: Namespace) -> Groups:
    """The groups of the units: the values of the columns, or their groups in --groups."""
    if not options.groups:
        return as_groups(table.groups)
    if any(len(group) > 1 for group in table.groups):
        raise CommandFailed(
            "--groups says where the values of one column belong: name one by --group."
        )
    values = list(dict.fromkeys(group[0] for group in table.groups if group))
    value_groups = groups_from_file(options.groups, values, noun="values of --group")
    number = dict(zip(values, value_groups.of_query.tolist(), strict=True))
    return as_groups([(number[group[0]],) if group else () for group in table.groups])


def as_dict(alpha: Alpha) -> dict[str, Any]:
    """Alpha by the names in the output.

    With the interval and its seed only where one was requested.
    """
    report: dict[str, Any] = {"alpha": alpha.value, "level": str(alpha.level)}
    if alpha.reason:
        report["not_defined"] = alpha.reason
    if alpha.n_replicates:
        report |= {"low": alpha.low, "high": alpha.high, "seed": alpha.seed}
        if alpha.n_groups is not None:
            report["n_groups"] = alpha.n_groups
        report |= {
            "n_replicates": alpha.n_replicates,
            "n_undefined_replicates": alpha.n_undefined_replicates,
        }
    for name in ("n_units", "n_labels", "n_pairable_units", "n_pairable_labels"):
        report[name] = getattr(alpha, name)
    return report


def format_value(value: object, digits: int) -> str:
    """Format a value for people."""
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return "n/a" if value is None else str(value)
