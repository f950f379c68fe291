"""Making documents from the ids in a run, for collections that come without a list of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.formats import FormatError, Problems
from annotate.models import Direction, Import, User
from annotate.services.background.progress import ProgressCallback
from annotate.services.collection.references import FileRejected
from annotate.services.imports import imports
from annotate.services.imports import items as item_import
from annotate.services.imports.kinds import KINDS, ImportInputs
from pooling.core.files.run_files import read_blocks, read_parts
from pooling.models import Run
from pooling.services.runs.storage import SIDES, SideItems, side_items

Ids = NDArray[np.bytes_]
MERGED_AT = 1 << 18  # ids that wait to be merged with those before


class NoUnknownDocuments(Exception):
    """The run names no unknown document, or its file has not been read; nothing was begun."""


@dataclass(frozen=True)
class RunDocumentImport:
    """An import of the documents of a run, `run` by its key; see `make_documents`."""

    run: int

    kind: ClassVar = Import.Kind.DOCUMENTS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Restore it from its stored parameters."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """Its parameters, to be stored."""
        return asdict(self)

    def load(self, inputs: ImportInputs) -> Sequence[FileTallies]:
        """Read the run's kept file, and load the documents its collection lacks.

        Raises FileRejected if it cannot be read.
        """
        run = (
            Run.objects.select_related("collection")
            .filter(pk=self.run, collection=inputs.collection)
            .first()
        )
        if run is None:
            problems = Problems()
            problems.add(
                FormatError(
                    inputs.source.name, None, "", "The run was deleted meanwhile; nothing was made."
                )
            )
            raise FileRejected(problems)
        ids_found = unknown_documents(
            run=run, file_label=inputs.source.name, on_progress=inputs.on_progress
        )
        ids = [id_.decode() for id_ in ids_found.tolist()]
        report = item_import.load_documents(
            collection=run.collection,
            ids=ids,
            file_name=inputs.source.name,
            by=inputs.by,
            on_progress=inputs.on_progress,
        )
        return [report]


KINDS[RunDocumentImport.kind] = RunDocumentImport


def may_make_documents(run: Run) -> bool:
    """True if, by its report, a run names documents that its collection lacks.

    They are its targets, or its sources in a reverse run.
    """
    if run.state != Run.State.READY or run.is_turned:
        return False
    if run.direction == Direction.FORWARD:  # targets of unknown queries make no documents
        return bool(run.n_unknown)
    return bool(run.report.get("unknown_sources", {}).get("n"))


def make_documents(*, run: Run, by: User | None, is_done_here: bool = False) -> Import:
    """Request an import of all documents in rankings of known queries that the collection lacks.

    is_done_here : the caller performs its work

    The documents have ids alone. A second request before the import has ended returns the same one.
    Raises NoUnknownDocuments.
    """
    if not may_make_documents(run):
        raise NoUnknownDocuments(f'Run "{run}" names no document that this collection lacks.')
    name = "a hidden run" if run.is_hidden else run.name  # imports are seen by all who lead
    document_import = RunDocumentImport(run.pk)
    return imports.request_import(
        collection=run.collection,
        import_request=document_import,
        name=name,
        by=by,
        is_done_here=is_done_here,
    )


def unknown_documents(*, run: Run, file_label: str, on_progress: ProgressCallback) -> Ids:
    """(n,) the ids of the documents that the collection lacks, each once.

    Of a forward run the unknown targets of known queries, of a reverse one its sources.

    file_label : name of the file in faults; its own name may be a secret
    Raises FileRejected if the kept file can no longer be read.
    """
    sources, targets = (side_items(run, side) for side in SIDES[Direction(run.direction)])
    problems, id_parts, n_rows = Problems(), [np.empty(0, "S1")], 0
    try:
        with run.open_file() as stream:
            if not run.columns and (blocks := read_blocks(stream, file_label, problems)):
                block = next(blocks)
                return _unknown_ids(block.rows, block.columns, run, sources, targets)
            for part in read_parts(stream, file_label, problems, columns=run.columns):
                part_run, n_rows = part.run, n_rows + len(part.line)
                is_known = sources.is_test[sources.ids.find(part_run.queries)][part_run.query]
                id_parts.append(
                    _unknown_ids(part_run.queries, part_run.docs[is_known], run, sources, targets)
                )
                on_progress(n_done=n_rows, unit="rows read")
                if sum(map(len, id_parts[1:])) > MERGED_AT:
                    id_parts = [np.unique(np.concatenate(id_parts))]
    except FileNotFoundError:
        problems.add(
            FormatError(file_label, None, "", "The run's kept file is gone; upload the run again.")
        )
    except FormatError as error:
        problems.add(error)
    if problems:
        raise FileRejected(problems)
    return np.unique(np.concatenate(id_parts))


def _unknown_ids(
    source_ids: Ids, target_ids: Ids, run: Run, source_items: SideItems, target_items: SideItems
) -> Ids:
    ids, items = (
        (target_ids, target_items)
        if run.direction == Direction.FORWARD
        else (source_ids, source_items)
    )
    ids = np.unique(ids)
    return ids[items.ids.find(ids) < 0]
