"""Moves of scores by the number of pooled runs: by trec_eval's code on each subset's labels."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.pool.bias_by_size import bias_by_size, pool_choices
from metrics.core.measures import measures
from metrics.core.measures.alignment import align
from metrics.core.pools.partial_labels import LabelsByOrigin, subsets
from metrics.core.statistics.groups import Groups
from pooling.core.likeness.rankings import Rankings
from tests.metrics.core.analyses.pool import trec
from tests.sizes import cases

N_QUERIES, N_TARGETS, DEPTH = 4, 6, 2
PAIR = st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, N_TARGETS - 1))
RUN = st.lists(st.permutations(range(N_TARGETS)), min_size=N_QUERIES, max_size=N_QUERIES)


def biases_of(runs, people, reference, *, measure, teams=()):
    pairs = sorted({*people, *reference})
    columns = [
        np.array([grades.get(pair, np.nan) for pair in pairs], dtype=float)
        for grades in (people, reference)
    ]
    labels = LabelsByOrigin(*np.array(pairs).T, *columns)
    starts = np.arange(N_QUERIES + 1) * N_TARGETS
    return bias_by_size(
        (align(Rankings(starts, np.concatenate(run)), labels.as_labels()) for run in runs),
        labels,
        np.array([[pair in people and brought(run, pair) for pair in pairs] for run in runs]),
        choices=pool_choices(
            subsets(len(runs), n_a_size=10, rng=np.random.default_rng(0)),
            subsets(len(set(teams)), n_a_size=10, rng=np.random.default_rng(0)),
            teams,
        ),
        measure=measures.parse_one(measure),
        threshold=1,
        groups=Groups.single(N_QUERIES),
    )


def brought(run, pair):
    return pair[1] in run[pair[0]][:DEPTH]


def moves_of(runs, people, reference, members, *, measure):
    """How far each run moves with what these members, and no run at all, brought alone."""

    def score(run, labels):
        return np.mean(list(trec.values(labels, dict(enumerate(run)))[measure].values()))

    some = {
        pair: grade
        for pair, grade in people.items()
        if any(brought(runs[row], pair) for row in members)
        or not any(brought(run, pair) for run in runs)
    }
    return [abs(score(run, reference | some) - score(run, reference | people)) for run in runs]


def assert_means(bias, inside, outside):
    assert bias.bias == pytest.approx(np.mean(inside + outside), abs=1e-12)
    assert bias.self_bias == pytest.approx(np.mean(inside), abs=1e-12)
    if outside:
        assert bias.non_self_bias == pytest.approx(np.mean(outside), abs=1e-12)
    else:
        assert bias.non_self_bias is None
        assert bias.bias == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("measure", ["C@1", "AP"])
@cases(60)
@given(
    runs=st.lists(RUN, min_size=2, max_size=3),
    people=st.dictionaries(PAIR, st.integers(0, 1), min_size=1, max_size=14),
    reference=st.dictionaries(PAIR, st.integers(0, 1), max_size=3),
)
def test_every_subset_is_scored_by_its_own_labels(measure, runs, people, reference):
    biases = biases_of(runs, people, reference, measure=measure)
    assert [bias.size for bias in biases] == list(range(1, len(runs) + 1))
    for bias in biases:
        inside, outside = [], []
        chosen = list(combinations(range(len(runs)), bias.size))
        for members in chosen:
            moves = moves_of(runs, people, reference, members, measure=measure)
            for row, move in enumerate(moves):
                (inside if row in members else outside).append(move)
        assert (bias.by_team, bias.n_subsets, bias.n_runs) == (False, len(chosen), bias.size)
        assert_means(bias, inside, outside)


@cases(40)
@given(
    runs=st.lists(RUN, min_size=4, max_size=4),
    teams=st.sampled_from([[0, 0, 1, 1], [0, 1, 0, 2], [0, 1, 1, 1]]),
    people=st.dictionaries(PAIR, st.integers(0, 1), min_size=4, max_size=14),
    reference=st.dictionaries(PAIR, st.integers(0, 1), max_size=3),
)
def test_every_subset_of_teams_has_what_all_of_their_runs_brought(runs, teams, people, reference):
    biases = biases_of(runs, people, reference, measure="AP", teams=teams)
    alone = biases_of(runs, people, reference, measure="AP")
    assert [bias for bias in biases if not bias.by_team] == alone
    by_team = biases[len(alone) :]
    n_teams = len(set(teams))
    assert [bias.size for bias in by_team] == list(range(1, n_teams + 1))
    for bias in by_team:
        inside, outside, n_runs = [], [], []
        for chosen in combinations(range(n_teams), bias.size):
            members = [row for row, team in enumerate(teams) if team in chosen]
            n_runs.append(len(members))
            for row, move in enumerate(moves_of(runs, people, reference, members, measure="AP")):
                (inside if row in members else outside).append(move)
        assert (bias.n_subsets, bias.n_runs) == (len(n_runs), np.mean(n_runs))
        assert_means(bias, inside, outside)


def test_a_rank_that_is_not_known_leaves_its_subset_out():
    runs = [[list(range(N_TARGETS))] * N_QUERIES, [list(range(N_TARGETS))[::-1]] * N_QUERIES]
    people = {(query, target): 1 for query in range(N_QUERIES) for target in (0, 5)}
    assert [bias.n_subsets for bias in biases_of(runs, people, {}, measure="MeanR")] == [2, 1]
    del people[0, 0], people[0, 5]
    assert all(np.isfinite(bias.bias) for bias in biases_of(runs, people, {}, measure="MeanR"))
