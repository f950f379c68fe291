"""Queries, documents and labels of a data set that others made, into a collection."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from annotate.core.files.formats import FormatError
from annotate.core.phrases import counted, enumeration
from assayer.client.client import Client
from assayer.client.errors import NotFound
from assayer.commands.command import CommandFailed, remark
from assayer.commands.site.options import add_site_arguments, client_of, collection_of
from assayer.datasets.beir import BeirFolder
from assayer.datasets.data_sets import DOCUMENT, QUERY, DataSet, SourceFault
from assayer.datasets.hub_folder import HubFolder
from assayer.datasets.import_files import id_file, item_files, label_file
from assayer.datasets.ir_datasets_source import IrDataset
from assayer.datasets.release_folder import release_around
from assayer.datasets.release_tables import ReleaseTables
from assayer.datasets.selections import ORIGINAL, Selection
from assayer.datasets.summary import files_sentence, new_levels, summary_lines
from assayer.datasets.survey import Survey, survey

DESCRIPTION = """Load queries, documents and labels of ir_datasets, of a BEIR folder or of a folder
in the layout of the Hub of Hugging Face into a collection; or a file of items as it stands."""
# options that a file of items, which goes as it stands, has no use for
OF_OTHER_SOURCES = (
    "make",
    "positive_from",
    "definitions",
    "split",
    "labels",
    "grades",
    "skip_unknown",
    "without_media",
)
FILE_STEMS = {QUERY: "queries", DOCUMENT: "documents"}


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--ir-datasets", metavar="ID", help="an id of the package ir_datasets")
    source.add_argument(
        "--beir", type=Path, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels/*.tsv"
    )
    source.add_argument(
        "--hugging-face", type=Path, metavar="FOLDER", help="Parquet or JSON lines as on the Hub"
    )
    source.add_argument("--items", type=Path, metavar="FILE", help="a file of items, or its zip")
    parser.add_argument("--collection", metavar="SLUG", help="the short name of the collection")
    parser.add_argument("--make", metavar="NAME", help="make the collection, of this name")
    parser.add_argument(
        "--positive-from", type=int, metavar="GRADE", help="with --make: relevant from this grade"
    )
    parser.add_argument(
        "--definitions", type=Path, metavar="FILE", help="Python file that defines the ID"
    )
    parser.add_argument("--split", default="", help="this split alone, with the queries it names")
    parser.add_argument(
        "--labels", default="", metavar="NAME", help="name of the reference set: original"
    )
    parser.add_argument(
        "--grades", default="", metavar="1:4", help="what grades become, as 1:4,2:5"
    )
    parser.add_argument(
        "--skip-unknown", action="store_true", help="leave out labels of items that are not there"
    )
    parser.add_argument(
        "--without-media", action="store_true", help="leave out images, clips and sounds"
    )
    parser.add_argument(
        "--media", type=Path, metavar="ZIP", help="the files of the media that items name"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell figures, and send nothing")
    add_site_arguments(parser)


def run(options: Namespace) -> None:
    """Load the data set, or tell of it. Raises CommandFailed."""
    if not (options.collection or options.dry_run):
        raise CommandFailed("say by --collection SLUG where it goes, or see it by --dry-run.")
    if options.items:
        upload_file(options)
        return
    try:
        selection = Selection(
            dataset_of(options),
            options.split,
            main_set=options.labels or ORIGINAL,
            with_media=not options.without_media,
        )
        figures = survey(selection, skip_unknown=options.skip_unknown)
    except (SourceFault, FormatError, OSError) as error:
        file = f"{error.file}: " if isinstance(error, FormatError) else ""
        raise CommandFailed(f"{file}{error}") from error
    if figures.problems:
        raise CommandFailed(fault_lines(figures))
    if options.dry_run:
        print(*summary_lines(figures), sep="\n")
        return
    with client_of(options) as client:
        prepare_collection(client, selection.dataset, figures, options)
        upload(client, selection, figures, options)


def dataset_of(options: Namespace) -> DataSet:
    """The data set that the options name. Raises SourceFault."""
    if options.ir_datasets:
        return IrDataset(options.ir_datasets, options.definitions)
    if options.beir:
        return BeirFolder(options.beir)
    release = release_around(options.hugging_face)
    return ReleaseTables(release) if release else HubFolder(options.hugging_face)


def fault_lines(figures: Survey) -> str:
    """All faults with their files, and that nothing was sent."""
    faults = [f"{error.file}: {error}" for error in figures.problems.errors]
    n_hidden = figures.problems.n - len(faults)
    more = [f"and {n_hidden:,} more."] if n_hidden else []
    return "\n".join(["nothing was sent, since the data set has faults:", *faults, *more])


def grade_map(text: str) -> dict[int, int]:
    """The grades of an option such as 1:4,2:5. Raises CommandFailed."""
    try:
        pairs = [entry.split(":") for entry in text.split(",") if entry.strip()]
        return {int(file_grade): int(grade) for file_grade, grade in pairs}
    except ValueError as error:
        raise CommandFailed(f"write --grades as 1:4,2:5, not as {text}") from error


def prepare_collection(
    client: Client, dataset: DataSet, figures: Survey, options: Namespace
) -> None:
    """Make the collection, or see whether it has levels for all labels. Raises CommandFailed."""
    grades = grade_map(options.grades)
    label_grades = sorted({grades.get(grade, grade) for grade in figures.all_grades()})
    if options.make:
        levels = new_levels(dataset, label_grades)
        smallest_positive = min((level.grade for level in levels if level.grade), default=1)
        positive_from = options.positive_from or dataset.positive_from or smallest_positive
        client.make_collection(
            options.collection,
            name=options.make,
            levels=[level._asdict() for level in levels],
            positive_from=positive_from,
        )
        remark(f"{options.collection} is made, with {counted(len(levels), 'level')}")
        return
    try:
        facts = client.collection(options.collection).facts()
    except NotFound as error:
        raise CommandFailed(
            f"there is no collection {options.collection} in which you have a role: make it by "
            "--make NAME, or choose one that `assayer collections` shows."
        ) from error
    level_grades = sorted(level.grade for level in facts.levels)
    if homeless_grades := [grade for grade in label_grades if grade not in level_grades]:
        first, names = homeless_grades[0], enumeration([str(grade) for grade in homeless_grades])
        level_names = enumeration([str(grade) for grade in level_grades])
        raise CommandFailed(
            f"nothing was sent: there are labels of grade {names}, and {options.collection} has "
            f"the levels {level_names} alone. Map them, as by --grades {first}:{level_grades[-1]}, "
            "or make another collection by --make NAME."
        )


def upload(client: Client, selection: Selection, figures: Survey, options: Namespace) -> None:
    """Send the items, then the labels, then the query set of a split."""
    collection = client.collection(options.collection)
    if figures.n_with_files.total() and not options.media:
        remark(files_sentence(figures))
    for side, stem in FILE_STEMS.items():
        takes_media = options.media and figures.n_with_files[side]
        media = {"media": options.media} if takes_media else {}
        for number, content in enumerate(item_files(selection, side), start=1):
            name = f"{stem}{f'-{number}' * (number > 1)}.jsonl.gz"
            collection.upload("items", content, file_name=name, **media)
        remark(f"{counted(figures.n_items[side], side)} sent")
    fields = {"grades": options.grades} if options.grades else {}
    if options.skip_unknown:
        fields["skip_unknown"] = "true"
    if not selection.dataset.has_documents:
        fields["make_documents"] = "true"
    for split in selection.splits:
        name = selection.set_name(split)
        counts = figures.grades[name]
        if not any(grade >= 0 for grade in counts):
            remark(f"reference set {name}: no labels")
            continue
        file_name = f"{split}.tsv.gz"
        collection.upload(
            "reference", label_file(selection, split), file_name=file_name, name=name, **fields
        )
        remark(f"reference set {name}: {counted(sum(counts.values()), 'label')} sent")
    if options.split:
        collection.upload(
            "query_set",
            id_file(selection.query_set()),
            file_name=f"{options.split}.json.gz",
            name=options.split,
            direction="forward",
        )
        remark(f"query set {options.split}: {counted(figures.n_items[QUERY], QUERY)} sent")


def upload_file(options: Namespace) -> None:
    """Send a file of items as it stands, whose format the site tells. Raises CommandFailed."""
    if not options.items.is_file():
        raise CommandFailed(f"{options.items} is no file; pack a folder in a zip.")
    if options.dry_run:
        raise CommandFailed("the site alone reads --items; --dry-run is for the other sources.")
    idle_options = [name for name in OF_OTHER_SOURCES if getattr(options, name)]
    if idle_options:
        flag = f"--{idle_options[0].replace('_', '-')}"
        raise CommandFailed(
            f"{flag} is for the other sources: a file of --items goes as it stands, into a "
            f"collection that is there. Leave out {flag}."
        )
    media = {"media": options.media} if options.media else {}
    with collection_of(options) as collection:
        collection.upload("items", options.items, file_name=options.items.name, **media)
    remark(f"{options.items.name} is loaded into {options.collection}")
