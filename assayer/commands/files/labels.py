"""Options of commands for the labels that run files are scored with."""

from argparse import ArgumentParser, Namespace
from urllib.parse import unquote

from assayer.commands.command import CommandFailed
from metrics.core.files.source_labels import read_source
from metrics.core.labels.label_sources import LabelSource, People
from pooling.core.files.text.runs import QrelsFile

SOURCE_HELP = (
    'such as "over:original", "union:cxc,original" or "none:original": which labels count, '
    "--qrels being people's; the default is people over all references"
)


def add_label_arguments(parser: ArgumentParser) -> None:
    """Add the options for the files of labels, the label source, and the queries."""
    parser.add_argument(
        "--qrels", default="", help="labels: query, 0, document, grade, or with strata"
    )
    parser.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a reference set's qrels; repeatable; NAME as keys write it: %%3D for =",
    )
    parser.add_argument("--label-source", default="", metavar="KEY", help=SOURCE_HELP)
    parser.add_argument(
        "--queries", default="", help="ids of queries, one a line, that count without labels too"
    )


def labels_of(options: Namespace) -> tuple[LabelSource | None, QrelsFile]:
    """Read the labels that the options name.

    Return their source too, None for one file of unknown origin.
    """
    references: dict[str, str] = {}
    for text in options.reference:
        quoted, _, path = text.partition("=")
        name = unquote(quoted)
        if not (name and path) or name in references:
            raise CommandFailed(
                f'--reference "{text}": write NAME=FILE, each name once, as in a key (%3D for "=").'
            )
        references[name] = path
    if not (options.qrels or references):
        raise CommandFailed("Name the labels by --qrels or --reference.")
    source = None
    if options.label_source:
        source = LabelSource.parse(options.label_source)
    elif references:
        source = LabelSource.of(People.OVER if options.qrels else People.NONE, list(references))
    return source, read_source(people=options.qrels, references=references, source=source)
