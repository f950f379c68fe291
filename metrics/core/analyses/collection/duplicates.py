"""Items that are the same, and texts that are nearly the same."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics.core.analyses.collection.text_vectors import DIGITS, GramVocabulary, Ids, row_blocks

# stops, commas, quotes and brackets
_MARKS = re.compile(
    r"[.,;:!?\u2026\u00a1\u00bf\"'`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a()\[\]{}]"
)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]")
SLACK = 1e-6  # far beyond what rounding can add to a sum of squares
MOST_PAIRS = 5_000_000  # some 400 MiB, while they are put in order


class NearPairs(NamedTuple):
    """Pairs of texts that are nearly the same, the nearest first, then by their positions.

    first, second : (P,) positions of the texts, first < second
    similarity : (P,) cosine of their vectors, above 0, to 1
    """

    first: Ids
    second: Ids
    similarity: NDArray[np.float64]


_NO_PAIRS = NearPairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


class TooManyPairs(Exception):
    """More pairs of texts are near than can be listed; nothing was."""


def plain_text(text: str) -> str:
    """The text as it is compared: without case, the marks of sentences, and width of white space.

    Unicode's NFKC and case folding; stops, commas, quotes and brackets are blanks, invisible
    characters are left out, and white spaces are one blank. Other signs stay: "C++" is not "C#",
    and -5 not 5. A text of such marks alone ("?") is compared as it stands. "" is a text of white
    space alone.
    """
    # twice: NFKC makes marks of some characters, and case folding of NFKC is not always NFKC
    letters = _MARKS.sub(" ", unicodedata.normalize("NFC", _INVISIBLE.sub("", text)))
    letters = unicodedata.normalize("NFKC", letters).casefold()
    plain = _MARKS.sub(" ", unicodedata.normalize("NFKC", letters))
    return " ".join(plain.split()) or " ".join(text.split())


def same_items(keys: Sequence[str | None]) -> list[list[int]]:
    """Positions of items with the same key, two or more in each list; the longest list first.

    keys : of N items, such as plain texts or hashes of media; an item with None is like no other
    Positions ascend, and so do the first positions of lists of one length.
    """
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for position, key in enumerate(keys):
        if key is not None:
            positions[key].append(position)
    return sorted((same for same in positions.values() if len(same) > 1), key=len, reverse=True)


def near_texts(
    texts: Sequence[str],
    *,
    least: float = 0.9,
    report_progress: Callable[[int, int], None] = lambda n_done, total: None,
) -> NearPairs:
    """Find all pairs of texts whose vectors have a cosine of `least` or more.

    texts : N of them, none or more; of those that are the same one is enough
    least : above 0, to 1; it and the cosines are rounded to 12 digits before they are compared, so
        that no pair depends on the last bits
    report_progress : told how many of the N texts are done
    Vectors are those of `nearest_similarity`, fitted to the texts: of 5-grams of characters, by
    TF-IDF. A text of fewer than five characters is near nothing, itself included.
    Raises TooManyPairs where more than five million are near, as copies of one long text may be.
    The result is that of comparing all with all. Texts are compared only where the rarest of their
    5-grams meet (prefix filtering: Bayardo et al. 2007, doi:10.1145/1242572.1242591): 30,000
    sentences in seconds. Some 100 bytes a character are needed.
    """
    vectors = GramVocabulary.of(texts).vectors(texts)
    least = float(np.round(least, DIGITS))
    heads = _heads(vectors, least)
    columns = heads.T.tocsr()
    parts, n_pairs = [_NO_PAIRS], 0
    for rows in row_blocks(len(texts), len(texts)):
        partners = np.unique((heads[rows] @ columns).indices)
        part = _near_pairs(vectors, rows, partners[partners > rows.start], least)
        n_pairs += len(part.first)
        if n_pairs > MOST_PAIRS:
            raise TooManyPairs(f"More than {MOST_PAIRS:,} pairs of texts are near.")
        parts.append(part)
        report_progress(rows.stop, len(texts))
    first, second, similarity = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((second, first, -similarity))
    return NearPairs(first[order], second[order], similarity[order])


def _heads(vectors: sparse.csr_array, least: float) -> sparse.csr_array:
    """(N, V) with 1 where a 5-gram is in the head of a text: its rarest ones, as few as suffice.

    The tail, which follows the head, is shorter than `least`, and so its product with any unit
    vector is less. 5-grams have one order for all texts: where two heads have nothing in common,
    all that the texts share follows the head that ends first, in its tail. They are not near.
    """
    n_texts, n_grams = vectors.shape
    n_with = np.bincount(vectors.indices, minlength=n_grams)
    rank = np.argsort(np.argsort(n_with, kind="stable"))
    squares = sparse.csr_array(
        (vectors.data**2, rank[vectors.indices], vectors.indptr), shape=vectors.shape
    )
    squares.sort_indices()
    text = np.repeat(np.arange(n_texts), np.diff(squares.indptr))
    sums = np.concatenate([[0.0], np.cumsum(squares.data)])
    tail = sums[squares.indptr[1:]][text] - sums[:-1]  # with the 5-gram itself, squared
    is_in_head = tail >= max(least - SLACK, 0) ** 2
    values = np.ones(np.count_nonzero(is_in_head))
    cells = (text[is_in_head], squares.indices[is_in_head])
    return sparse.csr_array((values, cells), shape=vectors.shape)


def _near_pairs(
    vectors: sparse.csr_array, rows: slice, partners: NDArray[np.int32], least: float
) -> NearPairs:
    """Pairs, in any order, of texts of some rows with later ones among their partners."""
    cosines = (vectors[rows] @ vectors[partners].T).tocoo()
    similarity = np.round(np.minimum(cosines.data, 1), DIGITS)
    first = cosines.row.astype(np.int64) + rows.start
    second = partners[cosines.col].astype(np.int64)
    is_near = (similarity >= least) & (first < second)
    return NearPairs(first[is_near], second[is_near], similarity[is_near])
