"""Store of imported label chains: judgments that supersede one another, a seat a chain.

Everything is computed in arrays and written by COPY and a few statements a block, so that half a
million labels take a minute and little memory.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotate.core.labels.chains import (
    NO_TIME,
    TimedLabels,
    last_rows,
    moment,
    n_stored_labels,
    number_groups,
    positions_in_group,
    previous_in_group,
)
from annotate.core.labels.pseudonyms import pseudonym
from annotate.models import Annotator, Collection, Round
from annotate.services.background.progress import ProgressCallback
from annotate.services.seating.pair_creation import ensure_pairs
from annotate.services.storage.bulk_copy import blocks, copy_rows, nullable_keys, reserve_keys
from annotate.services.storage.number_arrays import statement_columns

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
_LAST_NUMBERS = """
    SELECT pair_id, max(number) FROM annotate_seat
    WHERE purpose = 'import' AND pair_id = ANY(%s) GROUP BY 1
"""
_GROW = """
    UPDATE annotate_seat seat SET judgment_id = extended.judgment_id, state = 'done'
    FROM unnest(%s::bigint[], %s::bigint[]) AS extended(seat_id, judgment_id)
    WHERE seat.id = extended.seat_id
"""


class FileLabels(NamedTuple):
    """The labels of a file in its order, (N,) each but for the annotators' names.

    annotator : index into `annotator_names`; query, document : keys of items; at : microseconds
        since 1970 or NO_TIME
    """

    annotator_names: Sequence[str]
    annotator: Keys
    query: Keys
    document: Keys
    level: Keys
    at: Keys

    def __len__(self) -> int:
        return len(self.annotator)


class NewLabels(NamedTuple):
    """The labels that a file adds, (M,) each, the first of every chain first, with their keys.

    row : their row in the file; position : in their chain, from 1 on; supersedes : key of a
        judgment, 0 for none
    """

    row: Keys
    judgment: Keys
    annotator: Keys
    pair: Keys
    position: Keys
    supersedes: Keys

    def __len__(self) -> int:
        return len(self.row)


class ChainStore:
    """The imported chains of one collection: finds the labels that a file adds, and stores them."""

    def __init__(
        self, collection: Collection, file: FileLabels, on_progress: ProgressCallback
    ) -> None:
        self.collection = collection
        self.file = file
        self.on_progress = on_progress

    def find_new(self) -> NewLabels:
        """The labels that are not stored yet, each chain's first one, then the second ones, ...

        Pairs and annotators are made as needed.
        """
        file = self.file
        annotator, pair, level, at, judgment = statement_columns(_STORED, 5, [self.collection.pk])
        annotators, pairs = self._annotators(), self._pairs()
        n_stored = len(judgment)
        chain = number_groups(np.append(annotator, annotators), np.append(pair, pairs))
        n_chains = int(chain.max(initial=-1)) + 1
        stored_labels = TimedLabels(chain[:n_stored], level, at)
        file_labels = TimedLabels(chain[n_stored:], file.level, file.at)
        n_known_labels = n_stored_labels(stored_labels, file_labels, n_chains)
        new_position = positions_in_group(file_labels.chain) - n_known_labels[file_labels.chain]
        rows = np.flatnonzero(new_position >= 0)
        rows = rows[np.lexsort((number_groups(file_labels.chain)[rows], new_position[rows]))]
        keys = reserve_keys("annotate_judgment", len(rows))
        # What a label supersedes: the one before it in its chain, be that stored or new itself.
        chains = np.append(stored_labels.chain, file_labels.chain[rows])
        predecessor = np.append(np.append(judgment, keys), 0)[previous_in_group(chains)]
        return NewLabels(
            rows,
            keys,
            annotators[rows],
            pairs[rows],
            positions_in_group(chains)[n_stored:] + 1,
            predecessor[n_stored:],
        )

    def write(self, new_labels: NewLabels, round_: Round, external_ids: dict[int, str]) -> None:
        """Store judgments and seats; resolutions and metrics are to follow."""
        self._write_judgments(new_labels, external_ids)
        chain_ends = last_rows(number_groups(new_labels.annotator, new_labels.pair))
        counting_labels = NewLabels(*(column[chain_ends] for column in new_labels))
        self._write_seats(counting_labels, round_)
        self._write_round_pairs(counting_labels, round_)

    def _pairs(self) -> Keys:
        """The key of each label's pair."""
        query, document = self.file.query, self.file.document
        groups = number_groups(query, document)
        _, first_row = np.unique(groups, return_index=True)
        order = np.lexsort((document[first_row], query[first_row]))
        n_done = 0

        def report_pairs(n: int) -> None:
            nonlocal n_done
            n_done += n
            self.on_progress(n_done, len(order), "pairs found or made")

        keys = np.empty(len(order), dtype=np.int64)
        first_row = first_row[order]
        keys[order] = ensure_pairs(
            collection=self.collection,
            query=query[first_row],
            document=document[first_row],
            on_rows=report_pairs,
        ).keys
        return keys[groups]

    def _annotators(self) -> Keys:
        """The key of each label's annotator."""
        stored_annotators = Annotator.objects.filter(
            collection=self.collection, origin=Annotator.Origin.IMPORT
        )
        annotator_keys = dict(
            stored_annotators.filter(external_id__in=self.file.annotator_names).values_list(
                "external_id", "pk"
            )
        )
        key = bytes(self.collection.key)
        new_annotators = Annotator.objects.bulk_create(
            Annotator(
                collection=self.collection,
                origin=Annotator.Origin.IMPORT,
                external_id=external_id,
                pseudonym=pseudonym(key, "import", external_id),
            )
            for external_id in sorted(set(self.file.annotator_names) - annotator_keys.keys())
        )
        annotator_keys |= {annotator.external_id: annotator.pk for annotator in new_annotators}
        return np.array(
            [annotator_keys[name] for name in self.file.annotator_names], dtype=np.int64
        )[self.file.annotator]

    def _write_judgments(self, new_labels: NewLabels, external_ids: dict[int, str]) -> None:
        # The database's clock, read once: all judgments of this import came at one moment.
        now = database_time()
        for block in blocks(len(new_labels)):
            block_labels = NewLabels(*(column[block] for column in new_labels))
            at = self.file.at[block_labels.row].tolist()
            copy_rows(
                "annotate_judgment",
                {
                    "id": block_labels.judgment,
                    "collection_id": str(self.collection.pk),
                    "pair_id": block_labels.pair,
                    "annotator_id": block_labels.annotator,
                    "purpose": "import",
                    "level_id": self.file.level[block_labels.row],
                    "submission_id": self._submission_ids(block_labels, external_ids),
                    "supersedes_id": nullable_keys(block_labels.supersedes),
                    "reasons": "[]",
                    "at": [
                        str(now if microseconds == NO_TIME else moment(microseconds))
                        for microseconds in at
                    ],
                },
            )
            self.on_progress(block.stop, len(new_labels), "judgments stored")

    def _submission_ids(self, new_labels: NewLabels, external_ids: dict[int, str]) -> list[str]:
        """Submission ids, equal for equal labels at the same position of a chain."""
        file, slug = self.file, self.collection.slug
        rows = zip(
            file.annotator[new_labels.row].tolist(),
            file.query[new_labels.row].tolist(),
            file.document[new_labels.row].tolist(),
            new_labels.position.tolist(),
            file.level[new_labels.row].tolist(),
            file.at[new_labels.row].tolist(),
            strict=True,
        )
        return [
            str(
                uuid5(
                    NAMESPACE,
                    f"{slug}\t{file.annotator_names[annotator]}"
                    f"\t{external_ids[query]}\t{external_ids[document]}"
                    f"\t{position}\t{level}\t{moment(at) or ''}",
                )
            )
            for annotator, query, document, position, level, at in rows
        ]

    def _write_seats(self, counting_labels: NewLabels, round_: Round) -> None:
        """Write a done seat per new chain; that of a longer chain points to its last judgment."""
        seat = self._seats(counting_labels)
        extended_seats, last_judgments = seat[seat > 0], counting_labels.judgment[seat > 0]
        for block in blocks(len(extended_seats)):
            with connection.cursor() as cursor:
                cursor.execute(
                    _GROW, [extended_seats[block].tolist(), last_judgments[block].tolist()]
                )
        unseated_labels = NewLabels(*(column[seat == 0] for column in counting_labels))
        number = self._next_numbers(unseated_labels.pair)
        for block in blocks(len(unseated_labels)):
            copy_rows(
                "annotate_seat",
                {
                    "collection_id": str(self.collection.pk),
                    "round_id": str(round_.pk),
                    "pair_id": unseated_labels.pair[block],
                    "purpose": "import",
                    "number": number[block],
                    "why": "first",
                    "state": "done",
                    "annotator_id": unseated_labels.annotator[block],
                    "judgment_id": unseated_labels.judgment[block],
                    "queue_key": "0",
                },
            )
            self.on_progress(block.stop, len(unseated_labels), "labels counted")

    def _seats(self, counting_labels: NewLabels) -> Keys:
        """The seat of each chain, 0 where it has none yet."""
        annotator, pair, seat = statement_columns(
            _SEATS, 3, [np.unique(counting_labels.pair[counting_labels.position > 1]).tolist()]
        )
        chain = number_groups(
            np.append(annotator, counting_labels.annotator), np.append(pair, counting_labels.pair)
        )
        return np.append(seat, 0)[previous_in_group(chain)[len(seat) :]]

    @staticmethod
    def _next_numbers(pair: Keys) -> Keys:
        """Numbers for new seats of these pairs, following those that each pair has."""
        numbered_pairs, last_numbers = statement_columns(
            _LAST_NUMBERS, 2, [np.unique(pair).tolist()]
        )
        order = np.argsort(numbered_pairs)
        numbered_pairs, last_numbers = (
            np.append(numbered_pairs[order], 0),
            np.append(last_numbers[order], 0),
        )
        index = np.searchsorted(numbered_pairs[:-1], pair)
        return (
            np.where(numbered_pairs[index] == pair, last_numbers[index], 0)
            + positions_in_group(pair)
            + 1
        )

    @staticmethod
    def _write_round_pairs(counting_labels: NewLabels, round_: Round) -> None:
        """Add the pairs to the round, each with as many labels as the round brought."""
        pairs, n_labels = np.unique(counting_labels.pair, return_counts=True)
        stored_pairs = np.fromiter(
            round_.round_pairs.values_list("pair_id", flat=True), dtype=np.int64
        )
        is_new = ~np.isin(pairs, stored_pairs)
        new_pairs, n_new_labels = pairs[is_new], n_labels[is_new]
        for block in blocks(len(new_pairs)):
            copy_rows(
                "annotate_roundpair",
                {
                    "round_id": str(round_.pk),
                    "pair_id": new_pairs[block],
                    "n_wanted": n_new_labels[block],
                },
            )


def database_time() -> datetime:
    """Return the time of the database's clock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]
