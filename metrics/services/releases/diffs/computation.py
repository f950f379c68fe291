"""Diffs as kept values: two releases give the same for ever, the present another with its labels.

The value is JSON; see `compute`.
"""

import hashlib
from collections import Counter
from datetime import timedelta
from typing import Any, NamedTuple

from annotate.models import Kept
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.measures import parse_one
from metrics.core.releases.diffs.label_changes import PAIR, PERSON_AND_PAIR, label_changes
from metrics.core.releases.diffs.score_changes import score_changes, swaps
from metrics.core.releases.manifest import ScoreEntry
from metrics.models import Release
from metrics.services.leaderboard.computation import version_of
from metrics.services.releases.diffs.states import State, present_state, released_state
from metrics.services.releases.diffs.swap_tests import swap_tests

KIND = "release-diff"
RULES = "1"  # changes when the same two sides would give another value
REFRESH_AFTER = timedelta(minutes=10)
MAX_AGE = timedelta(days=1)
MAX_VALUES = 40  # of a collection; the oldest are deleted
SIDES = ("before", "after")
SCORE_FIELDS = ("threshold", "mean", "low", "high", "n_queries")


class DiffRequest(NamedTuple):
    """A diff under a label source, from a release to a later one; after : None for the present."""

    before: Release
    after: Release | None
    source: LabelSource

    @property
    def sides(self) -> tuple[str, str]:
        """The names of both sides on pages and in files."""
        return self.before.version, "now" if self.after is None else self.after.version

    def file_name(self, table: str) -> str:
        """The name of one of its files."""
        return f"{self.before.collection.slug}-{'-'.join(self.sides)}-{table}.csv"

    @property
    def inquiry(self) -> Inquiry:
        """The inquiry whose value is this diff."""
        parameters = {
            "before": self.before.pk,
            "after": None if self.after is None else self.after.pk,
            "label_source": self.source.key,
        }
        key = hashlib.sha256(f"{RULES} {[*parameters.values()]}".encode()).hexdigest()
        return Inquiry(self.before.collection, KIND, key, parameters)


def _version(inquiry: Inquiry) -> str:
    """Releases never change; the present changes with its labels and scores, and names of runs."""
    if inquiry.parameters["after"] is not None:
        return RULES
    return version_of(collection=inquiry.collection)


@kept.keeps(KIND, version=_version, fresh_for=REFRESH_AFTER, drop_after=MAX_AGE, at_most=MAX_VALUES)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute a diff.

    grades, labels : how many have which grade before and after, how many are added, removed,
        changed
    queries, people : of each the name, and its changes of grades or labels; of a person also all
        her labels before and after
    scores : board, run, and threshold, mean, ends of its interval and queries on either side
    swaps : board, both runs, differences before and after, whether each is decided (None: untested)
    untested : board, side, and why no test was made
    """
    collection, parameters = inquiry.collection, inquiry.parameters
    source = LabelSource.parse(parameters["label_source"])
    before, after = (
        present_state(collection=collection, source=source)
        if key is None
        else released_state(release=Release.objects.get(pk=key), source=source)
        for key in (parameters["before"], parameters["after"])
    )
    progress.advance(job=inquiry.job, n_done=1, total=3, unit="steps")
    value = _label_facts(before, after)
    progress.advance(job=inquiry.job, n_done=2, total=3, unit="steps")
    return Computed(value | _score_facts(before, after))


def _label_facts(before: State, after: State) -> dict[str, Any]:
    grades = label_changes(before.grades, after.grades, keys=PAIR)
    labels = label_changes(before.labels, after.labels, keys=PERSON_AND_PAIR)
    n_labels = [_counts_of_people(state) for state in (before, after)]
    return {
        "grades": {"counts": grades.grades, "whole": grades.whole[1:]},
        "labels": {"counts": labels.grades, "whole": labels.whole[1:]},
        "queries": grades.counts_by("query"),
        "people": [
            [*counts, *(counter[counts.name] for counter in n_labels)]
            for counts in labels.counts_by("annotator")
        ],
        "agreement": [before.agreement, after.agreement],
    }


def _counts_of_people(state: State) -> Counter[str]:
    rows = state.labels["annotator"].value_counts().to_pylist()
    return Counter({row["values"]: row["counts"] for row in rows})


def _score_facts(before: State, after: State) -> dict[str, Any]:
    changes = score_changes(before.scores, after.scores)
    measures = {name: parse_one(name) for name in {change.key.board.measure for change in changes}}
    pairs = swaps(
        # how much of its top is judged makes no system better
        [row for row in changes if measures[row.key.board.measure].family != "Judged"],
        smaller_is_better={
            name: measure.entry.smaller_is_better for name, measure in measures.items()
        },
    )
    tests = swap_tests(pairs, before, after)
    keys = dict.fromkeys([*after.run_names, *before.run_names])
    return {
        "runs": {key: [before.run_names.get(key), after.run_names.get(key)] for key in keys},
        "scores": [
            [*change.key.board, change.key.run, _score(change.before), _score(change.after)]
            for change in changes
        ],
        "swaps": [
            [*pair.board, *pair[1:], *(test.is_decided(pair) for test in tests[pair.board])]
            for pair in pairs
        ],
        "untested": [
            [*board, side, test.why]
            for board, board_tests in tests.items()
            for side, test in zip(SIDES, board_tests, strict=True)
            if test.why
        ],
    }


def _score(entry: ScoreEntry | None) -> list[Any] | None:
    """The fields of SCORE_FIELDS; None without a score."""
    return None if entry is None else [getattr(entry, name) for name in SCORE_FIELDS]
