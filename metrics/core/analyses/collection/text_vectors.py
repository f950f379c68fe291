"""Texts as unit vectors: TF-IDF of 5-grams of characters."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

N_LETTERS = 5
DIGITS = 12  # of similarities: ranks and bounds must not depend on the last bits of equal ones
ROWS_AT_ONCE, CELLS_AT_ONCE, TEXTS_AT_ONCE = 100, 5_000_000, 50_000
Ids = NDArray[np.int64]
_MIX = np.uint64(0x9E3779B97F4A7C15)
_WHITE_SPACE = re.compile(r"\s\s+")


class _Grams(NamedTuple):
    """The 5-grams of some texts: (N,) number of the text, and a hash of the five characters.

    That two of ten million different ones have one hash has a chance of 3 in a million.
    """

    text: Ids
    gram: NDArray[np.uint64]


class GramVocabulary(NamedTuple):
    """The 5-grams of the n texts that vectors are fitted to.

    grams : (V,) hashes, ascending; weights : (V,) ln((1 + n) / (1 + df)) + 1, where df of the n
    texts have the 5-gram
    """

    grams: NDArray[np.uint64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """The vocabulary that some texts, none or more, give."""
        grams = _grams(texts)
        vocabulary, column = np.unique(grams.gram, return_inverse=True)
        counts = _counts(grams.text, column, (len(texts), len(vocabulary)))
        n_with = np.bincount(counts.indices, minlength=len(vocabulary))
        return cls(vocabulary, np.log((1 + len(texts)) / (1 + n_with)) + 1)

    def vectors(self, texts: Sequence[str]) -> sparse.csr_array:
        """(N, V) vectors of N texts, which need not be those of the vocabulary; read in parts.

        Counts of 5-grams in lower case, two and more white spaces as one blank, times the weights;
        of unit length, or 0 for a text that has none of them, such as one of fewer than five
        characters. Equals scikit-learn's TfidfVectorizer(analyzer="char", ngram_range=(5, 5)).
        """
        starts = range(0, max(len(texts), 1), TEXTS_AT_ONCE)
        parts = [self._part(texts[start : start + TEXTS_AT_ONCE]) for start in starts]
        return sparse.csr_array(sparse.vstack(parts))

    def _part(self, texts: Sequence[str]) -> sparse.csr_array:
        grams = _grams(texts)
        is_here = np.isin(grams.gram, self.grams)
        column = np.searchsorted(self.grams, grams.gram[is_here])
        counts = _counts(grams.text[is_here], column, (len(texts), len(self.grams)))
        return _unit(counts, self.weights)


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Rows of a matrix, as many at once as fit into memory with all their cells."""
    n_at_once = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // max(n_columns, 1)))
    for start in range(0, n_rows, n_at_once):
        yield slice(start, min(start + n_at_once, n_rows))


def _grams(texts: Sequence[str]) -> _Grams:
    """The 5-grams of some texts; equal ones have equal hashes, in any call."""
    plain = [_WHITE_SPACE.sub(" ", text.lower()) for text in texts]
    length = np.array([len(text) for text in plain], dtype=np.int64)
    letters = np.frombuffer("".join(plain).encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    n_grams = max(0, len(letters) - N_LETTERS + 1)
    gram = np.zeros(n_grams, dtype=np.uint64)
    for step in range(N_LETTERS):
        # overflow wraps, which is what a multiplicative hash wants
        gram = (gram ^ letters[step : step + n_grams]) * _MIX
        gram ^= gram >> np.uint64(29)
    end = np.repeat(np.cumsum(length), length)[:n_grams]
    is_inside = np.arange(n_grams) + N_LETTERS <= end
    text = np.repeat(np.arange(len(plain)), length)[:n_grams]
    return _Grams(text[is_inside], gram[is_inside])


def _counts(row: Ids, column: Ids, shape: tuple[int, int]) -> sparse.csr_array:
    counts = sparse.csr_array((np.ones(len(row)), (row, column)), shape=shape)
    counts.sum_duplicates()
    return counts


def _unit(counts: sparse.csr_array, weight: NDArray[np.float64]) -> sparse.csr_array:
    """The rows times the weights of their columns, each of unit length or 0."""
    weighted_counts = counts.copy()
    weighted_counts.data = weighted_counts.data * weight[weighted_counts.indices]
    squares = np.asarray(weighted_counts.multiply(weighted_counts).sum(axis=1)).ravel()
    length = np.sqrt(squares)
    scale = np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ weighted_counts)
