"""Imports into collections in which much has happened, beside slow oracles.

The oracles keep chains in lists, and resolve pairs one by one.

To see these tests fail: leave a NOT EXISTS out of `bulk_resolutions._SETTLED`, or let `chain_store`
forget what is stored.
"""

from collections import defaultdict
from uuid import uuid5

import numpy as np
import pytest

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.fsck import CHECKS
from annotate.models import Judgment, Level, Resolution, RoundPair, Seat
from annotate.services.collection.collections import change_policy
from annotate.services.imports import chain_store, judgments
from annotate.services.seating import reconcile_pairs
from tests.annotate.core.files.samples import file
from tests.annotate.services.seating.test_bulk_seats import situation, trial
from tests.judgment_imports import import_judgments
from tests.sizes import seeds

pytestmark = pytest.mark.django_db
COLUMNS = JudgmentColumns(time="at")


def situations(seed):
    """A collection, and files for it: lines repeated, labels known, pairs new; some with times."""
    collection, pairs, rng = situation(seed)
    if rng.random() < 0.3:
        change_policy(
            collection=collection, by=None, rule="median", tie=rng.choice(["up", "down", "dispute"])
        )
    queries, documents = (
        sorted({getattr(pair, side).external_id for pair in pairs})
        for side in ("query", "document")
    )
    files, rows = [], []
    for _ in range(3):
        repeated_rows = rng.sample(rows, len(rows) // 2) if rng.random() < 0.5 else rows[:]
        rows = repeated_rows + [
            (
                f"p{rng.randrange(3)}",
                rng.choice(queries[:5]),
                rng.choice(documents[:5]),
                rng.randrange(2),
                rng.choice(["", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5+02:00"]),
            )
            for _ in range(25)
        ]
        files.append(rows)
    return collection, files


def load(collection, rows, name):
    lines = [",".join(map(str, row)) for row in rows]
    return import_judgments(
        collection=collection,
        stream=file("annotator,query,document,grade,at", *lines),
        file_name="a.csv",
        columns=COLUMNS,
        name=name,
    )


def chains(collection):
    """The stored chain of each annotator and pair: grades in order, and the submission ids."""
    chains_ = defaultdict(list)
    names = ("annotator__external_id", "pair__query__external_id", "pair__document__external_id")
    stored = Judgment.objects.filter(collection=collection, purpose="import").order_by("pk")
    for *key, grade, at, submission, before, pk in stored.values_list(
        *names, "level__grade", "at", "submission_id", "supersedes", "pk"
    ):
        chain = chains_[tuple(key)]
        assert before == (chain[-1][-1] if chain else None)
        chain.append((grade, at, submission, pk))
    return chains_


def state():
    """Everything an import decides, without the keys that differ from one trial to the next."""
    pair = ("pair__query__external_id", "pair__document__external_id")
    return (
        sorted(
            map(
                str,
                Resolution.objects.values_list(
                    *pair, "status", "grade", "n_labels", "is_complete", "policy"
                ),
            )
        ),
        sorted(
            map(
                str,
                Seat.objects.values_list(
                    *pair,
                    "purpose",
                    "number",
                    "round__name",
                    "why",
                    "state",
                    "annotator__pseudonym",
                    "judgment__level",
                ),
            )
        ),
        sorted(map(str, RoundPair.objects.values_list(*pair, "round__name", "n_wanted"))),
        sorted(
            map(
                str,
                Judgment.objects.values_list(
                    *pair, "annotator__pseudonym", "level", "submission_id"
                ),
            )
        ),
    )


@pytest.mark.parametrize("seed", seeds(10, by_default=3))
def test_an_import_leaves_the_rows_that_reconciling_pair_by_pair_leaves(seed, monkeypatch):
    collection, files = situations(seed)

    def story():
        states = []
        for number, rows in enumerate(files):
            load(collection, rows, f"import {number % 2}")
            states.append(state())
        return states

    with trial():
        bulk_states = story()
        assert {
            check.name: list(check.find())
            for check in CHECKS
            if not check.notice and list(check.find())
        } == {}
    with monkeypatch.context() as slow, trial():
        slow.setattr(
            judgments,
            "resolve_pairs",
            lambda pairs: reconcile_pairs(pair_ids=np.asarray(pairs).tolist()),
        )
        single_states = story()
    assert bulk_states == single_states


@pytest.mark.parametrize("seed", seeds(4, by_default=2))
def test_stored_chains_grow_as_lists_would(seed):
    collection, files = situations(seed)
    expected_chains = defaultdict(list)
    levels = dict(Level.objects.filter(collection=collection).values_list("grade", "pk"))
    for rows in files:
        file_labels = defaultdict(list)
        for *key, grade, at in rows:
            file_labels[tuple(key)].append((grade, at))
        n_new = 0
        for key, labels in file_labels.items():
            expected_chain = expected_chains[key]
            n_known = max(
                n
                for n in range(len(labels) + 1)
                if agree(expected_chain[len(expected_chain) - n :], labels[:n], n)
            )
            n_new += len(labels) - n_known
            expected_chain += labels[n_known:]
        assert load(collection, rows, "import").n_new == n_new
        stored_chains = chains(collection)
        assert {key: [label[0] for label in chain] for key, chain in stored_chains.items()} == {
            key: [grade for grade, _ in chain] for key, chain in expected_chains.items()
        }
        for key, chain in stored_chains.items():
            for position, ((grade, at, submission, _), (_, text)) in enumerate(
                zip(chain, expected_chains[key], strict=True), start=1
            ):
                words = (collection.slug, *key, position, levels[grade], at if text else "")
                assert submission == uuid5(chain_store.NAMESPACE, "\t".join(map(str, words)))
        counting_judgments = Seat.objects.filter(
            collection=collection, purpose="import", state="done"
        ).values_list("judgment", flat=True)
        assert sorted(counting_judgments) == sorted(
            chain[-1][-1] for chain in stored_chains.values()
        )


def agree(stored, labels, n):
    """True if the last n stored labels are these; a label without a time equals one with any."""
    return len(stored) == n and all(
        old[0] == new[0] and new[1] in ("", old[1]) for old, new in zip(stored, labels, strict=True)
    )
