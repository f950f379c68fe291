"""Search for queries by their ids and words."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, Value, When

from annotate.models import Direction, Item, Part, QuerySet, QuerySetItem
from annotate.services.collection.query_sets import SOURCE_SIDES

MAX_FOUND = 20
MAX_WORDS = 8


class SearchResults(NamedTuple):
    """The first matching queries, whether there are more, and the text they were searched for."""

    items: Sequence[Item]
    has_more: bool
    text: str

    @property
    def heading(self) -> str:
        """The number of queries with the text."""
        n = len(self.items)
        if not n:
            return f"No query with “{self.text}”"
        noun = "query" if n == 1 else "queries"
        return f"{n}{'+' if self.has_more else ''} {noun} with “{self.text}”"

    @property
    def note(self) -> str:
        """Advice on the search if it matches too much or nothing; else empty."""
        if self.has_more:
            return f"The first {len(self.items)}; more words find fewer."
        if not self.items:
            return "Ids are looked through for the whole of it, texts for each of its words."
        return ""


def search(*, query_set: QuerySet, text: str) -> SearchResults:
    """Queries whose id has the text in it, or whose texts have all its words; the id itself first.

    They are those of the query set, and those that no query set of its direction holds. Two
    queries. Large and small letters are the same.
    """
    sources = QuerySetItem.objects.filter(part=QuerySetItem.Part.SOURCE, item=OuterRef("pk"))
    items = Item.objects.in_use().filter(
        Exists(sources.filter(query_set=query_set))
        | ~Exists(sources.filter(query_set__direction=query_set.direction)),
        collection=query_set.collection_id,
        side=SOURCE_SIDES[Direction(query_set.direction)],
    )
    texts = Part.objects.filter(kind=Part.Kind.TEXT, item__collection=query_set.collection_id)
    for word in text.split()[:MAX_WORDS]:
        texts = texts.filter(text__icontains=word)
    match_rank = Case(
        When(external_id=text, then=Value(0)),
        When(external_id__istartswith=text, then=Value(1)),
        default=Value(2),
        output_field=IntegerField(),
    )
    matches = items.filter(Q(external_id__icontains=text) | Q(pk__in=texts.values("item")))
    rows = list(
        matches.annotate(match_rank=match_rank)
        .order_by("match_rank", "pk")
        .prefetch_related("parts")[: MAX_FOUND + 1]
    )
    return SearchResults(rows[:MAX_FOUND], len(rows) > MAX_FOUND, text)
