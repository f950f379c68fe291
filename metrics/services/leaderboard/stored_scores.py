"""The usual leaderboard from stored scores: cells, intervals, bounds and groups at one moment.

A refresh writes all scores of a collection in one transaction, so all scores read at one moment
belong together. Nothing is measured here.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.models import Collection, QuerySet
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.bounds import has_bounds
from metrics.core.measures.measures import Measure, parse, parse_one
from metrics.models import Score
from metrics.services.leaderboard.choices.choices import JUDGED, LeaderboardSpec
from metrics.services.leaderboard.decisions import decision_facts
from metrics.services.leaderboard.facts import (
    design_facts,
    facts_on_samples,
    gallery_facts,
    group_facts,
    judged_at,
)
from metrics.services.samples.estimates import EstimateKind
from metrics.services.scores import measuring
from metrics.services.scores.labels import n_propagated, scope_of
from metrics.services.scores.query_groups import groups_of
from pooling.models import Run

BOUNDED_NAMES = [measure.name for measure in measuring.BOUNDED]
Key = tuple[int, bool, str]  # the run, whether under the reference alone, the measure
FIELDS = (
    "mean",
    "mean_with_positive",
    "low",
    "high",
    "best",
    "n_queries",
    "n_missing",
    "n_with_positive",
    "n_gallery",
    "gallery_at",
)


def stored_bounds(measure: str, score: dict[str, Any]) -> dict[str, float | None]:
    """The bounds of a stored score as JSON.

    Both are None for a measure outside BOUNDED_NAMES, and for a score without `best`, as those by a
    reference set's labels alone.
    """
    if measure not in BOUNDED_NAMES or score["best"] is None:
        return {"least": None, "most": None}
    return {"least": score["mean"], "most": score["best"]}


def measures_without_bounds(names: Sequence[str], *, is_stored: bool) -> str:
    """Name the measures without bounds and the reason: "AP: only where ...".

    Empty if all have bounds.
    """
    unknown_bounds = [name for name in names if not has_bounds(parse_one(name))]
    unstored_bounds, reasons = [], []
    if is_stored:
        unstored_bounds = [name for name in names if name not in (*unknown_bounds, *BOUNDED_NAMES)]
    if unstored_bounds:
        unstored_names = ", ".join(unstored_bounds)
        reasons.append(f"{unstored_names}: only where measures are chosen, as theirs are not kept")
    if unknown_bounds:
        reasons.append(f"{', '.join(unknown_bounds)}: none are known")
    return "; ".join(reasons)


class StoredScores:
    """The stored scores of one query set, as the source of a table."""

    def __init__(
        self,
        *,
        collection: Collection,
        spec: LeaderboardSpec,
        query_set: QuerySet,
        runs: Sequence[Run],
    ) -> None:
        source = LabelSource.parse(spec.label_source)
        rows = Score.objects.filter(
            run__in=runs,
            query_set=query_set,
            threshold=spec.threshold,
            label_source__in=source.with_reference,
        )
        self._wanted, self._query_set = spec, query_set
        self._scope = scope_of(query_set=query_set)
        self._groups = groups_of(
            collection=collection, direction=self._scope.direction, sources=self._scope.sources
        )
        self._facts: dict[Key, dict[str, Any]] = {}
        self._keys: dict[Key, int] = {}
        for row in rows.values("pk", "run", "label_source", "measure", *FIELDS):
            key = row["run"], row["label_source"] != spec.label_source, row["measure"]
            self._facts[key], self._keys[key] = row, row["pk"]
        self.runs = [
            run
            for run in runs
            if all((run.pk, False, name) in self._facts for name in measuring.NAMES)
        ]

    def per_query(self, measure: str, runs: Sequence[Run]) -> NDArray[np.float64]:
        """(Q, S) values of runs that have scores, in the order of the query set."""
        keys = [self._keys[run.pk, False, measure] for run in runs]
        values_by_key = dict(Score.objects.filter(pk__in=keys).values_list("pk", "per_query"))
        columns = [np.frombuffer(values_by_key[key], dtype="<f8") for key in keys]
        return np.stack(columns, axis=1) if columns else np.zeros((0, 0))

    def n_missing(self, runs: Sequence[Run]) -> list[int]:
        """Count the queries that each of the runs misses; the runs need scores."""
        return [self._fact(run, JUDGED)["n_missing"] for run in runs]

    def summary(self) -> dict[str, Any]:
        """Return the numbers of one direction's page as JSON; see measuring.summary."""
        judged_facts = [self._fact(run, JUDGED) for run in self.runs]
        keys = [run.pk for run in self.runs]
        return {
            "query_set": self._query_set.pk,
            "n_queries": judged_facts[0]["n_queries"] if judged_facts else 0,
            "n_positive": int(self.per_query(measuring.N_POSITIVE, self.runs[:1]).sum()),
            "gallery": gallery_facts(judged_facts[0]["n_gallery"], judged_facts[0]["gallery_at"])
            if judged_facts
            else None,
            "groups": group_facts(collection=self._query_set.collection, scope=self._scope),
            "undrawn": None,
            "n_propagated": n_propagated(collection=self._query_set.collection, scope=self._scope)
            if LabelSource.parse(self._wanted.label_source).has_people
            else 0,
            "runs": keys,
            "n_missing": self.n_missing(self.runs),
            "judged": [fact["mean"] for fact in judged_facts],
            "measures": [
                facts_on_samples(self._measure(measure, keys), kind=EstimateKind.EXACT)
                for measure in parse(" ".join(self._wanted.measures))
            ],
        }

    def _measure(self, measure: Measure, keys: list[int]) -> dict[str, Any]:
        values = self.per_query(measure.name, self.runs)
        return {
            "name": measure.name,
            "judged_at": judged_at(measure),
            "smaller_is_better": measure.entry.smaller_is_better,
            "cells": [
                self._cell(measure, run, run_values)
                for run, run_values in zip(self.runs, values.T, strict=True)
            ],
            "decided": decision_facts(
                measure,
                values,
                keys,
                groups=self._groups,
                method=self._wanted.method,
                n_measures=len(self._wanted.measures),
            ),
        }

    def _cell(self, measure: Measure, run: Run, values: NDArray[np.float64]) -> dict[str, Any]:
        whole = self._fact(run, measure.name)
        reference = self._facts.get((run.pk, True, measure.name))
        return {
            "whole": whole["mean"],
            "reference": reference["mean"] if reference else None,
            "low": whole["low"],
            "high": whole["high"],
            **stored_bounds(measure.name, whole),
            "judged": self._fact(run, f"Judged@{judged_at(measure)}")["mean"],
            "defined": whole["mean_with_positive"],
            "n_defined": whole["n_with_positive"],
            "beyond": None,
            **(
                design_facts(measure, values, self._groups)
                if len(values) == self._groups.n_queries
                else {}
            ),
        }

    def _fact(self, run: Run, measure: str) -> dict[str, Any]:
        return self._facts[run.pk, False, measure]
