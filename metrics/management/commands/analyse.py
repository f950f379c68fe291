"""Compute one analysis of a collection: its sentence and table, or the chart as a file."""

import json
from argparse import ArgumentParser
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError
from django.http import QueryDict

from annotate.models import Collection
from metrics.charts.pictures import PictureError
from metrics.charts.result_files import as_csv, as_svg, as_text
from metrics.charts.results import AnalysisResult
from metrics.core.labels.protocols import PROTOCOLS
from metrics.score_files.choices import idle_sentence
from metrics.score_files.command_options import (
    add_forms,
    add_shared_options,
    flag_of,
)
from metrics.score_files.plan_numbers import PlanNumbers
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices, read_shared_choices
from metrics.services.analysis.computation import compute_now
from metrics.services.analysis.files import as_json
from metrics.services.analysis.page import caption_of
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run


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
        "that there are (docs/analyses.md). Of a file in place of a collection: NAME --scores FILE."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", choices=list(ANALYSES), metavar="NAME")
        parser.add_argument("--collection", metavar="SLUG", help="as its address has it")
        parser.add_argument("--direction", default="", help="forward or reverse")
        add_shared_options(parser)
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
            "--protocol",
            choices=[protocol.name for protocol in PROTOCOLS],
            default="",
            metavar="NAME",
            help="what papers compare by: labels, queries and measures, such as coco-5k",
        )
        parser.add_argument("--mark", default="", metavar="TEAM", help="let its runs stand out")
        add_forms(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"] is None:
            self.stdout.writelines(f"{row.name}\t{row.question}\n" for row in ANALYSES.values())
            return
        analysis = ANALYSES[options["name"]]
        names = [name for name, value in (options | {"name": options["part"]}).items() if value]
        if sentence := idle_sentence(analysis.name, analysis.parameter_names, names, spell=flag_of):
            raise CommandError(sentence)
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


def _text(output: Output, options: dict[str, Any]) -> str:
    """The result in the form that the options name; by default sentences and a table."""
    if options["csv"]:
        return as_csv(output.result)
    if options["json"]:
        return f"{json.dumps(output.whole, ensure_ascii=False)}\n"
    if options["svg"]:
        try:
            return as_svg(output.result, output.analysis.name, output.caption)
        except PictureError as error:
            raise CommandError(str(error)) from error
    return as_text(output.result, output.caption)
