"""The pairs of a public release: its queries with the graded targets of each, out of its qrels."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from annotate.core.phrases import count_of, counted
from metrics.charts.releases import entry_colours
from metrics.core.releases.manifest import LevelEntry, Manifest, QuerySetEntry
from metrics.core.releases.reading.graded_pairs import (
    GradeCount,
    GradedPairs,
    GradedTarget,
    QuerySetName,
)
from metrics.services.releases.public.folder import NotInRelease, PublicFolder
from metrics.services.releases.public.items import ReleasedItem, released_items

QRELS = "qrels/qrels.parquet"
PER_PAGE = 50
SIDES = {"forward": ("query", "document"), "reverse": ("document", "query")}
PLURALS = {"query": "queries", "document": "documents"}


class ListedQuery(NamedTuple):
    """A query of a list: its number in its set, and its targets with a grade."""

    number: int
    item: ReleasedItem
    grades: GradeCount


class QueryList(NamedTuple):
    """A page of the queries of a query set.

    number : of the query set; label_source : in words, that of the counts
    """

    number: int
    query_set: QuerySetEntry
    label_source: str
    find: str
    rows: list[ListedQuery]
    page: "Page[int]"
    has_contents: bool

    @property
    def source_noun(self) -> str:
        """The noun of its queries: query, or document in a set of reverse runs."""
        return SIDES[self.query_set.direction][0]

    @property
    def parameters(self) -> str:
        """The query string of the list, without the number of its page."""
        return urlencode({"set": self.number, "find": self.find})

    @property
    def count_text(self) -> str:
        """The number of its queries, of those with the words where somebody looks for some."""
        n, nouns = self.page.paginator.count, PLURALS[self.source_noun]
        return (
            f"{count_of(n, nouns)} with “{self.find}” in the id"
            if self.find
            else count_of(n, nouns)
        )


class TargetGrade(NamedTuple):
    """The grade of a target under a label source; colour : its name in the palette."""

    level: LevelEntry | None
    grade: int
    colour: str
    is_propagated: bool

    @property
    def text(self) -> str:
        """Its level by name, or its grade where the scheme has no level of it."""
        return self.level.name if self.level else f"grade {self.grade}"


class JudgedTarget(NamedTuple):
    """A target of a query; cells : each label source in words, and its grade under it."""

    item: ReleasedItem
    cells: list[tuple[str, TargetGrade | None]]


class QueryPairs(NamedTuple):
    """A query with a page of its graded targets; the columns are label sources in words."""

    set_number: int
    query_set: QuerySetEntry
    number: int
    n_queries: int
    item: ReleasedItem
    columns: list[str]
    rows: list[JudgedTarget]
    page: "Page[str]"

    @property
    def previous(self) -> int:
        """The number of the query before it; 0 before the first."""
        return self.number - 1

    @property
    def next(self) -> int:
        """The number of the query behind it; 0 behind the last."""
        return self.number + 1 if self.number < self.n_queries else 0

    @property
    def position_text(self) -> str:
        """Its position in its set."""
        return f"{SIDES[self.query_set.direction][0]} {self.number:,} of {self.n_queries:,}"

    @property
    def target_noun(self) -> str:
        """The noun of its targets."""
        return SIDES[self.query_set.direction][1]

    @property
    def count_text(self) -> str:
        """The number of its targets with a grade."""
        n = self.page.paginator.count
        return f"{counted(n, self.target_noun)} with a grade" if n else "No grade."


def query_list(*, folder: PublicFolder, set_number: int, find: str, page: int) -> QueryList | None:
    """A page of the queries of a query set, in the order of the bytes of their ids.

    set_number : from 1; find : in their ids
    None for a release without query sets; raises NotInRelease for a set that it does not have.
    """
    if not folder.manifest.query_sets:
        return None
    query_set = _query_set(folder.manifest, set_number)
    sources = _sources(folder, query_set)
    numbers = [
        number for number, name in enumerate(sources, start=1) if find.casefold() in name.casefold()
    ]
    on_page = Paginator(numbers, PER_PAGE).get_page(page)
    names = [sources[number - 1] for number in on_page]
    label_source = folder.manifest.label_sources[0] if folder.manifest.label_sources else None
    counts = [GradeCount(0, 0)] * len(names)
    if names and label_source and QRELS in folder.files:
        with folder.open(QRELS) as stream, GradedPairs(stream) as pairs:
            counts = pairs.counts(
                QuerySetName(query_set.name, query_set.direction),
                names,
                label_source=label_source.key,
                positive_from=folder.manifest.collection.positive_from,
            )
    side = SIDES[query_set.direction][0]
    items = released_items(folder=folder, side=side, external_ids=names)
    return QueryList(
        number=set_number,
        query_set=query_set,
        label_source=label_source.label if label_source else "",
        find=find,
        rows=[
            ListedQuery(number, items[name], count)
            for number, name, count in zip(on_page, names, counts, strict=True)
        ],
        page=on_page,
        has_contents=folder.release.texts_leave or folder.release.media_leave,
    )


def query_pairs(*, folder: PublicFolder, set_number: int, number: int, page: int) -> QueryPairs:
    """A query with a page of its targets, the largest grades first. Raises NotInRelease."""
    query_set = _query_set(folder.manifest, set_number)
    sources = _sources(folder, query_set)
    if not 1 <= number <= len(sources):
        raise NotInRelease
    name = sources[number - 1]
    rows: list[GradedTarget] = []
    if QRELS in folder.files:
        with folder.open(QRELS) as stream, GradedPairs(stream) as pairs:
            rows = pairs.targets(QuerySetName(query_set.name, query_set.direction), name)
    label_sources = folder.manifest.label_sources
    table = _by_target(rows)
    keys = [source.key for source in label_sources]
    on_page = Paginator(_best_first(table, keys), PER_PAGE).get_page(page)
    source_side, target_side = SIDES[query_set.direction]
    items = released_items(folder=folder, side=target_side, external_ids=on_page)
    return QueryPairs(
        set_number=set_number,
        query_set=query_set,
        number=number,
        n_queries=len(sources),
        item=released_items(folder=folder, side=source_side, external_ids=[name])[name],
        columns=[source.label for source in label_sources],
        rows=[
            JudgedTarget(
                items[target],
                [
                    (source.label, _grade(table[target].get(source.key), folder.manifest))
                    for source in label_sources
                ],
            )
            for target in on_page
        ],
        page=on_page,
    )


def _query_set(manifest: Manifest, number: int) -> QuerySetEntry:
    if not 1 <= number <= len(manifest.query_sets):
        raise NotInRelease
    return manifest.query_sets[number - 1]


def _sources(folder: PublicFolder, query_set: QuerySetEntry) -> list[str]:
    """The sources of a query set, in the order of their bytes; none without its file."""
    if query_set.file not in folder.files:
        return []
    sources, _, _ = folder.read(query_set.file).partition(b"\ngallery\t")
    return [line.partition("\t")[2] for line in sources.decode().split("\n")[1:] if line]


def _by_target(rows: list[GradedTarget]) -> dict[str, dict[str, GradedTarget]]:
    table: dict[str, dict[str, GradedTarget]] = {}
    for row in rows:
        table.setdefault(row.target, {})[row.label_source] = row
    return table


def _best_first(table: dict[str, dict[str, GradedTarget]], keys: list[str]) -> list[str]:
    """The targets by their grades under the label sources in their order, ungraded ones last."""

    def rank(target: str) -> tuple[list[int], bytes]:
        grades = [-row.grade if (row := table[target].get(key)) else 1 for key in keys]
        return grades, target.encode()

    return sorted(table, key=rank)


def _grade(row: GradedTarget | None, manifest: Manifest) -> TargetGrade | None:
    if row is None:
        return None
    levels = {level.grade: level for level in manifest.levels}
    colours = entry_colours(manifest.levels, positive_from=manifest.collection.positive_from)
    return TargetGrade(
        levels.get(row.grade), row.grade, colours.get(row.grade, "slate"), row.is_propagated
    )
