"""Diffs as kept values: two releases give the same for ever, the present another with its labels.

The value is JSON; see `compute`.
"""

import gzip
import hashlib
from base64 import b64encode
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
from metrics.services.releases.diffs.changed_labels import LINES
from metrics.services.releases.diffs.states import (
    ArchiveMissing,
    State,
    present_run_names,
    present_state,
    released_state,
)
from metrics.services.releases.diffs.swap_tests import swap_tests

KIND = "release-diff"
RULES = "1"  # changes when the same two sides would give another value
REFRESH_AFTER = timedelta(minutes=10)
RETRY_AFTER = timedelta(minutes=1)  # an archive may be put back
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

    def inquiry(self, table: str = "") -> Inquiry:
        """The inquiry whose value is this diff, or one of its tables of LINES.

        The present is another one when its runs, or their names, are others: nobody sees the old
        value of a run that was hidden since.
        """
        parameters: dict[str, Any] = {
            "before": self.before.pk,
            "after": None if self.after is None else self.after.pk,
            "label_source": self.source.key,
            "table": table,
        }
        names = present_run_names(collection=self.before.collection) if self.after is None else {}
        key = hashlib.sha256(f"{RULES} {[*parameters.values()]} {names}".encode()).hexdigest()
        return Inquiry(self.before.collection, KIND, key, parameters)


def version_of_diff(inquiry: Inquiry) -> str:
    """Releases never change; the present changes with its labels and scores."""
    if inquiry.parameters["after"] is not None:
        return RULES
    return version_of(collection=inquiry.collection)


@kept.keeps(KIND, version=version_of_diff, drop_after=MAX_AGE, at_most=MAX_VALUES)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute a diff, or one of its tables of LINES; `reason` says why there is none.

    grades, labels : how many have which grade before and after, how many are added, removed,
        changed
    queries, people : of each the name, and its changes of grades or labels; of a person also all
        her labels before and after
    runs : the names that both sides give each; scores_wait : whether labels came after the scores
    query_sets : direction and name of those that have other items on the other side
    scores : board, run, and threshold, mean, ends of its interval and queries on either side
    swaps : board, both runs, differences before and after, whether each is decided (None: untested)
    tests : board, side, method of the test, and why no test was made
    """
    parameters = inquiry.parameters
    releases = Release.objects.in_bulk([parameters["before"], parameters["after"] or 0])
    versions = [row.version for row in releases.values() if row.withdrawn_at is not None]
    if versions:
        return Computed({"reason": f"Release {versions[0]} is withdrawn."})
    diff = DiffRequest(
        releases[parameters["before"]],
        releases.get(parameters["after"] or 0),
        LabelSource.parse(parameters["label_source"]),
    )
    try:
        value = _lines(diff, parameters["table"]) if parameters["table"] else _value(diff, inquiry)
    except ArchiveMissing as error:
        return Computed({"reason": str(error)}, fresh_for=RETRY_AFTER)
    return Computed(value, fresh_for=REFRESH_AFTER if diff.after is None else None)


def _lines(diff: DiffRequest, table: str) -> dict[str, Any]:
    """The lines of a table, packed: there may be hundreds of thousands."""
    lines = LINES[table](diff.before, diff.after, diff.source)
    return {"csv": b64encode(gzip.compress("".join(lines).encode())).decode()}


def _value(diff: DiffRequest, inquiry: Inquiry) -> dict[str, Any]:
    before = released_state(release=diff.before, source=diff.source)
    after = (
        present_state(collection=diff.before.collection, source=diff.source)
        if diff.after is None
        else released_state(release=diff.after, source=diff.source)
    )
    progress.advance(job=inquiry.job, n_done=1, total=3, unit="steps")
    value = _label_facts(before, after)
    progress.advance(job=inquiry.job, n_done=2, total=3, unit="steps")
    return value | _score_facts(before, after)


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
        "scores_wait": before.scores_wait or after.scores_wait,
        "query_sets": sorted(
            key
            for key, checksum in before.query_sets.items()
            if after.query_sets.get(key, checksum) != checksum
        ),
        "runs": {key: [before.run_names.get(key), after.run_names.get(key)] for key in keys},
        "scores": [
            [*change.key.board, change.key.run, _score(change.before), _score(change.after)]
            for change in changes
        ],
        "swaps": [
            [*pair.board, *pair[1:], *(test.is_decided(pair) for test in tests[pair.board])]
            for pair in pairs
        ],
        "tests": [
            [*board, side, test.method, test.why]
            for board, board_tests in tests.items()
            for side, test in zip(SIDES, board_tests, strict=True)
        ],
    }


def _score(entry: ScoreEntry | None) -> list[Any] | None:
    """The fields of SCORE_FIELDS; None without a score."""
    return None if entry is None else [getattr(entry, name) for name in SCORE_FIELDS]
