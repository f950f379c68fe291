"""Where imported chains of labels lie: as judgments that supersede one another, each behind a seat."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID, uuid5

from django.db import connection
from django.db.models import Max

from annotate.core.chains import Chain, Key, New, Said, overlap, waves
from annotate.core.pseudonyms import pseudonym
from annotate.models import Annotator, ClockTimestamp, Collection, Judgment, Pair, Round, RoundPair, Seat
from annotate.services.seating import note_changes, reconcile_pairs

CHUNK = 5_000
NAMESPACE = UUID("5d6f0a3e-0c0b-5b5e-9f43-2f0c2f5a7b11")  # of the submission ids made here
FileKey = tuple[str, int, int]  # an annotator's id in the file, a query's and a document's key
Thing = TypeVar("Thing")


class ChainStore:
    """The imported chains of one collection: finds what a file adds to them, and stores it."""

    def __init__(self, collection: Collection, external_ids: Mapping[int, str]) -> None:
        self.collection = collection
        self.external = external_ids
        self.people: dict[int, str] = {}
        self.pairs: dict[int, tuple[int, int]] = {}
        # The database's clock, read once: a default of the database in each row makes the insert five times slower.
        self.now = database_time()
        self.stored = self._stored_chains()

    def find_new(self, chains: dict[FileKey, list[Said]]) -> list[New]:
        """The labels that are not stored yet, in the file's order; pairs and annotators are made as needed."""
        pairs = self._pairs({(query, document) for _, query, document in chains})
        people = self._annotators({annotator for annotator, _, _ in chains})
        self.pairs = {pk: ids for ids, pk in pairs.items()}
        self.people = {pk: text for text, pk in people.items()}
        new = []
        for (annotator, query, document), said in chains.items():
            key = Key(people[annotator], pairs[query, document])
            chain = self.stored.get(key)
            before = chain.said if chain else []
            added = said[overlap(before, said) :]
            new += [New(key, len(before) + place, label) for place, label in enumerate(added, start=1)]
        return new

    def write(self, new: list[New], round_: Round) -> None:
        """Store judgments and seats, and let resolutions and metrics follow."""
        counting = self._write_judgments(new)
        pair_ids = sorted({key.pair for key in counting})
        self._write_seats(counting, round_)
        self._write_round_pairs(counting, pair_ids, round_)
        Collection.objects.filter(pk=self.collection.pk, scheme_frozen_at=None).update(
            scheme_frozen_at=ClockTimestamp()
        )
        reconcile_pairs(pair_ids=pair_ids)
        note_changes(collection_id=self.collection.pk, pair_ids=pair_ids)

    def _stored_chains(self) -> dict[Key, Chain]:
        chains: dict[Key, Chain] = {}
        stored = Judgment.objects.filter(collection=self.collection, purpose=Seat.Purpose.IMPORT).order_by("pk")
        rows = stored.values_list("annotator_id", "pair_id", "level_id", "at", "pk")
        for annotator, pair, level, at, pk in rows.iterator(chunk_size=CHUNK):
            chain = chains.setdefault(Key(annotator, pair), Chain([], pk))
            chain.said.append(Said(level, at))
            chain.last = pk
        return chains

    def _pairs(self, wanted: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
        stored = Pair.objects.filter(collection=self.collection).values_list("query_id", "document_id", "pk")
        found = {(query, document): pk for query, document, pk in stored if (query, document) in wanted}
        missing = sorted(wanted - found.keys())
        for chunk in chunked(missing):
            made = Pair.objects.bulk_create(
                Pair(collection=self.collection, query_id=query, document_id=document) for query, document in chunk
            )
            found.update(zip(chunk, (pair.pk for pair in made), strict=True))
        return found

    def _annotators(self, wanted: set[str]) -> dict[str, int]:
        stored = Annotator.objects.filter(collection=self.collection, origin=Annotator.Origin.IMPORT)
        found = dict(stored.filter(external_id__in=wanted).values_list("external_id", "pk"))
        key = bytes(self.collection.key)
        made = Annotator.objects.bulk_create(
            Annotator(
                collection=self.collection,
                origin=Annotator.Origin.IMPORT,
                external_id=external_id,
                pseudonym=pseudonym(key, "import", external_id),
            )
            for external_id in sorted(wanted - found.keys())
        )
        return {**found, **{annotator.external_id: annotator.pk for annotator in made}}

    def _write_judgments(self, new: list[New]) -> dict[Key, int]:
        """Store the labels, chain by chain; which judgment ends each chain."""
        last = {label.key: self.stored[label.key].last for label in new if label.key in self.stored}
        for wave in waves(new):
            for chunk in chunked(wave):
                made = Judgment.objects.bulk_create(self._judgment(label, last.get(label.key)) for label in chunk)
                last.update(zip((label.key for label in chunk), (judgment.pk for judgment in made), strict=True))
        return last

    def _judgment(self, label: New, supersedes: int | None) -> Judgment:
        return Judgment(
            collection=self.collection,
            pair_id=label.key.pair,
            annotator_id=label.key.annotator,
            purpose=Seat.Purpose.IMPORT,
            level_id=label.said.level,
            submission_id=self._submission_id(label),
            supersedes_id=supersedes,
            at=label.said.at or self.now,
        )

    def _submission_id(self, label: New) -> UUID:
        """The same for the same label at the same place of its chain, whoever imports it and when."""
        query, document = self.pairs[label.key.pair]
        words = (
            self.collection.slug,
            self.people[label.key.annotator],
            self.external[query],
            self.external[document],
            label.place,
            label.said.level,
            label.said.at or "",
        )
        return uuid5(NAMESPACE, "\t".join(map(str, words)))

    def _write_seats(self, counting: Mapping[Key, int], round_: Round) -> None:
        """One done seat an annotator and pair; a chain that grew lets its seat point to its new end."""
        taken = self._seats([key.pair for key in counting if key in self.stored])
        grown = []
        for key, seat in taken.items():
            if key in counting:
                seat.judgment_id, seat.state = counting[key], Seat.State.DONE
                grown.append(seat)
        Seat.objects.bulk_update(grown, ["judgment", "state"], batch_size=CHUNK)
        numbers = self._last_numbers()
        for chunk in chunked([key for key in counting if key not in taken]):
            Seat.objects.bulk_create(self._seat(key, counting[key], numbers, round_) for key in chunk)

    def _seat(self, key: Key, judgment: int, numbers: dict[int, int], round_: Round) -> Seat:
        numbers[key.pair] = numbers.get(key.pair, 0) + 1
        return Seat(
            collection=self.collection,
            round=round_,
            pair_id=key.pair,
            purpose=Seat.Purpose.IMPORT,
            number=numbers[key.pair],
            state=Seat.State.DONE,
            annotator_id=key.annotator,
            judgment_id=judgment,
        )

    def _last_numbers(self) -> dict[int, int]:
        imported = Seat.objects.filter(collection=self.collection, purpose=Seat.Purpose.IMPORT)
        return dict(imported.values_list("pair_id").annotate(Max("number")))

    def _write_round_pairs(self, counting: Mapping[Key, int], pair_ids: list[int], round_: Round) -> None:
        known = set(round_.round_pairs.values_list("pair_id", flat=True))
        wanted = Counter(key.pair for key in counting)
        for chunk in chunked([pk for pk in pair_ids if pk not in known]):
            RoundPair.objects.bulk_create(RoundPair(round=round_, pair_id=pk, n_wanted=wanted[pk]) for pk in chunk)

    def _seats(self, pair_ids: list[int]) -> dict[Key, Seat]:
        seats = Seat.objects.filter(collection=self.collection, purpose=Seat.Purpose.IMPORT)
        return {
            Key(seat.annotator_id, seat.pair_id): seat
            for chunk in chunked(sorted(set(pair_ids)))
            for seat in seats.filter(pair_id__in=chunk)
        }


def database_time() -> datetime:
    """What the database's clock says now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def chunked(things: Sequence[Thing]) -> Iterator[Sequence[Thing]]:
    """Slices of at most CHUNK."""
    return (things[start : start + CHUNK] for start in range(0, len(things), CHUNK))
