"""Similarity of texts to training texts: the cosine of their TF-IDF of 5-grams of characters."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from metrics.core.analyses.collection.text_vectors import DIGITS, GramVocabulary, row_blocks

N_NEAREST, BLOCK = 10, 64


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
    vocabulary = GramVocabulary.of(texts)
    return _mean_nearest(
        vocabulary.vectors(texts), vocabulary.vectors(training_texts), report_progress
    )


def _mean_nearest(
    own: sparse.csr_array, training: sparse.csr_array, report_progress: Callable[[int, int], None]
) -> NDArray[np.float64]:
    n_texts = own.shape[0]
    columns = training.T.tocsr()
    means = np.zeros(n_texts)
    for rows in row_blocks(n_texts, training.shape[0]):
        similarity = (own[rows] @ columns).toarray()
        means[rows] = _largest(similarity).mean(axis=1)
        report_progress(rows.stop, n_texts)
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
