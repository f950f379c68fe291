"""Pooling large sets of runs, beside pandas and trectools in the same process.

    python tests/benchmarks/pools/pools.py [--repeats 5] [--only fire,trec]

Every tool gets the runs in its own form, ready in memory, and gives the pairs of the pool. pandas
gets integer keys, as we do, and also ids as text, as in run files; trectools takes text only.
"-": not installed.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from pooling.core.likeness.likeness import likeness
from pooling.core.strategies.selections import Material, RankedPairs
from pooling.core.strategies.strategies import choose

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    from trectools import TrecPoolMaker, TrecRun
except ImportError:
    TrecPoolMaker = None


def make_runs(n_runs: int, n_sources: int, depth: int, n_targets: int) -> list[RankedPairs]:
    """Runs that agree about as much as systems do: the tops of one hidden score with noise."""
    rng = np.random.default_rng(7)
    runs = [[] for _ in range(n_runs)]
    for _ in range(n_sources):
        hidden = np.sort(rng.normal(size=min(n_targets, 4 * depth)))
        names = rng.choice(n_targets, len(hidden), replace=False)
        for targets in runs:
            noisy = hidden + rng.normal(0, 0.5, len(hidden))
            targets.append(names[np.argsort(-noisy)[:depth]])
    source = np.repeat(np.arange(n_sources), depth)
    rank = np.tile(np.arange(1, depth + 1), n_sources)
    starts = np.arange(n_sources + 1) * depth  # as read from the database
    return [RankedPairs(source, np.concatenate(targets), rank, None, starts) for targets in runs]


def median_seconds(repeats: int, work: Callable[[], object]) -> float:
    """Median processor seconds of the work."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()  # nothing here waits, and other programs may run
        work()
        seconds.append(time.process_time() - start)
    return median(seconds)


def frames(runs: list[RankedPairs], *, as_text: bool) -> list:
    """The runs as pandas data frames."""
    frame_list = []
    for run in runs:
        frame = pd.DataFrame({"query": run.source, "docid": run.target, "rank": run.rank})
        if as_text:
            frame["docid"] = "doc" + frame["docid"].astype(str)
        frame_list.append(frame)
    return frame_list


def pandas_union(runs: list, depth: int) -> object:
    """The pool with the best rank of each pair."""
    pooled = pd.concat([run[run["rank"] <= depth] for run in runs])
    return pooled.groupby(["query", "docid"], sort=False)["rank"].min()


def pandas_fusion(runs: list, depth: int, n: int) -> object:
    """The n best pairs of each query by reciprocal rank fusion."""
    pooled = pd.concat([run[run["rank"] <= depth] for run in runs])
    pooled["score"] = 1 / (60 + pooled["rank"])
    score = pooled.groupby(["query", "docid"], sort=False)["score"].sum().reset_index()
    return score.sort_values(["query", "score"], ascending=[True, False]).groupby("query").head(n)


def trec_runs(texts: list) -> list:
    """The runs as trectools objects."""
    trec_run_list = []
    for number, frame in enumerate(texts):
        run = TrecRun()
        run.load_run_from_dataframe(
            frame.assign(q0="Q0", score=-frame["rank"], system=f"s{number}")[
                ["query", "q0", "docid", "rank", "score", "system"]
            ]
        )
        trec_run_list.append(run)
    return trec_run_list


def compare(
    title: str, runs: list[RankedPairs], depth: int, repeats: int, *, with_trectools: bool = True
) -> None:
    """Print one table.

    with_trectools : whether trectools takes part; its time grows faster than the queries
    """
    material = Material(runs)
    rows = [
        (f"depth-{depth} pool", "depth-k", {"depth": depth}, pandas_union, {"topX": depth}),
        (
            "take 10 by RRF",
            "take-n",
            {"n": 10, "depth": depth},
            lambda run_frames, k: pandas_fusion(run_frames, k, 10),
            {"strategy": "rrf", "topX": 10},
        ),
    ]
    peers = _peers(runs, with_trectools)
    print(f"\n{title}: {sum(len(run.rank) for run in runs):,} results")
    print(
        f"{'work':<18}{'pairs':>9}{'ours, s':>10}"
        + "".join(f"{name + ', s':>20}{'x':>7}" for name in peers)
    )
    for name, strategy, values, by_pandas, by_trectools in rows:
        n_pairs = len(choose(strategy, material, values, seed=1).source)
        ours = median_seconds(repeats, lambda s=strategy, v=values: choose(s, material, v, seed=1))
        cells = ""
        for peer, peer_runs in peers.items():
            if peer_runs is None:
                cells += f"{'-':>20}{'':>7}"
                continue
            if peer == "trectools":
                theirs = median_seconds(
                    1,
                    lambda i=peer_runs, options=by_trectools: TrecPoolMaker().make_pool(
                        i, **options
                    ),
                )
            else:
                theirs = median_seconds(
                    max(1, repeats // 2), lambda i=peer_runs, work=by_pandas: work(i, depth)
                )
            cells += f"{theirs:>20.3f}{theirs / ours:>7.0f}"
        print(f"{name:<18}{n_pairs:>9,}{ours:>10.4f}{cells}")
    shallow = [RankedPairs(*(column[run.rank <= depth] for column in run[:3])) for run in runs]
    print(
        "how alike all runs are, all measures: "
        f"{median_seconds(1, lambda: likeness(shallow, k=10, p=0.9)):.2f} s"
    )


def _peers(runs: list[RankedPairs], with_trectools: bool) -> dict[str, list | None]:
    if pd is None:
        return {"pandas": None, "pandas, text": None, "trectools": None}
    texts = frames(runs, as_text=True)
    trectools_runs = trec_runs(texts) if TrecPoolMaker is not None and with_trectools else None
    return {
        "pandas": frames(runs, as_text=False),
        "pandas, text": texts,
        "trectools": trectools_runs,
    }


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="trec,fire")
    options = parser.parse_args()
    if "trec" in options.only:
        compare(
            "100 runs x 50 topics x 1,000", make_runs(100, 50, 1000, 500_000), 100, options.repeats
        )
    if "fire" in options.only:
        compare(
            "3 runs x 27,763 queries x 10",
            make_runs(3, 27_763, 10, 27_763),
            10,
            options.repeats,
            with_trectools=False,
        )
        compare("3 runs x 2,776 queries x 10", make_runs(3, 2_776, 10, 27_763), 10, options.repeats)


if __name__ == "__main__":
    main()
