"""Counts by the definitions, in plain Python: the other side of the tests of analyses."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import count

import numpy as np


def round_widths():
    """1, 2, 5, 10, 20, 50, ..."""
    for power in count():
        yield from (10**power, 2 * 10**power, 5 * 10**power)


def bin_edges(values: Sequence[int], *, n_bins: int, least: int) -> list[tuple[int, int | None]]:
    """The first and the last number of each bin; None for the last of an open one.

    The first bin is the one that holds the smallest value.
    """
    for width in round_widths():
        start = least
        while start + width <= min(values):
            start += width
        beyond = start + n_bins * width
        n_held = sum(value < beyond for value in values)
        if Fraction(n_held, len(values)) >= Fraction(98, 100):
            break
    edges = []
    while len(edges) < n_bins and start <= max(values):
        edges.append((start, start + width - 1))
        start += width
    return [*edges[:-1], (edges[-1][0], None)] if max(values) >= beyond else edges


def holds(edge: tuple[int, int | None], value: int) -> bool:
    """Whether a bin holds a number."""
    first, last = edge
    return first <= value and (last is None or value <= last)


def label(edge: tuple[int, int | None]) -> str:
    """A bin in words, with commas in thousands."""
    first, last = edge
    if last is None:
        return f"{first:,} or more"
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def fifths(n_words: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """Positions of the shortest and the longest fifth with ties; None where they overlap.

    Both have no fewer than a fifth of the texts.
    """
    size = -(-len(n_words) // 5)
    ascending = sorted(n_words)
    short = [q for q, length in enumerate(n_words) if length <= ascending[size - 1]]
    long = [q for q, length in enumerate(n_words) if length >= ascending[-size]]
    return None if set(short) & set(long) else (short, long)


def weighted_mean(values: Sequence[float], weight: Sequence[float]) -> float:
    """The mean of numbers that stand for more than one."""
    total = sum(Fraction(v) * Fraction(w) for v, w in zip(values, weight, strict=True))
    return float(total / sum(map(Fraction, weight)))


def lengths(seed: int, n: int = 200, *, mean: float = 12.0) -> np.ndarray:
    """(n,) lengths of texts: many of about the mean, a few far longer ones, ties."""
    rng = np.random.default_rng(seed)
    return 1 + np.floor(rng.gamma(2.0, mean / 2, n)).astype(np.int64)


def text_vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Unit vectors of texts by TF-IDF of their 5-grams, which are the keys; empty without one."""
    plain = [re.sub(r"\s\s+", " ", text.lower()) for text in texts]
    counts = [Counter(text[i : i + 5] for i in range(len(text) - 4)) for text in plain]
    n_with = Counter(gram for grams in counts for gram in grams)
    vectors = []
    for grams in counts:
        products = {
            gram: n * (math.log((1 + len(texts)) / (1 + n_with[gram])) + 1)
            for gram, n in grams.items()
        }
        length = math.hypot(*products.values())
        vectors.append({gram: product / length for gram, product in products.items()})
    return vectors


def cosines(texts: Sequence[str]) -> dict[tuple[int, int], float]:
    """Of all pairs of texts, first < second, the product of their vectors."""
    vectors = text_vectors(texts)
    return {
        (i, j): math.fsum(value * vectors[j].get(gram, 0) for gram, value in vectors[i].items())
        for j in range(len(texts))
        for i in range(j)
    }
