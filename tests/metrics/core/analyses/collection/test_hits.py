"""Hits of two runs by length: against a recount, and intervals against statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.collection.hits import HIT_KINDS, RunHits, hits_by_length
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

QUERY = st.tuples(st.integers(1, 30) | st.integers(1, 900), st.booleans(), st.booleans())
LENGTHS = recounts.lengths(0, 400, mean=60)


def hits(seed: int, n: int = 400, name: str = "labels") -> RunHits:
    """The first run is right more often, and where it is so is the second more often."""
    rng = np.random.default_rng(seed)
    first = rng.random(n) < 0.7
    return RunHits(name, first, rng.random(n) < np.where(first, 0.5, 0.2))


def kind_of(first: bool, second: bool) -> str:
    if first and second:
        return "both"
    if first:
        return "first"
    return "second" if second else "neither"


def members(n_characters, source: RunHits) -> list[list[list[int]]]:
    """Of each bin and, last, of all queries those of each kind."""
    edges = recounts.bin_edges(n_characters, n_bins=8, least=1)
    everything = (1, None)
    rows = list(zip(n_characters, source.first, source.second, strict=True))
    return [
        [
            [
                q
                for q, (length, first, second) in enumerate(rows)
                if recounts.holds(edge, length) and kind_of(first, second) == name
            ]
            for name in ("both", "first", "second", "neither")
        ]
        for edge in [*edges, everything]
    ]


@cases(200)
@given(st.lists(QUERY, min_size=1, max_size=80))
def test_hits_are_those_of_a_recount_and_intervals_wilsons(queries):
    n_characters, first, second = (list(column) for column in zip(*queries, strict=True))
    source = RunHits("labels", np.array(first), np.array(second))
    ours = hits_by_length(np.array(n_characters), [source], groups=Groups.single(len(queries)))
    edges = recounts.bin_edges(n_characters, n_bins=8, least=1)
    assert ours.labels == [recounts.label(edge) for edge in edges]
    (counts,) = ours.sources
    expected = members(n_characters, source)
    assert len(counts.by_bin) == len(edges)
    for group, by_kind in zip([*counts.by_bin, counts.whole], expected, strict=True):
        n = sum(map(len, by_kind))
        if not n:
            assert group is None
            continue
        assert group is not None and group.n == n
        assert [share.n for share in group.shares] == list(map(len, by_kind))
        assert sum(share.share for share in group.shares) == pytest.approx(1, abs=1e-12)
        for share in group.shares:
            assert share.share == pytest.approx(share.n / n, abs=1e-12)
            wilson = proportion_confint(share.n, n, method="wilson")
            assert share.interval == (pytest.approx(wilson, abs=1e-9) if n > 1 else NO_INTERVAL)
    assert counts.whole.n == len(queries)
    lead = [int(a) - int(b) for a, b in zip(first, second, strict=True)]
    (gain,) = ours.gains
    assert gain.n == len(queries)
    if len(set(n_characters)) == 1 or len(set(lead)) == 1:
        assert gain.value is None
    else:
        assert gain.value == pytest.approx(stats.spearmanr(n_characters, lead).statistic, abs=1e-9)


def test_the_lead_is_of_the_run_that_alone_is_right():
    source = RunHits("labels", np.array([1, 1, 0, 0]) > 0, np.array([1, 0, 1, 0]) > 0)
    assert source.lead.tolist() == [0, 1, -1, 0]


def test_the_kind_of_a_query_is_one_of_four_in_their_order():
    source = RunHits("labels", np.array([1, 1, 0, 0]) > 0, np.array([1, 0, 1, 0]) > 0)
    assert HIT_KINDS == ("both", "first", "second", "neither")
    assert source.kinds.tolist() == np.eye(4, dtype=bool).tolist()


def test_over_groups_shares_have_weights_and_intervals_those_of_means():
    group = np.arange(400) // 4
    weight = np.where(np.arange(400) % 3 == 0, 5.0, 1.0)
    groups, source = Groups.of(group, weight=weight), hits(1)
    (ours,) = hits_by_length(LENGTHS, [source], groups=groups).sources
    expected = members(LENGTHS.tolist(), source)
    n_different = 0
    for part, by_kind in zip([*ours.by_bin, ours.whole], expected, strict=True):
        among = np.isin(np.arange(400), [q for own in by_kind for q in own])
        for share, own in zip(part.shares, by_kind, strict=True):
            values = np.isin(np.flatnonzero(among), own).astype(float)
            mean = recounts.weighted_mean(values.tolist(), weight[among].tolist())
            assert share.share == pytest.approx(mean, abs=1e-12)
            assert share.n == len(own)
            (interval,) = mean_intervals(
                values[None, :],
                are_shares=True,
                groups=Groups.of(group[among], weight=weight[among]),
            )
            assert share.interval == pytest.approx(interval, abs=1e-12)
            n_different += abs(share.share - share.n / part.n) > 0.01
        assert sum(share.share for share in part.shares) == pytest.approx(1, abs=1e-12)
    assert n_different > 5


def test_every_source_has_its_own_hits_in_the_same_bins():
    sources = [hits(seed, name=f"labels {seed}") for seed in (2, 3)]
    ours = hits_by_length(LENGTHS, sources, groups=Groups.single(400))
    assert [counts.name for counts in ours.sources] == ["labels 2", "labels 3"]
    for source, counts in zip(sources, ours.sources, strict=True):
        alone = hits_by_length(LENGTHS, [source], groups=Groups.single(400))
        assert alone.sources == [counts]
        assert alone.labels == ours.labels


def test_a_bin_without_queries_has_no_binned_hits():
    source = RunHits("labels", np.array([True, True]), np.array([True, False]))
    ours = hits_by_length(np.array([1, 8]), [source], groups=Groups.single(2))
    assert ours.labels == [str(length) for length in range(1, 9)]
    by_length = ours.sources[0].by_bin
    assert [part and part.n for part in by_length] == [1, *[None] * 6, 1]
    ours = hits_by_length(np.array([1, 9]), [source], groups=Groups.single(2))
    assert ours.labels[0] == "1 to 2"


def test_runs_that_change_names_change_binned_hits():
    source = hits(4)
    turned = RunHits("labels", source.second, source.first)
    ours = hits_by_length(LENGTHS, [source, turned], groups=Groups.single(400))
    as_named, as_turned = (counts.whole.shares for counts in ours.sources)
    assert [as_turned[k] for k in (0, 2, 1, 3)] == as_named
    assert as_named[1].n > as_named[2].n + 50
