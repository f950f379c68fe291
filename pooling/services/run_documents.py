"""The documents that a run names, made by their ids alone: for collections that come without a list of documents."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from annotate.core.formats import FormatError, Problems
from annotate.core.tallies import Tallies
from annotate.models import Direction, Import, User
from annotate.services import imports, loading
from annotate.services.background.progress import Tell
from annotate.services.import_kinds import KINDS, ImportInputs
from annotate.services.references import Rejected
from pooling.core.run_files import read_blocks, read_parts
from pooling.models import Run
from pooling.services.run_storage import SIDES, Known, known_items

Ids = NDArray[np.bytes_]
MERGED_AT = 1 << 18  # ids that wait to be put in order with those before


class NothingLacks(Exception):
    """No document that the run names is unknown, or its file has not been read; nothing was begun."""


class RunDocuments(NamedTuple):
    """The documents of a run, `run` by its key; see `make_documents`."""

    run: int

    kind = Import.Kind.DOCUMENTS

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """As it was stored."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """As it is stored."""
        return self._asdict()

    def load(self, inputs: ImportInputs) -> Sequence[Tallies]:
        """Read the run's kept file, and load what its collection lacks. Raises Rejected where it cannot be read."""
        run = Run.objects.select_related("collection").filter(pk=self.run, collection=inputs.collection).first()
        if run is None:
            problems = Problems()
            problems.add(FormatError(inputs.source.name, None, "", "The run was deleted meanwhile; nothing was made."))
            raise Rejected(problems)
        found = lacking_documents(run=run, called=inputs.source.name, tell=inputs.tell)
        ids = [each.decode() for each in found.tolist()]
        report = loading.load_documents(
            collection=run.collection, ids=ids, file_name=inputs.source.name, by=inputs.by, tell=inputs.tell
        )
        return [report]


KINDS[RunDocuments.kind] = RunDocuments


def may_make(run: Run) -> bool:
    """Whether a run ranks documents that its collection lacks, or is of such, as far as its report says."""
    if run.state != Run.State.READY or run.is_turned:
        return False
    if run.direction == Direction.FORWARD:  # targets of unknown queries make no documents
        return bool(run.n_unknown)
    return bool(run.report.get("unknown_sources", {}).get("n"))


def make_documents(*, run: Run, by: User | None, is_done_here: bool = False) -> Import:
    """Ask for an import of all documents that a run's ranked queries bring and the collection lacks.

    is_done_here : the caller performs its work
    They are known by their ids alone. Asked again before it has ended, it is the same import. Raises NothingLacks.
    """
    if not may_make(run):
        raise NothingLacks(f'Run "{run}" names no document that this collection lacks.')
    name = "a hidden run" if run.is_hidden else run.name  # imports are seen by all who lead
    asked = RunDocuments(run.pk)
    return imports.ask(collection=run.collection, asked=asked, name=name, by=by, is_done_here=is_done_here)


def lacking_documents(*, run: Run, called: str, tell: Tell) -> Ids:
    """(n,) the ids, each once: of a forward run the unknown targets of known queries, of a reverse one its sources.

    called : what faults call the file; its own name may be a secret
    Raises Rejected where the kept file can no longer be read.
    """
    sources, targets = (known_items(run, side) for side in SIDES[Direction(run.direction)])
    problems, waiting, n_rows = Problems(), [np.empty(0, "S1")], 0
    try:
        with run.file.open("rb") as stream:
            if not run.columns and (blocks := read_blocks(stream, called, problems)):
                block = next(blocks)
                return _lacking(block.rows, block.columns, run, sources, targets)
            for part in read_parts(stream, called, problems, columns=run.columns):
                found, n_rows = part.run, n_rows + len(part.line)
                is_known = sources.is_test[sources.ids.find(found.queries)][found.query]
                waiting.append(_lacking(found.queries, found.docs[is_known], run, sources, targets))
                tell(done=n_rows, unit="rows read")
                if sum(map(len, waiting[1:])) > MERGED_AT:
                    waiting = [np.unique(np.concatenate(waiting))]
    except FileNotFoundError:
        problems.add(FormatError(called, None, "", "The run's kept file is gone; upload the run again."))
    except FormatError as error:
        problems.add(error)
    if problems:
        raise Rejected(problems)
    return np.unique(np.concatenate(waiting))


def _lacking(queries: Ids, docs: Ids, run: Run, sources: Known, targets: Known) -> Ids:
    ids, known = (docs, targets) if run.direction == Direction.FORWARD else (queries, sources)
    ids = np.unique(ids)
    return ids[known.ids.find(ids) < 0]
