"""Compute one analysis of a collection: its sentence and table, or the chart as a file."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict

from annotate.core.files.formats import FormatError
from annotate.models import Collection
from metrics.charts.pictures import PictureError, svg_of
from metrics.charts.results import AnalysisResult
from metrics.core.comparisons.missing_queries import MISSING_NAMES, MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHOD_NAMES, METHODS
from metrics.core.files.scores import ScoreTable, read_scores
from metrics.core.labels.protocols import PROTOCOLS
from metrics.services.analysis.analyses import Analysis, Choice, FileRequest, NotDefined
from metrics.services.analysis.choices import SharedChoices, read_shared_choices
from metrics.services.analysis.computation import compute_now
from metrics.services.analysis.files import as_csv, as_json, as_row
from metrics.services.analysis.page import caption_of
from metrics.services.analysis.plan_numbers import PlanNumbers, read_plan_numbers
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run

RUN_HELP = "repeatable, of a file of scores too; default: all"
# options that say something of a collection
OF_COLLECTION = (
    "collection",
    "direction",
    "name",
    "team",
    "tag",
    "label_source",
    "threshold",
    "queries",
    "measure",
    "protocol",
    "mark",
)


class Output(NamedTuple):
    """A result with what it is of, in words, and everything as JSON."""

    analysis: Analysis
    result: AnalysisResult
    caption: str
    whole: dict[str, Any]


class Command(BaseCommand):
    help = (
        "Compute an analysis of a collection, as on its page: a sentence, what it is of, and the "
        "table; or the table as CSV, everything as JSON, the chart as SVG. Without a name: those "
        "that there are (docs/analyses.md)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", choices=list(ANALYSES), metavar="NAME")
        parser.add_argument("--collection", metavar="SLUG", help="as its address has it")
        parser.add_argument("--direction", default="", help="forward or reverse")
        parser.add_argument("--run", action="append", default=[], metavar="NAME", help=RUN_HELP)
        parser.add_argument("--name", dest="part", default="", help="only runs with this in a name")
        parser.add_argument("--team", default="", help="only runs of this team")
        parser.add_argument("--tag", default="", help="only runs with this tag")
        parser.add_argument(
            "--label-source", default="", metavar="KEY", help='such as "over:original" or "only"'
        )
        parser.add_argument("--threshold", default="", help="grade from which a pair is positive")
        parser.add_argument("--queries", default="", metavar="SET", help="the query set")
        parser.add_argument(
            "--measure", default="", help="as C@5; several with blanks, where it is about several"
        )
        parser.add_argument(
            "--method",
            choices=list(METHODS),
            default="",
            metavar="METHOD",
            help=f"the test of differences: {', '.join(METHODS)}",
        )
        parser.add_argument(
            "--missing",
            choices=list(MISSING_NAMES),
            default="",
            help="queries that a run misses: zero counts 0, runs and queries leave such out",
        )
        parser.add_argument(
            "--protocol",
            choices=[protocol.name for protocol in PROTOCOLS],
            default="",
            metavar="NAME",
            help="what papers compare by: labels, queries and measures, such as coco-5k",
        )
        parser.add_argument("--n", default="", help="queries of a sample, in the planner")
        parser.add_argument("--error", default="", help="a wanted error of a score, such as 0.03")
        parser.add_argument("--difference", default="", help="of two runs, to be seen by a test")
        parser.add_argument("--power", default="", help="of that test, from 0.5 to 0.99")
        parser.add_argument("--mark", default="", metavar="TEAM", help="let its runs stand out")
        scores_help = "in place of a collection: rows runs, columns measures; or rows topics, "
        parser.add_argument("--scores", metavar="FILE", help=f"{scores_help}columns runs")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_true", help="the table with all digits")
        form.add_argument("--json", action="store_true", help="one JSON object, with the chart")
        form.add_argument("--svg", action="store_true", help="the chart")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] is None:
            self.stdout.writelines(f"{row.name}\t{row.question}\n" for row in ANALYSES.values())
            return
        analysis = ANALYSES[options["name"]]
        if options["scores"]:
            self.stdout.write(_text(_output_of_file(analysis, options), options), ending="")
            return
        check_options(analysis, options)
        if not options["collection"]:
            raise CommandError("Name a collection by --collection, as its address has it.")
        collection = Collection.objects.filter(slug=options["collection"]).first()
        if collection is None:
            raise CommandError(f'There is no collection "{options["collection"]}".')
        choices = _choices(collection, options)

        def report_progress(n_done: int, total: int, unit: str) -> None:
            self.stderr.write(f"{n_done:,} of {total:,} {unit}")

        answer = compute_now(
            collection=collection, spec=analysis.spec(choices), report_progress=report_progress
        )
        if answer.result is None:
            raise CommandError(f"Not defined. {answer.reason}")
        output = Output(
            analysis,
            answer.result,
            caption_of(analysis, choices, answer),
            as_json(analysis=analysis, choices=choices, answer=answer),
        )
        self.stdout.write(_text(output, options), ending="")


def check_options(analysis: Analysis, options: dict[str, Any]) -> None:
    """Raise CommandError for an option that would change nothing of a file, or in this analysis."""
    names = [name for name, value in (options | {"name": options["part"]}).items() if value]
    names_of_collection = [name for name in OF_COLLECTION if name in names]
    if options["scores"] and names_of_collection:
        flag = flag_of(names_of_collection[0])
        raise CommandError(f"{flag} is of a collection: leave it out with --scores.")
    left_out = OF_COLLECTION if options["scores"] else ()
    if sentence := analysis.idle_sentence(names, spell=flag_of, left_out=left_out):
        raise CommandError(sentence)


def flag_of(name: str) -> str:
    """An option as it is typed."""
    return "--" + name.replace("_", "-")


def _choices(collection: Collection, options: dict[str, Any]) -> SharedChoices:
    """Read the choices of the options, as an address would have them; CommandError if unknown."""
    names = {
        "direction": options["direction"],
        "name": options["part"],
        "team": options["team"],
        "tag": options["tag"],
        "labels": options["label_source"],
        "threshold": options["threshold"],
        "queries": options["queries"],
        "measure": options["measure"],
        "decide": options["method"],
        "missing": options["missing"],
        "protocol": options["protocol"],
        **{name: options[name] for name in PlanNumbers._fields},
        "mark": options["mark"],
    }
    parameters = QueryDict(mutable=True)
    parameters.update({name: value for name, value in names.items() if value})
    keys = []
    for name in options["run"]:
        runs = Run.objects.in_use().filter(collection=collection, name=name)
        if not runs:
            raise CommandError(f'There is no run "{name}" in use in {collection.slug}.')
        keys += [str(run.pk) for run in runs]
    parameters.setlist("run", keys)
    choices = read_shared_choices(
        collection=collection, viewer=None, parameters=parameters, one_direction=True
    )
    if choices.errors:
        raise CommandError(" ".join(choices.errors))
    return choices


def chosen_runs(table: ScoreTable, names: Sequence[str], path: str, *, in_rows: bool) -> ScoreTable:
    """The table of the named runs, its rows or its columns; the whole one without names."""
    runs, side = (table.queries, "rows") if in_rows else (table.runs, "columns")
    unknown = next((name for name in names if name not in runs), None)
    if unknown is not None:
        raise CommandError(f'{path} has no run "{unknown}": name some of its {side}.')
    if not names:
        return table
    if not in_rows:
        return table.of_columns(names)
    rows = [row for row, query in enumerate(table.queries) if query in names]
    return table.of_queries(np.array(rows, dtype=np.int64))


def _output_of_file(analysis: Analysis, options: dict[str, Any]) -> Output:
    """Compute an analysis from a file of scores; CommandError where it cannot be."""
    if analysis.of_scores is None:
        names = ", ".join(name for name, row in ANALYSES.items() if row.of_scores)
        raise CommandError(f"{analysis.name} needs a collection. From a file come: {names}.")
    check_options(analysis, options)
    path, errors = options["scores"], list[str]()
    parameters = QueryDict(mutable=True)
    parameters.update({name: options[name] for name in PlanNumbers._fields})
    try:
        with open(path, "rb") as stream:
            table = read_scores(stream, name=path)
        method, treatment = options["method"] or METHODS[0], options["missing"] or MISSING_ZERO
        plan = read_plan_numbers(parameters, errors)
        if errors:
            raise CommandError(" ".join(errors))
        # runs are the rows of averages, and the columns of scores by topic
        in_rows = analysis.chapter.slug == "measures"
        table = chosen_runs(table, options["run"], path, in_rows=in_rows)
        result = analysis.of_scores(FileRequest(table, method, treatment, plan))
    except FormatError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"The file {path} cannot be read: {error.strerror}.") from error
    except NotDefined as reason:
        raise CommandError(f"Not defined for {path}. {reason}") from reason
    has_method, has_treatment = (
        choice in analysis.choices for choice in (Choice.METHOD, Choice.MISSING)
    )
    whole = {
        **as_row(analysis),
        "file": path,
        "method": method if has_method else None,
        "missing": treatment if has_treatment else None,
        **plan._asdict(),
        **result.as_json(),
    }
    sentences = [f"Of {result.extent}. From the file {path}."]
    sentences += [f"Test: {METHOD_NAMES[method]}."] * has_method
    return Output(analysis, result, " ".join(sentences), whole)


def _text(output: Output, options: dict[str, Any]) -> str:
    """The result in the form that the options name; by default sentences and a table."""
    result, caption = output.result, output.caption
    if options["csv"]:
        return as_csv(result)
    if options["json"]:
        return f"{json.dumps(output.whole, ensure_ascii=False)}\n"
    if options["svg"]:
        if result.spec is None:
            raise CommandError("It is a table without a chart: take --csv or --json.")
        try:
            return svg_of(result.chart(id=output.analysis.name, caption=caption))
        except PictureError as error:
            raise CommandError(str(error)) from error
    sentences = [result.headline, result.reading, caption]
    lines = [f"# {_line(sentence)}\n" for sentence in [*sentences, *result.notes]]
    lines.append("\t".join(column.title for column in result.columns) + "\n")
    lines += ["\t".join(map(_line, row)) + "\n" for row in result.printed_rows()]
    return "".join(lines)


def _line(cell: object) -> str:
    """The text of a cell or a sentence in one line, without tabs."""
    return " ".join(str(cell).split())
