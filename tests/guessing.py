"""Somebody who tries to guess from all that a browser receives which cards are checks: features, and a classifier."""

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
RIDGE = 30.0  # of few golds and many features little is to be learnt by heart
RUNS = 14  # lengths of one query's run told apart


def batch_features(cards: Sequence[Card], *, number: int, seen: Counter[str]) -> NDArray[np.float64]:
    """(N, F) what can be counted of each card of one batch, in the order of the cards.

    number : of the person's batches; seen : how often she has met each query and document, brought up to date
    """
    queries = [json.dumps(card["query"], sort_keys=True) for card in cards]
    documents = [json.dumps(card["document"], sort_keys=True) for card in cards]
    runs = [len(list(run)) for _, run in groupby(queries)]
    run_of = np.repeat(np.arange(len(runs)), runs)
    same, lengths = Counter(queries), np.repeat(runs, runs)
    starts = np.concatenate([[0], np.cumsum(runs)[:-1]])
    rows = []
    for place, (card, query, document) in enumerate(zip(cards, queries, documents, strict=True)):
        in_run = place - starts[run_of[place]]
        length = int(lengths[place])
        rows.append([
            card["position"], card["of"], card["position"] / card["of"], number, len(json.dumps(card)), len(query),
            len(document), same[query], length, in_run, in_run / length, in_run == length - 1, run_of[place],
            len(runs), seen[query], seen[document], len(card), *_numbers(query), *_numbers(document),
            *_bytes(card["hand_out"]), *(length == each for each in range(1, RUNS)),
            *(min(same[query], RUNS) == each for each in range(1, RUNS)),
        ])  # fmt: skip
    seen.update(queries)
    seen.update(documents)
    found = np.array(rows, dtype=np.float64)
    ranks = np.apply_along_axis(rankdata, 0, found[:, 4:7]) / len(cards)  # long or short for its batch
    return np.hstack([found, ranks])


def _numbers(item: str) -> list[float]:
    """Of an item: how long its texts are, what kind its parts are, the largest number in an address, a warning."""
    told = json.loads(item)
    urls = [part.get("url", "") for part in told["parts"]]
    keys = [int(each) for url in urls for each in re.findall(r"\d+", url)]
    kinds = Counter(part["kind"] for part in told["parts"])
    return [
        sum(len(part.get("text", "")) for part in told["parts"]), len(told["parts"]), kinds["text"], kinds["image"],
        sum(map(len, urls)), max(keys, default=0), bool(told["warning"]), bool(told["label"]),
    ]  # fmt: skip


def _bytes(token: str) -> list[int]:
    value = bytes.fromhex(token.replace("-", ""))
    return [value[0], value[7], value[15], int.from_bytes(value[:4])]


def with_products(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features brought to one scale, constant ones dropped, with their squares and a constant."""
    varies = features.std(axis=0) > 0
    scaled = (features[:, varies] - features[:, varies].mean(axis=0)) / features[:, varies].std(axis=0)
    return np.hstack([np.ones((len(scaled), 1)), scaled, np.clip(scaled**2, 0, 9)])


def fit(features: NDArray[np.float64], truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    penalty = np.full(features.shape[1], RIDGE)
    for _ in range(25):
        said = expit(features @ weights)
        gradient = features.T @ (said - truth) + penalty * weights
        curvature = (features * (said * (1 - said))[:, None]).T @ features + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def auc(score: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """The chance that a card that is one scores above one that is not, ties half (Mann-Whitney)."""
    n, m = int(truth.sum()), int((~truth).sum())
    return float((rankdata(score)[truth].sum() - n * (n + 1) / 2) / (n * m))


def guessed(features: NDArray[np.float64], truth: NDArray[np.bool_], query: NDArray[np.int64]) -> float:
    """AUC over all cards, each scored by a classifier that has seen no card of its query: 0.5 is a guess.

    What is learnt of one query's golds by heart must not count: the same golds are shown to many people. The scores
    of a fold are ranked among themselves: folds differ in how many checks they hold.
    """
    whole = with_products(features)
    fold = np.unique(query, return_inverse=True)[1] % FOLDS
    found = []
    for each in range(FOLDS):
        held_out = fold == each
        weights = fit(whole[~held_out], truth[~held_out])
        found.append((auc(whole[held_out] @ weights, truth[held_out]), held_out.sum()))
    return float(np.average([value for value, _ in found], weights=[n for _, n in found]))
