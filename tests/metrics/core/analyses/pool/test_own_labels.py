"""Scores without the labels that one run or team alone brought: by trec_eval's code and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.core.analyses.pool.own_labels import unique_labels, without_own_labels
from metrics.core.measures import measures
from metrics.core.measures.alignment import align
from metrics.core.pools.partial_labels import LabelsByOrigin
from metrics.core.statistics.groups import Groups
from pooling.core.likeness.rankings import Rankings
from tests.metrics.core.analyses.pool import trec
from tests.sizes import cases

N_QUERIES, N_TARGETS, DEPTH = 5, 7, 2
MEASURES = measures.parse("C@1 AP")
PAIR = st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, N_TARGETS - 1))
RUN = st.lists(st.permutations(range(N_TARGETS)), min_size=N_QUERIES, max_size=N_QUERIES)
WORLDS = st.fixed_dictionaries(
    {
        "runs": st.lists(RUN, min_size=2, max_size=4),
        "teams": st.lists(st.integers(0, 1), min_size=4, max_size=4),
        "people": st.dictionaries(PAIR, st.integers(0, 2), min_size=1, max_size=20),
        "reference": st.dictionaries(PAIR, st.integers(0, 2), max_size=4),
        "hidden": st.sets(PAIR, max_size=3),
    }
)


def losses_of(world, *, threshold=1):
    """The losses of all runs; pairs that are `hidden` are labels that are not counted."""
    pairs = sorted({*world["people"], *world["reference"]})
    labels = LabelsByOrigin(
        *np.array(pairs).T,
        *(
            np.array([world[origin].get(pair, np.nan) for pair in pairs], dtype=float)
            for origin in ("people", "reference")
        ),
    )
    ranked = [
        align(
            Rankings(np.arange(N_QUERIES + 1) * N_TARGETS, np.concatenate(run)), labels.as_labels()
        )
        for run in world["runs"]
    ]
    return without_own_labels(
        enumerate(ranked),
        labels,
        np.array([[brought(run, pair) for pair in pairs] for run in world["runs"]]),
        teams=world["teams"][: len(ranked)],
        is_counted=np.array([pair not in world["hidden"] for pair in pairs]),
        measures=MEASURES,
        threshold=threshold,
        groups=Groups.single(N_QUERIES),
    )


def brought(run, pair):
    query, target = pair
    return target in run[query][:DEPTH]


def brought_alone(world, member):
    """People's labels that members brought and no other run did; member : of each run."""
    inside = [run for run, is_member in zip(world["runs"], member, strict=True) if is_member]
    outside = [run for run, is_member in zip(world["runs"], member, strict=True) if not is_member]
    return {
        pair
        for pair in world["people"]
        if any(brought(run, pair) for run in inside)
        and not any(brought(run, pair) for run in outside)
    }


@pytest.mark.parametrize("threshold", [1, 2])
@cases(150)
@given(world=WORLDS)
def test_numbers_are_those_of_trec_eval_on_fewer_labels(threshold, world):
    everything = world["reference"] | world["people"]
    queries = [dict(enumerate(run)) for run in world["runs"]]
    with_all = [trec.values(everything, run, threshold=threshold) for run in queries]
    n_runs = len(world["runs"])
    teams = world["teams"][:n_runs]
    for loss in losses_of(world, threshold=threshold):
        name, own = loss.measure, loss.run
        whole = list(with_all[own][name].values())
        assert loss.score == pytest.approx(np.mean(whole), abs=1e-12)
        assert loss.n_brought == sum(
            brought(world["runs"][own], pair) for pair in world["people"].keys() - world["hidden"]
        )
        for part, member in (
            (loss.without_run, [row == own for row in range(n_runs)]),
            (loss.without_team, [team == teams[own] for team in teams]),
        ):
            alone = brought_alone(world, member)
            counted = alone - world["hidden"]
            positive = [pair for pair in counted if world["people"][pair] >= threshold]
            assert (part.n, part.n_positive) == (len(counted), len(positive))
            labels = world["reference"] | {
                pair: grade for pair, grade in world["people"].items() if pair not in alone
            }
            left = trec.values(labels, queries[own], threshold=threshold)[name]
            assert part.value == pytest.approx(np.mean(list(left.values())), abs=1e-12)
            change = np.array(whole) - np.array(list(left.values()))
            assert part.loss == pytest.approx(change.mean(), abs=1e-12)
            better = [
                row
                for row in range(n_runs)
                if row != own and np.mean(list(with_all[row][name].values())) > part.value + 1e-12
            ]
            assert part.rank == 1 + len(better)
            if np.ptp(change) > 1e-9:
                expected = stats.t.interval(
                    0.95, N_QUERIES - 1, loc=change.mean(), scale=stats.sem(change)
                )
                assert tuple(part.interval) == pytest.approx(expected, abs=1e-9)
            else:
                assert part.interval == (None, None)


def test_a_team_brought_alone_what_its_runs_share():
    is_brought = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1]], dtype=bool)
    assert unique_labels(is_brought, range(3)).tolist() == [
        [False, True, False, False],
        [False, False, False, False],
        [False, False, False, True],
    ]
    by_team = unique_labels(is_brought, [0, 0, 1])
    assert by_team[0].tolist() == by_team[1].tolist() == [True, True, False, False]


def test_a_rank_is_better_when_smaller():
    world = {
        "runs": [[list(range(N_TARGETS))] * N_QUERIES, [[1, 2, 0, 3, 4, 5, 6]] * N_QUERIES],
        "teams": [0, 1],
        "people": {(query, target): 1 for query in range(N_QUERIES) for target in (0, 3)},
        "reference": {},
        "hidden": set(),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "MEASURES", measures.parse("MeanR"))
        first, second = losses_of(world)
    assert (first.score, first.rank, first.without_run.value) == (1, 1, 4)
    assert (first.without_run.loss, first.without_run.rank) == (3, 2)
    assert (second.score, second.rank, second.without_run.loss) == (3, 2, 0)
