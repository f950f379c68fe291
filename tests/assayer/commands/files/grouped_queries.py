"""Scores, runs and labels of queries that come in videos, as files."""

from pathlib import Path

import numpy as np

from metrics.core.statistics.groups import Groups

RUNS = ["A", "B", "C"]
QUERIES = [f"q{number}" for number in range(45)]
# 5 videos of 6, 15 alone
VIDEO = {query: f"v{n // 6}" if n < 30 else "" for n, query in enumerate(QUERIES)}
GROUPS = Groups.of([VIDEO[query] or query for query in QUERIES])


def grouped_scores(seed: int) -> np.ndarray:
    """(45, 3) scores that are alike within a video."""
    rng = np.random.default_rng(seed)
    of_group = rng.normal(0.5, 0.2, (GROUPS.n, 3))
    return np.round(of_group[GROUPS.of_query] + rng.normal([0.05, 0, -0.05], 0.1, (45, 3)), 4)


VALUES = grouped_scores(3)


def write_files(folder: Path) -> Path:
    """Fill a folder with files of scores in three forms, and of groups in two forms."""
    table = [
        ",".join([query, *map(str, row)])
        for query, row in zip(QUERIES, VALUES.tolist(), strict=True)
    ]
    lines = [
        (run, query, value, VIDEO[query])
        for query, row in zip(QUERIES, VALUES.tolist(), strict=True)
        for run, value in zip(RUNS, row, strict=True)
    ]
    write(folder / "table.csv", ["query,A,B,C", *table])
    write(
        folder / "rows.tsv",
        ["run\tquery\tvalue\tgroup", *("\t".join(map(str, line)) for line in lines)],
    )
    write(
        folder / "plain.tsv",
        ["run\tquery\tvalue", *("\t".join(map(str, line[:3])) for line in lines)],
    )
    shuffled = np.random.default_rng(0).permutation(len(lines))
    write(
        folder / "shuffled.tsv",
        ["run\tquery\tvalue\tgroup", *("\t".join(map(str, lines[at])) for at in shuffled)],
    )
    write(folder / "groups", [f"{query} {video}" for query, video in VIDEO.items() if video])
    write(
        folder / "all.csv", ["group,query", *(f"{video},{query}" for query, video in VIDEO.items())]
    )
    write(
        folder / "turned.csv",
        ["query,group", *(f"{query},{VIDEO[query]}" for query in reversed(QUERIES))],
    )
    write(folder / "one", [f"{query} v" for query in QUERIES])
    write(folder / "single", [f"{query} {query}" for query in QUERIES])
    write(folder / "strangers", ["x1 v1", "x2 v1"])
    write(folder / "broken", ["q0 v0", "q1 v0", "q0 v1"])
    return folder


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")
