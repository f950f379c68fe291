"""The part of a data set that goes into a collection: its splits, and the queries they name."""

from collections.abc import Iterator

from annotate.core.files.formats import Problems, name_fault
from annotate.core.files.references.reference_formats import ReferenceRow
from annotate.core.phrases import enumeration
from assayer.datasets.data_sets import QUERY, DataItem, DataSet, SourceFault

EVALUATED = "test"  # only items of this split are retrieved and judged
UNUSED = "unused"
ORIGINAL = "original"  # the usual name of what the data set itself evaluates on
MAX_SPLIT = 20


class Selection:
    """All splits of a data set, or one of them with the queries that it names alone.

    main_set : name of the reference set of what is evaluated, but for a split that was chosen
    Raises SourceFault for a split that the data set has not, and where none is for evaluation.
    """

    def __init__(
        self,
        dataset: DataSet,
        split: str = "",
        *,
        main_set: str = ORIGINAL,
        with_media: bool = True,
    ) -> None:
        self.dataset, self.split = dataset, split
        self.main_set, self.with_media = main_set, with_media
        names = enumeration(dataset.splits or ["none"])
        if split and split not in dataset.splits:
            raise SourceFault(f"{dataset.name} has no split {split}; it has {names}.")
        if len(dataset.splits) > 1 and not split and EVALUATED not in dataset.splits:
            raise SourceFault(
                f"{dataset.name} has the splits {names}, and none is called {EVALUATED}: say by "
                "--split which one to evaluate on."
            )
        # test first: a query in several splits is a test query
        self.splits = sorted(
            [split] if split else dataset.splits, key=lambda name: (name != EVALUATED, name)
        )
        for name in self.splits:
            if fault := name_fault(name, longest=MAX_SPLIT):
                raise SourceFault(f"The split {name!r} cannot be carried over: a name {fault}.")
        self._query_splits: dict[str, str] | None = None

    def items(self, side: str, problems: Problems) -> Iterator[DataItem]:
        """Yield the items of a side with their splits."""
        for item in self.dataset.items(side, problems):
            split = self.split_of(item.id) if side == QUERY else EVALUATED
            if not split:
                continue
            parts = item.parts
            if not self.with_media:
                parts = [part for part in parts if part.get("kind") == "text"]
            yield item._replace(split=split, parts=parts)

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield the labels of a split."""
        return self.dataset.labels(split, problems)

    def split_of(self, query_id: object) -> str:
        """The split of a query in the collection; "" for one that stays out."""
        if self.dataset.all_queries_count or not self.splits:
            return EVALUATED
        split = self.query_splits().get(str(query_id), "")
        if not split:
            return "" if self.split else UNUSED
        return EVALUATED if len(self.splits) == 1 else split

    def query_splits(self) -> dict[str, str]:
        """The first split that names a query, of each query that labels name."""
        if self._query_splits is None:
            self._query_splits = {}
            for split in self.splits:
                for row in self.labels(split, Problems()):
                    self._query_splits.setdefault(row.query, split)
        return self._query_splits

    def set_name(self, split: str) -> str:
        """The name of the reference set of a split."""
        return split if split != EVALUATED and len(self.dataset.splits) > 1 else self.main_set

    def query_set(self) -> Iterator[str]:
        """The ids of all queries, as the query set of the one split."""
        return (str(item.id) for item in self.items(QUERY, Problems()))
