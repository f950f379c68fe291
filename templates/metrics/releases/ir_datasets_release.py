"""The query sets of this release for `ir_datasets`, read from the files beside this one.

    import sys

    sys.path.insert(0, "FOLDER")  # of the release, wherever it lies
    import ir_datasets, ir_datasets_release

    print(ir_datasets_release.IDS)
    dataset = ir_datasets.load("assayer/COLLECTION/VERSION/QUERY-SET-DIRECTION")

A query set has the qrels of the usual label source; those of each label source stand under the id
followed by `/LABEL-SOURCE`, and each run whose file is here under `/runs/RUN`, as `scoreddocs`. In
direction `reverse` it is searched with documents: they are its queries, and the queries its docs.

Queries are ids alone where their texts may not leave, and there are no docs then. For the folder of
another release call `ir_datasets_release.register(FOLDER)`, which returns its ids.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets import util
from ir_datasets.datasets.base import FilteredScoredDocs
from ir_datasets.formats import BaseDocs, BaseQueries, TrecQrels, TrecScoredDocs
from ir_datasets.indices import DEFAULT_DOCSTORE_OPTIONS, PickleLz4FullStore

CORPUS, QUERIES = "beir/corpus.jsonl", "beir/queries.jsonl"  # of the first query set
SIDES = {"forward": ("query", "document"), "reverse": ("document", "query")}


class ReleasedDoc(NamedTuple):
    """A target; metadata: {"media": [{"kind", "path"}]}, empty where none may leave."""

    doc_id: str
    text: str
    metadata: dict[str, Any]

    def default_text(self) -> str:
        """text"""
        return self.text


class ReleasedQuery(NamedTuple):
    """A source, with metadata as those of targets."""

    query_id: str
    text: str
    metadata: dict[str, Any]

    def default_text(self) -> str:
        """text"""
        return self.text


class QueryId(NamedTuple):
    """A source whose contents are not in the release."""

    query_id: str


class ReleaseFolder:
    """The folder of a release, and what its manifest tells.

    first : the query set that the BEIR folder is of
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = json.loads((path / "manifest.json").read_text("utf-8"))
        self.first = min(
            self.manifest["query_sets"],
            key=lambda entry: (entry["direction"] != "forward", entry["name"]),
            default=None,
        )

    def checksum(self) -> str:
        """A checksum of all files, by which stores of docs are told apart."""
        return sha256((self.path / "SHA256SUMS").read_bytes()).hexdigest()[:16]

    def file(self, path: str) -> util.GzipExtract:
        """A packed file, as ir_datasets reads what it has downloaded."""
        return util.GzipExtract(util.LocalDownload(self.path / path, mkdir=False))

    def items(self, path: str, ids: Iterable[str] | None = None) -> Iterator[tuple[Any, ...]]:
        """Id, text and metadata of the items of a file, or of these among them."""
        selected_ids = None if ids is None else set(ids)
        with (self.path / path).open(encoding="utf-8", newline="\n") as lines:
            for item in map(json.loads, lines):
                if selected_ids is None or item["_id"] in selected_ids:
                    yield item["_id"], item["text"], item["metadata"]

    def documentation(self) -> dict[str, str]:
        """Title, description, licence, and how to cite the release."""
        release = self.manifest
        title = release["title"] or release["collection"]["name"]
        names = ", ".join(creator["name"] for creator in release["creators"])
        year = release["released_on"][:4]
        citation = f"{title}, version {release['version']} ({year})."
        if names:
            citation = f"{names} ({year}): {title}, version {release['version']}."
        return {
            "pretty_name": title,
            "desc": release["collection"]["description"],
            "licence": release["licence"],
            "citation": release["cite_as"] or citation,
        }


class ReleasedQuerySet:
    """A query set, and its data sets; stem : its name in those of files."""

    def __init__(self, folder: ReleaseFolder, entry: dict[str, Any]) -> None:
        self.folder = folder
        self.entry = entry
        self.stem = Path(entry["file"]).stem
        self.has_gallery = entry["n_gallery"] is not None

    def contents(self, end: int) -> str:
        """The file with all its sources (end 0) or targets (1); "" where there is none.

        A side has its contents here if its texts left, or if it has media alone and they did.
        """
        first, manifest = self.folder.first, self.folder.manifest
        name = SIDES[self.entry["direction"]][end]
        side = next(side for side in manifest["sides"] if side["side"] == name)
        has_texts = bool({"text", "html"} & side["n_parts"].keys())
        if not side["n_parts"] or not manifest["texts_leave" if has_texts else "media_leave"]:
            return ""
        first_end = SIDES[first["direction"]].index(name)
        n_in_use = side["n_items"] - side["n_excluded"]
        holds_all = (first["n_sources"] == n_in_use, first["n_gallery"] is None)[first_end]
        return (QUERIES, CORPUS)[first_end] if holds_all or self.entry is first else ""

    def members(self, part: str) -> list[str]:
        """The ids of its sources, or of its gallery."""
        with (self.folder.path / self.entry["file"]).open(encoding="utf-8", newline="\n") as lines:
            rows = (line.rstrip("\n").split("\t") for line in lines)
            return [item for row_part, item in rows if row_part == part]

    def sources(self) -> list[str]:
        """The ids of its sources."""
        return self.members("source")

    def qrels(self) -> dict[str, TrecQrels]:
        """Its qrels by label source, the usual one first."""
        manifest = self.folder.manifest
        levels = {
            level["grade"]: ": ".join(filter(None, (level["name"], level["sentence"])))
            for level in manifest["levels"]
        }
        begin, end = f"qrels/{self.stem}.", ".qrels.gz"
        paths = [entry["path"] for source in manifest["label_sources"] for entry in source["qrels"]]
        return {
            path.removeprefix(begin).removesuffix(end): TrecQrels(self.folder.file(path), levels)
            for path in paths
            if path.startswith(begin)
        }

    def rankings(self) -> dict[str, FilteredScoredDocs]:
        """The runs of its direction whose files are here, by their names."""
        runs = [
            run
            for run in self.folder.manifest["runs"]
            if run["direction"] == self.entry["direction"]
        ]
        paths = [
            run["gallery_files"].get(self.stem, "") if self.has_gallery else run["file"]
            for run in runs
        ]
        return {
            path.removeprefix("runs/").partition(".")[0]: FilteredScoredDocs(
                TrecScoredDocs(self.folder.file(path)), self.sources
            )
            for path in paths
            if path
        }

    def datasets(self) -> dict[str, ir_datasets.Dataset]:
        """Its data sets by their ids: the usual one, one a label source, one a run."""
        manifest, qrels = self.folder.manifest, self.qrels()
        name = f"assayer/{manifest['collection']['slug']}/{manifest['version']}/{self.stem}"
        docs = ReleasedDocs(self) if self.contents(1) else None
        items = (ReleaseFacts(self.folder), docs, ReleasedQueries(self))
        usual = next(iter(qrels.values()))
        return {
            name: ir_datasets.Dataset(*items, usual),
            **{
                f"{name}/{source}": ir_datasets.Dataset(*items, grades)
                for source, grades in qrels.items()
            },
            **{
                f"{name}/runs/{run}": ir_datasets.Dataset(*items, usual, ranking)
                for run, ranking in self.rankings().items()
            },
        }


class ReleaseFacts:
    """What a data set tells of its release."""

    def __init__(self, folder: ReleaseFolder) -> None:
        self.release_folder = folder.path
        self.documentation = folder.documentation


class ReleasedQueries(BaseQueries):
    """The sources of a query set, in the order of their ids."""

    def __init__(self, query_set: ReleasedQuerySet) -> None:
        self._query_set = query_set
        self._path = query_set.contents(0)

    def queries_iter(self) -> Iterator[ReleasedQuery | QueryId]:
        """All of them."""
        ids = self._query_set.sources()
        if not self._path:
            return map(QueryId, ids)
        return (ReleasedQuery(*item) for item in self._query_set.folder.items(self._path, ids))

    def queries_cls(self) -> type:
        """The type of a query."""
        return ReleasedQuery if self._path else QueryId

    def queries_count(self) -> int:
        """How many they are."""
        return len(self._query_set.sources())


class ReleasedDocs(BaseDocs):
    """The targets of a query set: all of a file, or its gallery."""

    def __init__(self, query_set: ReleasedQuerySet) -> None:
        self._query_set = query_set
        self._path = query_set.contents(1)

    @util.use_docstore
    def docs_iter(self) -> Iterator[ReleasedDoc]:
        """All of them."""
        ids = self._query_set.members("gallery") if self._query_set.has_gallery else None
        return (ReleasedDoc(*item) for item in self._query_set.folder.items(self._path, ids))

    def docs_cls(self) -> type:
        """The type of a doc."""
        return ReleasedDoc

    def docs_count(self) -> int:
        """How many they are."""
        return sum(1 for _ in self.docs_iter())

    def docs_store(
        self, field: str = "doc_id", options: Any = DEFAULT_DOCSTORE_OPTIONS
    ) -> PickleLz4FullStore:
        """A store under the home of ir_datasets, since nothing is added to a release."""
        folder = util.home_path() / "assayer" / self._query_set.folder.checksum()
        folder.mkdir(parents=True, exist_ok=True)
        path = str(folder / f"{self._query_set.stem}.pklz4")
        return PickleLz4FullStore(
            path, self.docs_iter, ReleasedDoc, field, ["doc_id"], options=options
        )


def register(folder: str | Path) -> list[str]:
    """Register the query sets of the release in a folder; return their ids.

    Fails if another folder has a release of the same collection and version.
    """
    release = ReleaseFolder(Path(folder).resolve())
    ids = []
    for entry in release.manifest["query_sets"]:
        for name, dataset in ReleasedQuerySet(release, entry).datasets().items():
            ids.append(name)
            is_registered = name in ir_datasets.registry
            if not is_registered or ir_datasets.load(name).release_folder != release.path:
                ir_datasets.registry.register(name, dataset)
    return ids


IDS = register(Path(__file__).parent)
