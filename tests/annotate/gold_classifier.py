"""A classifier that guesses from what a browser receives which cards are gold checks."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import rankdata

Card = dict[str, Any]
FOLDS = 5
RIDGE = 30.0  # few golds and many features: a strong penalty against overfitting
RUNS = 14  # lengths of one query's run that are distinguished


def batch_features(
    cards: Sequence[Card], *, number: int, n_seen: Counter[str]
) -> NDArray[np.float64]:
    """(N, F) features of each card of one batch, in the order of the cards.

    number : of the batch, among the annotator's
    n_seen : how often she has met each query and document; updated in place
    """
    queries = [json.dumps(card["query"], sort_keys=True) for card in cards]
    documents = [json.dumps(card["document"], sort_keys=True) for card in cards]
    runs = [len(list(run)) for _, run in groupby(queries)]
    run_of = np.repeat(np.arange(len(runs)), runs)
    same, lengths = Counter(queries), np.repeat(runs, runs)
    starts = np.concatenate([[0], np.cumsum(runs)[:-1]])
    rows = []
    for position, (card, query, document) in enumerate(zip(cards, queries, documents, strict=True)):
        in_run = position - starts[run_of[position]]
        length = int(lengths[position])
        rows.append(
            [
                card["position"],
                card["of"],
                card["position"] / card["of"],
                number,
                len(json.dumps(card)),
                len(query),
                len(document),
                same[query],
                length,
                in_run,
                in_run / length,
                in_run == length - 1,
                run_of[position],
                len(runs),
                n_seen[query],
                n_seen[document],
                len(card),
                *_numbers(query),
                *_numbers(document),
                *_bytes(card["hand_out"]),
                *(length == n for n in range(1, RUNS)),
                *(min(same[query], RUNS) == n for n in range(1, RUNS)),
            ]
        )
    n_seen.update(queries)
    n_seen.update(documents)
    features = np.array(rows, dtype=np.float64)
    # long or short for its batch
    ranks = np.apply_along_axis(rankdata, 0, features[:, 4:7]) / len(cards)
    return np.hstack([features, ranks])


def _numbers(item: str) -> list[float]:
    """Features of an item: length of texts, kinds of parts, largest number in a URL, warning."""
    shown_item = json.loads(item)
    urls = [part.get("url", "") for part in shown_item["parts"]]
    keys = [int(digits) for url in urls for digits in re.findall(r"\d+", url)]
    kinds = Counter(part["kind"] for part in shown_item["parts"])
    return [
        sum(len(part.get("text", "")) for part in shown_item["parts"]),
        len(shown_item["parts"]),
        kinds["text"],
        kinds["image"],
        sum(map(len, urls)),
        max(keys, default=0),
        bool(shown_item["warning"]),
        bool(shown_item["label"]),
    ]


def _bytes(token: str) -> list[int]:
    value = bytes.fromhex(token.replace("-", ""))
    return [value[0], value[7], value[15], int.from_bytes(value[:4])]


def with_products(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features standardised, constant ones dropped, with their squares and a constant."""
    varies = features.std(axis=0) > 0
    scaled = (features[:, varies] - features[:, varies].mean(axis=0)) / features[:, varies].std(
        axis=0
    )
    return np.hstack([np.ones((len(scaled), 1)), scaled, np.clip(scaled**2, 0, 9)])


def fit(features: NDArray[np.float64], truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    penalty = np.full(features.shape[1], RIDGE)
    for _ in range(25):
        predicted = expit(features @ weights)
        gradient = features.T @ (predicted - truth) + penalty * weights
        curvature = (features * (predicted * (1 - predicted))[:, None]).T @ features + np.diag(
            penalty
        )
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def auc(score: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The chance that a gold card scores above one that is not gold, ties half (Mann-Whitney)."""
    n, m = int(truth.sum()), int((~truth).sum())
    return float((rankdata(score)[truth].sum() - n * (n + 1) / 2) / (n * m))


def cross_validated_auc(
    features: NDArray[np.float64], truth: NDArray[np.bool_], query: NDArray[np.int64]
) -> float:
    """AUC over all cards, each scored by a classifier without cards of its query: 0.5 is a guess.

    Memorised golds of a query must not count: the same golds are shown to many people. Scores of
    a fold are ranked among themselves: folds differ in how many gold checks they hold.
    """
    whole = with_products(features)
    fold = np.unique(query, return_inverse=True)[1] % FOLDS
    fold_aucs = []
    for number in range(FOLDS):
        held_out = fold == number
        weights = fit(whole[~held_out], truth[~held_out])
        fold_aucs.append((auc(whole[held_out] @ weights, truth[held_out]), held_out.sum()))
    return float(np.average([value for value, _ in fold_aucs], weights=[n for _, n in fold_aucs]))
