"""The demo study "Shapes", loaded through the services that researchers use."""

import json
from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.core.files import File

from annotate.core.files.archives.sources import FileSource, FolderSource
from annotate.core.levels.scheme_rules import LevelSpec
from annotate.models import Collection, Direction, ReferenceLabel, User
from annotate.services.collection.collections import create_collection
from annotate.services.collection.query_sets import load_query_set
from annotate.services.collection.references import load_reference
from annotate.services.imports.items import load_collection
from pooling.services.runs.runs import read_here, receive_run

FOLDER = Path(settings.BASE_DIR) / "demo" / "shapes"
DESCRIPTION = (
    "Captions and small scenes whose true relevance is known: a study to try everything on."
)
DIRECTIONS = (Direction.FORWARD, Direction.REVERSE)
N_FOLDS = 2


def load_shapes(
    *,
    slug: str,
    name: str,
    by: User | None = None,
    is_rehearsal: bool = False,
    folder: Path = FOLDER,
) -> Collection:
    """Make a collection of the demo's items, scheme, guidelines, reference set and six runs.

    Raises CollectionExists when the slug is taken.
    """
    scheme = json.loads((folder / "scheme.json").read_text())
    collection = create_collection(
        name=name,
        slug=slug,
        levels=[LevelSpec(**level) for level in scheme["levels"]],
        positive_from=scheme["positive_from"],
        measurement=scheme["measurement"],
        guidelines=(folder / "guidelines.md").read_text(),
        by=by,
        description=DESCRIPTION,
        is_rehearsal=is_rehearsal,
    )
    load_collection(collection=collection, source=FolderSource(folder), by=by)
    with open(folder / "reference.qrels", "rb") as stream:
        load_reference(
            collection=collection,
            stream=stream,
            file_name="reference.qrels",
            name="original",
            by=by,
        )
    load_runs(collection=collection, by=by, folder=folder)
    return collection


def load_training_texts(*, collection: Collection, folder: Path = FOLDER) -> None:
    """Add texts on which systems might have been trained, which analyses compare queries with."""
    path = folder / "training" / "captions.jsonl"
    with open(path, "rb") as stream:
        load_collection(collection=collection, source=FileSource(stream, path.name))


def load_folds(*, collection: Collection) -> None:
    """Divide captions, in turns by their ids, into query sets "fold 1", "fold 2".

    The item that a caption was written for is in its fold.
    """
    labels = ReferenceLabel.objects.filter(
        reference_set__collection=collection, reference_set__name="original"
    )
    ids = list(
        labels.order_by("query__external_id").values_list(
            "query__external_id", "document__external_id"
        )
    )
    for fold in range(N_FOLDS):
        for direction, own_ids in zip(
            DIRECTIONS, zip(*ids[fold::N_FOLDS], strict=True), strict=True
        ):
            lines = "".join(f"{external_id}\n" for external_id in own_ids)
            load_query_set(
                collection=collection,
                stream=BytesIO(lines.encode()),
                file_name=f"fold {fold + 1}.txt",
                name=f"fold {fold + 1}",
                direction=direction,
            )


def load_runs(*, collection: Collection, by: User | None = None, folder: Path = FOLDER) -> None:
    """Receive and read the demo's runs; an existing run stays as it is."""
    for direction in DIRECTIONS:
        for path in sorted((folder / "runs").glob(f"*.{direction}.run.gz")):
            system = path.name.split(".")[0]
            suffix = "" if direction == Direction.FORWARD else "-reverse"
            with open(path, "rb") as stream:
                received_run = receive_run(
                    collection=collection,
                    name=system + suffix,
                    direction=direction,
                    upload=File(stream, name=path.name),
                    system=system,
                    by=by,
                    is_done_here=True,
                )
            read_here(run=received_run.run)
