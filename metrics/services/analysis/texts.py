"""Texts of items: those of the queries, and those of their side that runs were trained on."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, Direction, Item, Side
from annotate.services.storage.number_arrays import column
from metrics.core.analyses.collection.text_similarity import nearest_similarity
from metrics.score_files.requests import NotDefined
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.shared_values import cached_arrays
from metrics.services.leaderboard.choice_values import DirectionInputs
from metrics.services.leaderboard.chosen_labels import texts_of
from metrics.services.scores.labels import Ids
from pooling.services.runs.storage import SIDES

ITEMS_AT_ONCE = 20_000
TRAINING_SPLIT = "train"
MOST_PAIRS = 4_000_000_000  # 27,763 queries took about 200 s on 2 cores
RULES = "2"  # changes when the same texts would have another similarity, or form in the cache
Lengths = NDArray[np.int64]


class SourceTexts(NamedTuple):
    """The texts of Q source items, "" for one without.

    n_words : (Q,) parted by white space; n_characters : (Q,) without white space at the ends
    """

    texts: list[str]
    n_words: Lengths
    n_characters: Lengths

    @property
    def has_text(self) -> NDArray[np.bool_]:
        """(Q,) mask of the items with a word."""
        return np.asarray(self.n_words > 0)

    @property
    def n_without(self) -> int:
        """The number of items without a text."""
        return int(np.count_nonzero(self.n_words == 0))


def source_texts(inputs: DirectionInputs) -> SourceTexts:
    """Read the texts of the queries; raises NotDefined where none has one."""
    by_item = _texts(inputs.scope.sources)
    texts = [by_item.get(item, "") for item in inputs.scope.sources.tolist()]
    n_words = np.array([len(text.split()) for text in texts], dtype=np.int64)
    if not n_words.any():
        raise NotDefined(
            "None of these queries has a text of its own: choose the other direction, or load "
            "texts."
        )
    return SourceTexts(texts, n_words, np.array([len(text) for text in texts], dtype=np.int64))


def training_similarity(request: AnalysisRequest, texts: SourceTexts) -> NDArray[np.float64]:
    """(Q with a text,) mean similarity of each query to its ten nearest training texts.

    Raises NotDefined without training texts. It does not depend on labels, so it is in the cache by
    a hash of all texts; losing it costs the time to compute it.
    """
    side = SIDES[Direction(request.spec.direction)][0]
    training_texts = _training_texts(request.collection, side)
    if not training_texts:
        raise NotDefined(
            f"There are no training texts: load items of the side “{side}” with the split "
            f"“{TRAINING_SPLIT}”."
        )
    own_texts = [text for text in texts.texts if text]
    if len(own_texts) * len(training_texts) > MOST_PAIRS:
        raise NotDefined(
            f"{len(own_texts):,} texts and {len(training_texts):,} training texts are too many to "
            f"compare: choose a smaller query set, for {MOST_PAIRS // 10**6:,} million pairs or "
            "fewer."
        )
    (similarity,) = cached_arrays(
        f"text-similarity-{digest_of(own_texts, training_texts)}",
        lambda: [
            nearest_similarity(
                own_texts,
                training_texts,
                report_progress=lambda n, total: request.report_progress(n, total, "texts"),
            )
        ],
    )
    return similarity


def _training_texts(collection: Collection, side: Side) -> list[str]:
    items = Item.objects.filter(
        collection=collection, side=side, split=TRAINING_SPLIT, excluded_at=None
    )
    keys = column(items.order_by("pk").values_list("pk"))
    by_item = _texts(keys)
    return [by_item[key] for key in keys.tolist() if key in by_item]


def _texts(items: Ids) -> dict[int, str]:
    """The texts of items that have one; several of one item are put together with a blank."""
    parts_of: dict[int, list[str]] = {}
    for start in range(0, len(items), ITEMS_AT_ONCE):
        for item, text in texts_of(items[start : start + ITEMS_AT_ONCE]):
            if text.strip():
                parts_of.setdefault(item, []).append(text.strip())
    return {item: " ".join(texts[::-1]) for item, texts in parts_of.items()}  # the last came first


def digest_of(*lists: Iterable[str]) -> str:
    """A hash of lists of texts, and of the rules by which they are compared."""
    digest = hashlib.sha256(RULES.encode())
    for texts in lists:
        digest.update(b"\0")
        for text in texts:
            digest.update(f"{len(text)} {text}".encode())
    return digest.hexdigest()
