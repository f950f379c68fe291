"""Compute one analysis of a file of scores: its sentence and table, or the chart as a file."""

import json
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence

import numpy as np

from annotate.core.files.formats import FormatError
from assayer.commands.command import CommandFailed
from assayer.commands.files.scores import add_choice_arguments, chosen_values_of
from metrics.charts.pictures import PictureError
from metrics.charts.result_files import as_csv, as_svg, as_text
from metrics.charts.results import AnalysisResult
from metrics.core.comparisons.missing_queries import MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHOD_NAMES, METHODS
from metrics.core.files.scores import CHOICES, ScoreTable, read_scores
from metrics.score_files.analyses import ScoreAnalysis
from metrics.score_files.choices import Choice, idle_sentence
from metrics.score_files.command_options import (
    SCORES_HELP,
    add_forms,
    add_shared_options,
    flag_of,
)
from metrics.score_files.plan_numbers import PlanNumbers, read_plan_numbers
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest, NotDefined

DESCRIPTION = (
    "Compute an analysis of a file of scores: a sentence, what it is of, and the table; or the "
    "table as CSV, everything as JSON, the chart as SVG. Without a name: those that there are."
)
# options that say something of a collection
OF_COLLECTION = ("collection", "name", "team", "tag", "queries", "protocol", "mark")


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options, and those of a collection, which are refused with a sentence."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="of the analysis")
    parser.add_argument("--scores", metavar="FILE", help=SCORES_HELP)
    add_choice_arguments(parser)
    add_shared_options(parser)
    for name in OF_COLLECTION:
        dest = "part" if name == "name" else name
        parser.add_argument(flag_of(name), dest=dest, default="", help=SUPPRESS)
    add_forms(parser)


def run(options: Namespace) -> None:
    """Print the result in the form of the options, or the names and questions of all."""
    if options.name is None:
        for row in SCORE_ANALYSES.values():
            print(f"{row.name}\t{row.question}")
        return
    if options.name not in SCORE_ANALYSES:
        raise CommandFailed(
            f"{options.name} needs a collection, if it is an analysis at all. From a file come: "
            f"{', '.join(SCORE_ANALYSES)}."
        )
    if not options.scores:
        raise CommandFailed("Name a file of scores by --scores.")
    analysis = SCORE_ANALYSES[options.name]
    check_options(analysis, options)
    request = request_of(analysis, options)
    try:
        result = analysis.find(request)
    except NotDefined as reason:
        raise CommandFailed(f"Not defined for {options.scores}. {reason}") from reason
    sys.stdout.write(output(analysis, request, result, options))


def check_options(analysis: ScoreAnalysis, options: Namespace) -> None:
    """Raise CommandFailed for an option that would change nothing of a file."""
    values = vars(options) | {"name": options.part}
    names = [name for name, value in values.items() if value]
    if names_of_collection := [name for name in OF_COLLECTION if name in names]:
        flag = flag_of(names_of_collection[0])
        raise CommandFailed(f"{flag} is of a collection: leave it out with --scores.")
    sentence = idle_sentence(
        analysis.name,
        analysis.parameter_names,
        names,
        spell=flag_of,
        left_out=(*OF_COLLECTION, *CHOICES),
    )
    if sentence:
        raise CommandFailed(sentence)


def request_of(analysis: ScoreAnalysis, options: Namespace) -> FileRequest:
    """Read the file and the choices; CommandFailed for what cannot be read."""
    errors = list[str]()
    try:
        with open(options.scores, "rb") as stream:
            table = read_scores(
                stream, name=options.scores, chosen_values=chosen_values_of(options)
            )
    except FormatError as error:
        raise CommandFailed(str(error)) from error
    except OSError as error:
        sentence = f"The file {options.scores} cannot be read: {error.strerror}."
        raise CommandFailed(sentence) from error
    plan = read_plan_numbers({name: getattr(options, name) for name in PlanNumbers._fields}, errors)
    if errors:
        raise CommandFailed(" ".join(errors))
    # runs are the rows of averages, and the columns of scores by topic
    in_rows = analysis.chapter == "measures"
    table = chosen_runs(table, options.run, options.scores, in_rows=in_rows)
    method, treatment = options.method or METHODS[0], options.missing or MISSING_ZERO
    return FileRequest(table, method, treatment, plan)


def chosen_runs(table: ScoreTable, names: Sequence[str], path: str, *, in_rows: bool) -> ScoreTable:
    """The table of the named runs, its rows or its columns; the whole one without names."""
    runs, side = (table.queries, "rows") if in_rows else (table.runs, "columns")
    unknown = next((name for name in names if name not in runs), None)
    if unknown is not None:
        raise CommandFailed(f'{path} has no run "{unknown}": name some of its {side}.')
    if not names:
        return table
    if not in_rows:
        return table.of_columns(names)
    rows = [row for row, query in enumerate(table.queries) if query in names]
    return table.of_queries(np.array(rows, dtype=np.int64))


def output(
    analysis: ScoreAnalysis, request: FileRequest, result: AnalysisResult, options: Namespace
) -> str:
    """The result in the form of the options; by default sentences and a table."""
    has_method, has_treatment = (
        choice in analysis.choices for choice in (Choice.METHOD, Choice.MISSING)
    )
    sentences = [f"Of {result.extent}. From the file {options.scores}."]
    sentences += [f"Test: {METHOD_NAMES[request.method]}."] * has_method
    caption = " ".join(sentences)
    if options.csv:
        return as_csv(result)
    if options.json:
        whole = {
            **analysis.as_json(),
            "file": options.scores,
            "method": request.method if has_method else None,
            "missing": request.treatment if has_treatment else None,
            **request.plan._asdict(),
            **result.as_json(),
        }
        return f"{json.dumps(whole, ensure_ascii=False)}\n"
    if options.svg:
        try:
            return as_svg(result, analysis.name, caption)
        except PictureError as error:
            raise CommandFailed(str(error)) from error
    return as_text(result, caption)
