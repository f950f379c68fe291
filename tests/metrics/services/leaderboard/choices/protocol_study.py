"""A small collection with what the protocols of ECCV Caption take: three sets, folds, queries."""

import numpy as np

from annotate.models import Collection, Item, Level, QuerySet, QuerySetItem, ReferenceSet
from metrics.core.measures.plausible_matches import plausible_matches
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.tables.fixture_cache import cached_rows

N_QUERIES, N_DOCUMENTS, N_FOLDS = 20, 10, 5
SYSTEMS = {"A": ("a1", "a2"), "B": ("b1", "b2")}
# of each document; a query has those of its own. All numbers of differing classes are among them
CLASSES = np.array([[number & 1, number // 2 % 2, number // 4 % 2, 1] for number in range(10)])


@cached_rows
def protocol_study() -> Collection:
    """Two queries a document, five folds, sets original, CxC and ECCV, two systems."""
    collection = cast.collection("coco", grades=2, n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    queries, documents = sides_of(collection)
    add_sets(collection, "all", queries, documents)
    add_sets(collection, "eccv", queries[:12:2], documents[:5])
    for fold in range(N_FOLDS):
        add_sets(
            collection, f"1k fold {fold + 1}", queries[fold::N_FOLDS], documents[fold::N_FOLDS]
        )
    own = {(f"q{number}", f"d{number // 2}"): 1 for number in range(N_QUERIES)}
    folds = {(f"q{number}", f"d{number % N_FOLDS}"): 1 for number in range(N_QUERIES)}
    more = {(f"q{number}", f"d{(number * 3 + 1) % N_DOCUMENTS}"): 1 for number in range(N_QUERIES)}
    studies.reference(collection, own | folds)
    studies.reference(collection, own | more, "CxC")
    studies.reference(collection, more, "ECCV")
    for number, (system, names) in enumerate(SYSTEMS.items()):
        for direction, name in zip(("forward", "reverse"), names, strict=True):
            studies.run(collection, name, direction=direction, seed=number)
        Run.objects.filter(name__in=names).update(system=system)
    return collection


def classes_of(external_id: str) -> np.ndarray:
    """The classes of an item of the study, by its id."""
    number = int(external_id[1:])
    return CLASSES[number // 2 if external_id[0] == "q" else number]


def add_plausible(
    collection: Collection, *, zetas: int = 3, name: str = "plausible"
) -> ReferenceSet:
    """The set of plausible matches, as the command prints it, and the levels that it takes."""
    for grade in range(2, zetas + 1):
        Level.objects.create(
            collection=collection, grade=grade, key=str(grade), name=f"Level {grade}"
        )
    ids = [[item.external_id for item in side] for side in sides_of(collection)]
    query_classes, document_classes = (
        np.array([classes_of(external_id) for external_id in side]) for side in ids
    )
    labels = {
        (ids[0][row], ids[1][column]): int(grade)
        for cells in plausible_matches(query_classes, document_classes, zetas=zetas)
        for row, column, grade in zip(*cells, strict=True)
    }
    return studies.reference(collection, labels, name)


def sides_of(collection: Collection) -> tuple[list[Item], list[Item]]:
    items = collection.items.order_by("pk")
    return list(items.filter(side="query")), list(items.filter(side="document"))


def add_sets(collection: Collection, name: str, queries: list[Item], documents: list[Item]) -> None:
    """Make the query sets of both directions that have this name."""
    for direction, items in (("forward", queries), ("reverse", documents)):
        query_set, _ = QuerySet.objects.get_or_create(
            collection=collection, name=name, direction=direction
        )
        QuerySetItem.objects.filter(query_set=query_set).delete()
        QuerySetItem.objects.bulk_create(
            QuerySetItem(query_set=query_set, item=item) for item in items
        )
