"""Grades inferred from labels and the reliability of each annotator (Dawid & Skene 1979)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.core.agreement.counts import CodedLabels


class Consensus(NamedTuple):
    """Grades of units as a model of the annotators infers them from their labels.

    value : (U,) index in labels.values of the most probable value of each unit, the lower on a tie
    certainty : (U,) its probability, given that the model holds
    posterior : (U, V) probability of every value
    prior : (V,) share of units of each value
    confusion : (A, V, V) confusion[a, t, v]: chance that annotator a says v of a unit that is t
    n_iterations, converged : whether the posteriors settled within the tolerance
    """

    value: NDArray[np.int64]
    certainty: NDArray[np.float64]
    posterior: NDArray[np.float64]
    prior: NDArray[np.float64]
    confusion: NDArray[np.float64]
    n_iterations: int
    converged: bool


def dawid_skene(
    labels: CodedLabels, *, max_iterations: int = 200, tolerance: float = 1e-7
) -> Consensus:
    """Expectation maximisation, in turn of the units' grades and the annotators' errors.

    A unit without labels gets the prior. An annotator's row for a value they never met is uniform.
    The likelihood has several maxima; starting from the votes finds the one in which most people
    are right more often than wrong. Dawid & Skene 1979, doi:10.2307/2346806. Equals crowd-kit's
    DawidSkene after as many iterations (its own stopping rule often ends early).
    """
    n_values = max(len(labels.values), 1)
    posterior = _shares(labels, n_values)
    converged, n_iterations = False, 0
    prior, confusion = _maximise(labels, posterior)
    while n_iterations < max_iterations and not converged:
        n_iterations += 1
        previous, posterior = posterior, _expect(labels, prior, confusion)
        prior, confusion = _maximise(labels, posterior)
        converged = bool(np.abs(posterior - previous).max(initial=0) < tolerance)
    value = posterior.argmax(axis=1)
    certainty = posterior.max(axis=1) if len(posterior) else np.zeros(0)
    return Consensus(value, certainty, posterior, prior, confusion, n_iterations, converged)


def _shares(labels: CodedLabels, n_values: int) -> NDArray[np.float64]:
    """(U, V) share of each value among a unit's labels; uniform where it has none."""
    n_units = len(labels.units)
    counts = np.bincount(
        labels.unit * n_values + labels.value, minlength=n_units * n_values
    ).reshape(n_units, n_values)
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.full(counts.shape, 1 / n_values), where=total > 0)


def _maximise(
    labels: CodedLabels, posterior: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The prior and every annotator's errors, if the posteriors were the truth."""
    n_values, n_people = posterior.shape[1], len(labels.annotators)
    cell = labels.annotator * n_values + labels.value
    given_values = np.stack(
        [
            np.bincount(cell, weights=posterior[labels.unit, t], minlength=n_people * n_values)
            for t in range(n_values)
        ]
    )
    given_values = given_values.reshape(n_values, n_people, n_values).transpose(1, 0, 2)
    true_values = given_values.sum(axis=2, keepdims=True)
    confusion = np.divide(
        given_values,
        true_values,
        out=np.full(given_values.shape, 1 / n_values),
        where=true_values > 0,
    )
    prior = posterior.mean(axis=0) if len(posterior) else np.full(n_values, 1 / n_values)
    return prior, confusion


def _expect(
    labels: CodedLabels, prior: NDArray[np.float64], confusion: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(U, V) posterior of each unit's value, if the prior and the errors were right."""
    tiny = np.finfo(np.float64).tiny
    evidence = np.log(np.maximum(confusion, tiny))[labels.annotator, :, labels.value]  # (N, V)
    n_units = len(labels.units)
    log_posterior = np.stack(
        [np.bincount(labels.unit, weights=column, minlength=n_units) for column in evidence.T],
        axis=1,
    ) + np.log(np.maximum(prior, tiny))
    log_posterior -= log_posterior.max(axis=1, keepdims=True, initial=-np.inf)
    posterior = np.exp(log_posterior)
    return posterior / posterior.sum(axis=1, keepdims=True)
