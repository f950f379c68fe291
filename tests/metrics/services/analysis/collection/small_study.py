"""A study whose queries have one to six words, and their own documents as reference positives."""

from annotate.models import Collection, Item, Part, Resolution
from tests.metrics import studies

TEXTS = ["one", "one two", "one two three", "a b c d", "a b c d e", "a b c d e f"]


def small_study() -> Collection:
    """Six queries of one to six words; each has its own document as reference positive."""
    collection = studies.study("study")
    for query, text in zip(queries_of(collection), TEXTS, strict=True):
        query.parts.all().delete()
        Part.objects.create(item=query, position=0, kind="text", text=text)
    return collection


def queries_of(collection: Collection) -> list[Item]:
    return list(collection.items.filter(side="query", split="test").order_by("pk"))


def documents_of(collection: Collection) -> list[Item]:
    return list(collection.items.filter(side="document").order_by("pk"))


def grade(collection: Collection, labels: dict[tuple[int, int], int]) -> None:
    """Give pairs a grade by people: (number of the query, number of the document) -> grade."""
    queries, documents = queries_of(collection), documents_of(collection)
    for (query, document), value in labels.items():
        pair, _ = collection.pairs.get_or_create(query=queries[query], document=documents[document])
        Resolution.objects.update_or_create(
            pair=pair,
            defaults={
                "collection": collection,
                "grade": value,
                "status": Resolution.Status.SINGLE,
                "n_labels": 1,
                "policy": collection.policies.get(),
            },
        )
