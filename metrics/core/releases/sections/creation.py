"""The section on how a release's data came about: why, which pairs, and of what sources."""

import json
from collections.abc import Sequence
from typing import Any

from annotate.core.phrases import count_of, counted, enumeration
from metrics.core.releases.manifest import Manifest, PoolEntry
from metrics.core.releases.plain_text import one_line
from metrics.core.releases.sections.markdown import bullets, inline, section, sentence, table
from metrics.core.releases.sections.structure import direction_words
from pooling.core.strategies.strategies import STRATEGIES


def creation(manifest: Manifest) -> str:
    """Return the section Dataset creation, in the order of Data Statements (A to C, E and F)."""
    return "\n\n".join(
        [
            section("Dataset creation"),
            section("Curation rationale", *_rationale(manifest), level=3),
            section("Source data", *_sources(manifest), level=3),
            section(
                "Language variety",
                "The languages of the texts are not recorded, nor their varieties.",
                level=3,
            ),
            section(
                "Speaker demographic",
                "It is not recorded who wrote, spoke or recorded the items.",
                level=3,
            ),
            section(
                "Speech situation",
                "It is not recorded when, where and for whom the items were made.",
                level=3,
            ),
            section("Text characteristics", *_characteristics(manifest), level=3),
        ]
    )


def _parameters(parameters: dict[str, Any]) -> str:
    values = [
        f"{name} {value if isinstance(value, str | int | float) else json.dumps(value)}"
        for name, value in parameters.items()
        if value not in (None, "")
    ]
    return ", ".join(values) or "none"


def _runs(pool: PoolEntry) -> str:
    hidden = [counted(pool.n_hidden_runs, "hidden run")] if pool.n_hidden_runs else []
    names = [*pool.runs, *hidden]
    return enumeration(names) if names else "no runs"


def _days(pool: PoolEntry) -> str:
    if pool.opened_on is None:
        return f"{pool.state}, never opened"
    end = f"closed {pool.closed_on}" if pool.closed_on else f"{pool.state}, not closed"
    return f"opened {pool.opened_on}, {end}"


def _pool_table(pools: Sequence[PoolEntry]) -> str:
    labels = {key: strategy.label for key, strategy in STRATEGIES.items()}
    return table(
        (
            *("Pool", "Direction", "Strategy", "Parameters", "Seed", "Runs", "Days", "Policy"),
            *("Deepest rank", "Pairs", "Judged"),
        ),
        [
            (
                pool.name,
                direction_words(pool.direction),
                labels.get(pool.strategy, pool.strategy),
                _parameters(pool.parameters),
                pool.seed or "no seed",
                _runs(pool),
                _days(pool),
                "no policy" if pool.policy_version is None else f"version {pool.policy_version}",
                "without ranks" if pool.depth is None else f"{pool.depth:,}",
                f"{pool.n_pairs:,}",
                f"{pool.n_judged:,}",
            )
            for pool in pools
        ],
        numbers=3,
    )


def _rationale(manifest: Manifest) -> list[str]:
    paragraphs = [sentence(manifest.collection.description) or "The collection is not described."]
    if not manifest.pools:
        return [*paragraphs, "No pool chose its pairs."]
    strategies = dict.fromkeys(pool.strategy for pool in manifest.pools)
    return [
        *paragraphs,
        f"{counted(len(manifest.pools), 'pool')} chose the pairs to judge. The deepest rank is the "
        "largest that a pair of the pool has in its best run.",
        _pool_table(manifest.pools),
        bullets(
            f"{inline(STRATEGIES[strategy].label)}: {sentence(STRATEGIES[strategy].sentence)}"
            for strategy in strategies
            if strategy in STRATEGIES
        ),
    ]


def _sources(manifest: Manifest) -> list[str]:
    if not manifest.reference_sets:
        return ["The collection came with no reference labels."]
    return [
        f"The collection came with {counted(len(manifest.reference_sets), 'reference set')} of "
        "labels, which others made. This release does not know how.",
        table(
            ("Reference set", "Labels", "Positive"),
            [
                (entry.name, f"{entry.n_labels:,}", f"{entry.n_positive:,}")
                for entry in manifest.reference_sets
            ],
            numbers=2,
        ),
    ]


def _characteristics(manifest: Manifest) -> list[str]:
    groups = one_line(manifest.collection.query_groups)
    sides = []
    for side in manifest.sides:
        parts = [count_of(n, f"parts of {kind}") for kind, n in side.n_parts.items() if n]
        if parts:
            sides.append(f"{counted(side.n_items, side.side)} with {enumeration(parts)}")
    return [
        sentence(f"The items are {enumeration(sides)}")
        if sides
        else "This release does not tell of what kinds the items are.",
        f"Groups of queries, which intervals resample whole: {inline(groups)}." if groups else "",
        "Genre, topic and length of the texts are not recorded.",
    ]
