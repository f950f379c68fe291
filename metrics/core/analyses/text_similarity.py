"""Similarity of texts to training texts: the cosine of their TF-IDF of 5-grams of characters."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

N_LETTERS, N_NEAREST, DIGITS = 5, 10, 12
ROWS_AT_ONCE, CELLS_AT_ONCE, TEXTS_AT_ONCE = 100, 5_000_000, 50_000
BLOCK = 64
Ids = NDArray[np.int64]
_MIX = np.uint64(0x9E3779B97F4A7C15)
_WHITE_SPACE = re.compile(r"\s\s+")


class _Grams(NamedTuple):
    """The 5-grams of some texts: (N,) number of the text, and a hash of the five characters.

    That two of ten million different ones have one hash has a chance of 3 in a million.
    """

    text: Ids
    gram: NDArray[np.uint64]


def nearest_similarity(
    texts: Sequence[str],
    training_texts: Sequence[str],
    *,
    report_progress: Callable[[int, int], None] = lambda n_done, total: None,
) -> NDArray[np.float64]:
    """(Q,) mean cosine similarity of each text to its ten nearest training texts, 0 to 1.

    texts : Q of them, one or more; training_texts : one or more; of fewer than ten all count
    report_progress : told how many of the Q texts are done
    Texts are vectors of their 5-grams of characters, in lower case, two and more white spaces as
    one blank; counts times ln((1 + n) / (1 + df)) + 1, of unit length. The n texts alone give the
    vocabulary and df, how many of them have it; training texts do not. A text of fewer than five
    characters has none, and is like nothing. Equals scikit-learn's TfidfVectorizer(
    analyzer="char", ngram_range=(5, 5)) fitted to the texts, as in FIRE (Rodriguez et al. 2022),
    appendix D, and is rounded to 12 digits, so that texts alike in the same way are tied.
    """
    own, training = _vectors(texts, training_texts)
    return _mean_nearest(own, training, report_progress)


def _vectors(
    texts: Sequence[str], training_texts: Sequence[str]
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """(Q, V) and (T, V) unit vectors of the texts and the training texts, these read in parts."""
    grams = _grams(texts)
    vocabulary, column = np.unique(grams.gram, return_inverse=True)
    own = _counts(grams.text, column, (len(texts), len(vocabulary)))
    n_with = np.bincount(own.indices, minlength=len(vocabulary))
    weight = np.log((1 + len(texts)) / (1 + n_with)) + 1
    parts = []
    for start in range(0, len(training_texts), TEXTS_AT_ONCE):
        part = training_texts[start : start + TEXTS_AT_ONCE]
        grams = _grams(part)
        in_both = np.isin(grams.gram, vocabulary)
        column = np.searchsorted(vocabulary, grams.gram[in_both])
        counts = _counts(grams.text[in_both], column, (len(part), len(vocabulary)))
        parts.append(_unit(counts, weight))
    return _unit(own, weight), sparse.csr_array(sparse.vstack(parts))


def _mean_nearest(
    own: sparse.csr_array, training: sparse.csr_array, report_progress: Callable[[int, int], None]
) -> NDArray[np.float64]:
    n_texts = own.shape[0]
    columns = training.T.tocsr()
    means = np.zeros(n_texts)
    n_rows = max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // training.shape[0]))
    for start in range(0, n_texts, n_rows):
        similarity = (own[start : start + n_rows] @ columns).toarray()
        means[start : start + n_rows] = _largest(similarity).mean(axis=1)
        report_progress(min(start + n_rows, n_texts), n_texts)
    # ranks must not depend on the last bits of equal similarities
    return np.round(np.clip(means, 0, 1), DIGITS)


def _largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(R, 10) the largest of (R, N) values; all of fewer.

    The tenth largest of the maxima of blocks is at most the tenth largest value: few reach it.
    """
    n_rows, n = values.shape
    n_largest, n_blocks = min(N_NEAREST, n), n // BLOCK
    if n_blocks <= n_largest:
        return np.sort(values, axis=1)[:, n - n_largest :]
    maxima = values[:, : n_blocks * BLOCK].reshape(n_rows, n_blocks, BLOCK).max(axis=2)
    least = np.partition(maxima, n_blocks - n_largest, axis=1)[:, n_blocks - n_largest]
    row, column = np.nonzero(values >= least[:, None])
    order = np.lexsort((-values[row, column], row))
    row, column = row[order], column[order]
    first = np.searchsorted(row, np.arange(n_rows))
    is_largest = np.arange(len(row)) - first[row] < n_largest
    return values[row[is_largest], column[is_largest]].reshape(n_rows, n_largest)


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
