"""Where imported chains of labels lie: as judgments that supersede one another, each behind a seat.

All is worked out in arrays and written by COPY and a few statements a block, so that half a million labels take a
minute and little memory.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.chains import NO_TIME, Labels, before, ends, moment, n_known, number_groups, places
from annotate.core.pseudonyms import pseudonym
from annotate.models import Annotator, Collection, Round
from annotate.services.background.progress import Tell
from annotate.services.copying import blocks, copy_rows, nullable, reserve_keys
from annotate.services.pairing import ensure_pairs

NAMESPACE = UUID("5d6f0a3e-0c0b-5b5e-9f43-2f0c2f5a7b11")  # of the submission ids made here
Keys = NDArray[np.int64]
_STORED = """
    SELECT annotator_id, pair_id, level_id, (extract(epoch FROM at) * 1000000)::bigint, id
    FROM annotate_judgment WHERE collection_id = %s AND purpose = 'import' ORDER BY id
"""
_SEATS = """
    SELECT annotator_id, pair_id, id FROM annotate_seat
    WHERE purpose = 'import' AND annotator_id IS NOT NULL AND pair_id = ANY(%s)
"""
_LAST_NUMBERS = (
    "SELECT pair_id, max(number) FROM annotate_seat WHERE purpose = 'import' AND pair_id = ANY(%s) GROUP BY 1"
)
_GROW = """
    UPDATE annotate_seat seat SET judgment_id = grown.judgment, state = 'done'
    FROM unnest(%s::bigint[], %s::bigint[]) AS grown(seat, judgment) WHERE seat.id = grown.seat
"""


class FileLabels(NamedTuple):
    """The labels of a file in its order, (N,) each but for the names.

    who : index into `names`; query, document : keys of items; at : microseconds since 1970 or NO_TIME
    """

    names: Sequence[str]
    who: Keys
    query: Keys
    document: Keys
    level: Keys
    at: Keys

    def __len__(self) -> int:
        return len(self.who)


class New(NamedTuple):
    """The labels that a file adds, (M,) each, first ones of chains first: keys of what they name, and of their rows.

    row : their place in the file; place : in their chain, from 1 on; supersedes : key of a judgment, 0 for none
    """

    row: Keys
    judgment: Keys
    annotator: Keys
    pair: Keys
    place: Keys
    supersedes: Keys

    def __len__(self) -> int:
        return len(self.row)


class ChainStore:
    """The imported chains of one collection: finds what a file adds to them, and stores it."""

    def __init__(self, collection: Collection, file: FileLabels, tell: Tell) -> None:
        self.collection = collection
        self.file = file
        self.tell = tell

    def find_new(self) -> New:
        """The labels that are not stored yet, each chain's first one, then the second ones, ...

        Pairs and annotators are made as needed.
        """
        file, (annotator, pair, level, at, judgment) = self.file, _columns(_STORED, 5, self.collection.pk)
        annotators, pairs = self._annotators(), self._pairs()
        n_stored = len(judgment)
        chain = number_groups(np.append(annotator, annotators), np.append(pair, pairs))
        n_chains = int(chain.max(initial=-1)) + 1
        stored = Labels(chain[:n_stored], level, at)
        labels = Labels(chain[n_stored:], file.level, file.at)
        known = n_known(stored, labels, n_chains)
        added = places(labels.chain) - known[labels.chain]
        rows = np.flatnonzero(added >= 0)
        rows = rows[np.lexsort((number_groups(labels.chain)[rows], added[rows]))]
        keys = reserve_keys("annotate_judgment", len(rows))
        # What a label supersedes: the one before it in its chain, be that stored or as new as itself.
        line = np.append(stored.chain, labels.chain[rows])
        last = np.append(np.append(judgment, keys), 0)[before(line)]
        return New(rows, keys, annotators[rows], pairs[rows], places(line)[n_stored:] + 1, last[n_stored:])

    def write(self, new: New, round_: Round, external_ids: dict[int, str]) -> None:
        """Store judgments and seats; resolutions and metrics are to follow."""
        self._write_judgments(new, external_ids)
        last = ends(number_groups(new.annotator, new.pair))
        counting = New(*(column[last] for column in new))
        self._write_seats(counting, round_)
        self._write_round_pairs(counting, round_)

    def _pairs(self) -> Keys:
        """The key of each label's pair."""
        query, document = self.file.query, self.file.document
        groups = number_groups(query, document)
        _, first = np.unique(groups, return_index=True)
        order = np.lexsort((document[first], query[first]))
        n_done = 0

        def told(n: int) -> None:
            nonlocal n_done
            n_done += n
            self.tell(n_done, len(order), "pairs found or made")

        keys = np.empty(len(order), dtype=np.int64)
        first = first[order]
        keys[order] = ensure_pairs(
            collection=self.collection, query=query[first], document=document[first], told=told
        ).keys
        return keys[groups]

    def _annotators(self) -> Keys:
        """The key of each label's annotator."""
        stored = Annotator.objects.filter(collection=self.collection, origin=Annotator.Origin.IMPORT)
        found = dict(stored.filter(external_id__in=self.file.names).values_list("external_id", "pk"))
        key = bytes(self.collection.key)
        made = Annotator.objects.bulk_create(
            Annotator(
                collection=self.collection,
                origin=Annotator.Origin.IMPORT,
                external_id=external_id,
                pseudonym=pseudonym(key, "import", external_id),
            )
            for external_id in sorted(set(self.file.names) - found.keys())
        )
        found |= {annotator.external_id: annotator.pk for annotator in made}
        return np.array([found[name] for name in self.file.names], dtype=np.int64)[self.file.who]

    def _write_judgments(self, new: New, external_ids: dict[int, str]) -> None:
        # The database's clock, read once: all that this import brings came at one moment.
        now = database_time()
        for block in blocks(len(new)):
            some = New(*(column[block] for column in new))
            at = self.file.at[some.row].tolist()
            copy_rows(
                "annotate_judgment",
                {
                    "id": some.judgment,
                    "collection_id": str(self.collection.pk),
                    "pair_id": some.pair,
                    "annotator_id": some.annotator,
                    "purpose": "import",
                    "level_id": self.file.level[some.row],
                    "submission_id": self._submission_ids(some, external_ids),
                    "supersedes_id": nullable(some.supersedes),
                    "reasons": "[]",
                    "at": [str(now if moment_ == NO_TIME else moment(moment_)) for moment_ in at],
                },
            )
            self.tell(block.stop, len(new), "judgments stored")

    def _submission_ids(self, new: New, external_ids: dict[int, str]) -> list[str]:
        """The same for the same label at the same place of its chain, whoever imports it and when."""
        file, slug = self.file, self.collection.slug
        rows = zip(
            file.who[new.row].tolist(), file.query[new.row].tolist(), file.document[new.row].tolist(),
            new.place.tolist(), file.level[new.row].tolist(), file.at[new.row].tolist(), strict=True,
        )  # fmt: skip
        return [
            str(uuid5(NAMESPACE, f"{slug}\t{file.names[who]}\t{external_ids[query]}\t{external_ids[document]}\t{place}"
                                 f"\t{level}\t{moment(at) or ''}"))
            for who, query, document, place, level, at in rows
        ]  # fmt: skip

    def _write_seats(self, counting: New, round_: Round) -> None:
        """One done seat an annotator and pair; a chain that grew lets its seat point to its new end."""
        seat = self._seats(counting)
        grown, end = seat[seat > 0], counting.judgment[seat > 0]
        for block in blocks(len(grown)):
            with connection.cursor() as cursor:
                cursor.execute(_GROW, [grown[block].tolist(), end[block].tolist()])
        fresh = New(*(column[seat == 0] for column in counting))
        number = self._next_numbers(fresh.pair)
        for block in blocks(len(fresh)):
            copy_rows(
                "annotate_seat",
                {
                    "collection_id": str(self.collection.pk),
                    "round_id": str(round_.pk),
                    "pair_id": fresh.pair[block],
                    "purpose": "import",
                    "number": number[block],
                    "why": "first",
                    "state": "done",
                    "annotator_id": fresh.annotator[block],
                    "judgment_id": fresh.judgment[block],
                    "queue_key": "0",
                },
            )
            self.tell(block.stop, len(fresh), "labels counted")

    def _seats(self, counting: New) -> Keys:
        """The seat that each chain has already, 0 for none."""
        annotator, pair, seat = _columns(_SEATS, 3, np.unique(counting.pair[counting.place > 1]).tolist())
        chain = number_groups(np.append(annotator, counting.annotator), np.append(pair, counting.pair))
        return np.append(seat, 0)[before(chain)[len(seat) :]]

    @staticmethod
    def _next_numbers(pair: Keys) -> Keys:
        """The numbers of new seats of these pairs, after those each pair has."""
        known, last = _columns(_LAST_NUMBERS, 2, np.unique(pair).tolist())
        order = np.argsort(known)
        known, last = np.append(known[order], 0), np.append(last[order], 0)
        at = np.searchsorted(known[:-1], pair)
        return np.where(known[at] == pair, last[at], 0) + places(pair) + 1

    @staticmethod
    def _write_round_pairs(counting: New, round_: Round) -> None:
        """Let the round name the pairs, each with as many labels as it brought."""
        pairs, n_labels = np.unique(counting.pair, return_counts=True)
        known = np.fromiter(round_.round_pairs.values_list("pair_id", flat=True), dtype=np.int64)
        is_new = ~np.isin(pairs, known)
        wanted, n_wanted = pairs[is_new], n_labels[is_new]
        for block in blocks(len(wanted)):
            copy_rows(
                "annotate_roundpair",
                {"round_id": str(round_.pk), "pair_id": wanted[block], "n_wanted": n_wanted[block]},
            )


def database_time() -> datetime:
    """What the database's clock says now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


def _columns(query: str, n: int, *parameters: object) -> Keys:
    """The n columns of a query's rows of whole numbers."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, n).T
