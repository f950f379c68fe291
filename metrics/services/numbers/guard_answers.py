"""The answers of each person of a collection that guards watch: the last ones, and golds."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, Q

from annotate.models import Annotator, Collection, Item, Pair, Part
from annotate.services.storage.number_arrays import Numbers, copied_columns
from metrics.core.agreement.guards import LAST_ANSWERS

LAST_LEVELS = 200  # answers in which a run of one level is looked for
# The first answer to each seat that people were handed: a change of mind has a time of its own.
_LAST = """
    SELECT annotator.id, (extract(epoch FROM last.at) * 1000000)::bigint, level.grade::bigint,
           coalesce(last.active_ms, -1)::bigint,
           CASE WHEN last.place > %(n_timed)s THEN -1 ELSE coalesce((
               SELECT max((least(part."end", part.seconds, 1e6)
                           - least(coalesce(part.start, 0), 1e6)) * 1000)::bigint
               FROM annotate_part part
               WHERE part.item_id IN (last.new_query, last.new_document)
                 AND part.kind IN ('video', 'audio')
                 AND coalesce(part."end", part.seconds) IS NOT NULL), -1) END
    FROM annotate_annotator annotator
    CROSS JOIN LATERAL (
        SELECT judgment.*,
               row_number() OVER past AS place,
               nullif(pair.query_id, lead(pair.query_id) OVER past) AS new_query,
               nullif(pair.document_id, lead(pair.document_id) OVER past) AS new_document
        FROM annotate_judgment judgment JOIN annotate_pair pair ON pair.id = judgment.pair_id
        WHERE judgment.annotator_id = annotator.id AND judgment.hand_out_id IS NOT NULL
          AND judgment.purpose IN ('label', 'gold', 'repeat')
          AND judgment.supersedes_id IS NULL AND judgment.restores_id IS NULL
        WINDOW past AS (ORDER BY judgment.at DESC, judgment.id DESC)
        ORDER BY judgment.at DESC, judgment.id DESC LIMIT %(n)s
    ) AS last
    JOIN annotate_level level ON level.id = last.level_id
    WHERE annotator.collection_id = %(collection)s AND annotator.origin = ANY(%(origins)s)
    ORDER BY annotator.id, last.place DESC
"""

# Her last word on each gold in use, whatever was decided about it: withdrawn answers show how she
# judged, too, and a mistake that she mended is none.
_GOLDS = """
    SELECT judgment.annotator_id, (extract(epoch FROM judgment.at) * 1000000)::bigint,
           ((level.grade >= collection.positive_from)
            = (gold.grade >= collection.positive_from))::integer
    FROM annotate_gold gold
    JOIN annotate_judgment judgment
      ON judgment.pair_id = gold.pair_id AND judgment.purpose = 'gold'
    JOIN annotate_judgmentoutcome outcome ON outcome.judgment_id = judgment.id
    JOIN annotate_level level ON level.id = judgment.level_id
    JOIN annotate_collection collection ON collection.id = gold.collection_id
    WHERE gold.collection_id = %(collection)s AND gold.retired_at IS NULL
      AND outcome.outcome NOT IN ('superseded', 'undone')
    ORDER BY judgment.annotator_id, judgment.at
"""


class LastAnswers(NamedTuple):
    """A person's last answers, in the order of time; each an (n,) array.

    at : microseconds since 1970; active_ms, clip_ms : -1 where it is not known; clip_ms : the
    longest stretch that is shown of a clip or recording of the pair, up to the end that the file
    of items says or to that of the file; without an item that the answer before was about too, as
    pairs of one query come together and its clip is watched once
    """

    at: Numbers
    grade: Numbers
    active_ms: Numbers
    clip_ms: Numbers

    def since(self, moment: int) -> "LastAnswers":
        """Those given after a moment, in microseconds since 1970."""
        return LastAnswers(*(column[self.at > moment] for column in self))


class GoldAnswers(NamedTuple):
    """A person's answers to golds; each an (n,) array.

    at : microseconds since 1970; is_right : 1 on the gold's side of the threshold, else 0
    """

    at: Numbers
    is_right: Numbers


NO_GOLDS = GoldAnswers(*np.zeros((2, 0), dtype=np.int64))


def last_answers(*, collection: Collection) -> dict[int, LastAnswers]:
    """Each person's last answers, by the annotator's key; who has given none is not there."""
    columns = copied_columns(
        _LAST,
        ("annotator", *LastAnswers._fields),
        {
            "n": LAST_LEVELS,
            "n_timed": LAST_ANSWERS,
            "collection": collection.pk,
            "origins": [Annotator.Origin.PERSON, Annotator.Origin.SIMULATED],
        },
    )
    return {key: LastAnswers(*parts) for key, parts in _by_annotator(columns)}


def gold_answers(*, collection: Collection) -> dict[int, GoldAnswers]:
    """Each person's answers to golds, by the annotator's key; who has given none is not there."""
    names = ("annotator", *GoldAnswers._fields)
    columns = copied_columns(_GOLDS, names, {"collection": collection.pk})
    return {key: GoldAnswers(*parts) for key, parts in _by_annotator(columns)}


def n_clips_without_length(*, collection: Collection) -> int:
    """The number of clips and recordings of pairs to be judged whose end nobody knows; one query.

    Those of items that no pool or gold has a pair of, that are excluded, or of a split other than
    test are shown to nobody whom guards watch.
    """
    items = Item.objects.in_use().filter(collection=collection)
    parts = Part.objects.filter(item__in=items, kind__in=Part.PLAYED, end=None, seconds=None)
    pairs = Pair.objects.filter(Q(query=OuterRef("item")) | Q(document=OuterRef("item")))
    return parts.filter(Exists(pairs)).count()


def _by_annotator(columns: dict[str, Numbers]) -> Iterator[tuple[int, list[Numbers]]]:
    """Split columns, in the order of annotators, into those of each annotator."""
    annotators, *values = columns.values()
    keys, starts = np.unique(annotators, return_index=True)
    parts = [np.split(column, starts[1:]) for column in values]
    # without rows there is one empty part, and no key
    yield from zip(keys.tolist(), map(list, zip(*parts, strict=True)), strict=False)
