"""Example manifests of releases: with all, with nothing, without numbers, with any names."""

from dataclasses import replace
from datetime import date

from metrics.core.releases.manifest import (
    AgreementEntry,
    CountsEntry,
    Creator,
    FileEntry,
    GoldsEntry,
    LabelSourceEntry,
    LevelEntry,
    Manifest,
    PeopleEntry,
    PoolBiasEntry,
    PoolEntry,
    QrelsEntry,
    QuerySetEntry,
    ReferenceSetEntry,
    ReleasedCollection,
    RunEntry,
    ScoreEntry,
    SideEntry,
    WorkEntry,
)


def example_manifest() -> Manifest:
    """Return the manifest of a release of captions and images that has something everywhere."""
    return Manifest(
        version="1.2.0",
        title="Captions and images, relabelled",
        notes="The first release with labels of both directions.",
        released_on=date(2026, 11, 30),
        licence="CC-BY-4.0",
        creators=(
            Creator("Ada Byron", "University of Example", "0000-0002-1825-0097"),
            Creator("Example Lab"),
        ),
        cite_as="Byron and Example Lab (2026). Captions and images, relabelled.",
        texts_leave=True,
        media_leave=False,
        collection=example_collection(),
        levels=example_levels(),
        sides=(
            SideEntry("query", 1332, 2, 0, {"text": 1332}),
            SideEntry("document", 1261, 0, 1, {"image": 1261}),
        ),
        people=(
            PeopleEntry("person", 6, 4100, (12, 650.5, 1400)),
            PeopleEntry("import", 1, 900, (900, 900, 900)),
        ),
        work=WorkEntry("2026-09-01", "2026-11-20", 41.25, 9.4, 15.0, "EUR"),
        counts=CountsEntry(5200, 5000, 3900, 3850, 12, 21, 29, 17, 88, 40),
        agreement=AgreementEntry(0.713, 0.671, 0.752, "ordinal", "", 0.842, 1050, 2150),
        golds=GoldsEntry(480, 451, 0.9396, 0.9148, 0.9579),
        guidelines=({"version": 1, "published_on": "2026-08-30", "text": "Look twice."},),
        policies=({"version": 1, "labels_wanted": 1, "double_share": 0.25},),
        pools=example_pools(),
        runs=example_runs(),
        query_sets=example_query_sets(),
        reference_sets=(
            ReferenceSetEntry("original", 1332, 1332),
            ReferenceSetEntry("cxc", 22000, 8300),
        ),
        label_sources=example_label_sources(),
        scores=example_scores(),
        pool_bias=(PoolBiasEntry("clip-large", "forward", "all", "AP", 0.5211, 0.5102, 31),),
        undefined_bias="",
        limits=(
            "Pairs that no pooled run ranked within 10 were judged by nobody.",
            "Captions are in English alone.",
        ),
        made_with={"assayer": "0.1.1", "pyarrow": "21.0.0"},
    )


def example_collection() -> ReleasedCollection:
    """Return the collection that was released."""
    return ReleasedCollection(
        slug="captions",
        name="Captions and images",
        description="Captions of photographs, and the photographs that they may describe.",
        measurement="ordinal",
        positive_from=2,
        is_rehearsal=False,
        query_groups="the item that reference labels link queries to",
    )


def example_query_sets() -> tuple[QuerySetEntry, ...]:
    """Return a query set of all targets, and one with a gallery."""
    return (
        QuerySetEntry("all", "forward", 1330, None, "query_sets/forward/all.tsv"),
        QuerySetEntry("eccv", "reverse", 1261, 1332, "query_sets/reverse/eccv.tsv"),
    )


def example_label_sources() -> tuple[LabelSourceEntry, ...]:
    """Return people over a reference set in both directions, and people alone."""
    return (
        LabelSourceEntry(
            "over:original",
            "people over reference “original”",
            (
                QrelsEntry("all", "forward", "qrels/forward/over-original.txt"),
                QrelsEntry("eccv", "reverse", "qrels/reverse/over-original.txt"),
            ),
        ),
        LabelSourceEntry(
            "only", "people only", (QrelsEntry("all", "forward", "qrels/forward/only.txt"),)
        ),
    )


def example_levels() -> tuple[LevelEntry, ...]:
    """Return four grades, of which the upper two are positive."""
    return (
        LevelEntry(0, "Wrong", "Nothing of it can be seen.", ("colour", "count"), 2000, 1600),
        LevelEntry(1, "Mostly wrong", "The main thing is not there.", ("object",), 800, 600),
        LevelEntry(2, "Mostly right", "A detail is wrong.", ("detail",), 900, 700),
        LevelEntry(3, "Right", "All of it can be seen.", (), 1300, 1000),
    )


def example_pools() -> tuple[PoolEntry, ...]:
    """Return a closed pool of the first ranks, and an open one without ranks."""
    return (
        PoolEntry(
            name="First ten",
            direction="forward",
            strategy="depth-k",
            parameters={"depth": 10},
            seed="7",
            state="closed",
            opened_on="2026-09-01",
            closed_on="2026-10-10",
            runs=("clip-large", "run-01"),
            n_hidden_runs=1,
            depth=10,
            n_pairs=3600,
            n_judged=3590,
            policy_version=1,
        ),
        PoolEntry(
            name="Everything",
            direction="reverse",
            strategy="exhaustive",
            parameters={"limit": 400},
            seed="8",
            state="open",
            opened_on="2026-10-11",
            closed_on=None,
            runs=(),
            n_hidden_runs=0,
            depth=None,
            n_pairs=400,
            n_judged=310,
            policy_version=1,
        ),
    )


def example_runs() -> tuple[RunEntry, ...]:
    """Return a run under its own name with its file, and one under an alias without."""
    return (
        RunEntry(
            alias="clip-large",
            direction="forward",
            is_named=True,
            file="runs/forward/clip-large.txt.gz",
            no_file="",
            gallery_files={},
            system="CLIP ViT-L/14",
            team="Example Lab",
            paper="https://arxiv.org/abs/2103.00020",
            description="Cosine of the embeddings.",
            n_queries=1330,
            n_missing=0,
            unknown_share=0.0,
            score_type="float32",
        ),
        RunEntry(
            alias="run-01",
            direction="forward",
            is_named=False,
            file="",
            no_file="Its uploader did not allow it.",
            gallery_files={},
            system="",
            team="",
            paper="",
            description="",
            n_queries=1328,
            n_missing=2,
            unknown_share=0.015,
            score_type="float64",
        ),
    )


def example_scores() -> tuple[ScoreEntry, ...]:
    """Return scores with intervals and shares judged of both runs; one mean is undefined."""

    def score(run: str, measure: str, mean: float | None, best: float | None = None) -> ScoreEntry:
        low, high = (None, None) if mean is None else (mean - 0.02, mean + 0.02)
        return ScoreEntry(
            run, "forward", "all", "over:original", measure, 2, mean, low, high, best, 1330, 0, 1290
        )

    return (
        score("clip-large", "AP", 0.5211),
        score("clip-large", "nDCG@10", 0.6402, 0.71),
        score("clip-large", "Judged@1", 0.98),
        score("clip-large", "Judged@5", 0.97),
        score("clip-large", "Judged@10", 0.95),
        score("run-01", "AP", 0.4702),
        score("run-01", "nDCG@10", None),
        score("run-01", "Judged@10", 0.91),
    )


def bare_manifest() -> Manifest:
    """Return the manifest of a release without anything: every number that may lack does."""
    return replace(
        example_manifest(),
        notes="",
        licence="",
        creators=(),
        cite_as="",
        texts_leave=False,
        levels=(),
        sides=(),
        people=(),
        work=WorkEntry(None, None, None, None, None, ""),
        counts=CountsEntry(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        agreement=AgreementEntry(None, None, None, "ordinal", "no pair has two labels", None, 0, 0),
        golds=GoldsEntry(0, 0, None, None, None),
        guidelines=(),
        policies=(),
        pools=(),
        runs=(),
        query_sets=(),
        reference_sets=(),
        label_sources=(),
        scores=(),
        pool_bias=(),
        undefined_bias="no run was pooled",
        limits=(),
        made_with={},
    )


def undefined_manifest(nothing: float | None) -> Manifest:
    """Return the example with this, None or not a number, for every number that may lack."""
    example = example_manifest()
    return replace(
        example,
        work=replace(example.work, hours=nothing, median_seconds=nothing, hourly_pay=nothing),
        agreement=replace(
            example.agreement, alpha=nothing, low=nothing, high=nothing, same_grade=nothing
        ),
        golds=replace(example.golds, share=nothing, low=nothing, high=nothing),
        pools=tuple(replace(pool, depth=None, policy_version=None) for pool in example.pools),
        scores=tuple(
            replace(score, mean=nothing, low=nothing, high=nothing, best=nothing)
            for score in example.scores
        ),
    )


def renamed_manifest(name: str) -> Manifest:
    """Return the example with this text for everything that people can name or describe."""
    example = example_manifest()
    collection = replace(
        example.collection, name=name, description=name, query_groups=name, measurement=name
    )
    return replace(
        example,
        title=name,
        notes=name,
        cite_as=name,
        creators=tuple(replace(creator, name=name) for creator in example.creators),
        collection=collection,
        levels=tuple(
            replace(level, name=name, sentence=name, reasons=(name, name))
            for level in example.levels
        ),
        pools=tuple(
            replace(pool, name=name, runs=(name, name), parameters={name: name, "depth": 10})
            for pool in example.pools
        ),
        runs=tuple(
            replace(
                run, alias=name, system=name, team=name, paper=name, description=name, no_file=name
            )
            for run in example.runs
        ),
        query_sets=tuple(replace(entry, name=name) for entry in example.query_sets),
        reference_sets=tuple(replace(entry, name=name) for entry in example.reference_sets),
        label_sources=tuple(replace(entry, label=name) for entry in example.label_sources),
        scores=tuple(replace(score, run=name, query_set=name) for score in example.scores),
        pool_bias=tuple(replace(bias, run=name, query_set=name) for bias in example.pool_bias),
        limits=(name, name),
        made_with={"assayer": name, name: "21.0.0"},
    )


def example_files() -> list[FileEntry]:
    """Return the files of the example: labels in two forms, qrels, runs, items and scores."""
    parquet, text = "application/vnd.apache.parquet", "text/plain"
    rows = (
        ("judgments/judgments.parquet", parquet, 181_202, 5200, "All judgments that were stored."),
        ("data/pairs.parquet", parquet, 90_411, 3900, "Pairs with their grades."),
        ("data/queries.jsonl", "application/jsonl", 120_002, 1332, "Queries with their texts."),
        ("data/documents.jsonl", "application/jsonl", 60_044, 1261, "Documents by their ids."),
        ("qrels/forward/over-original.txt", text, 98_000, 5100, "People over the reference."),
        ("qrels/reverse/over-original.txt", text, 98_000, 5100, "The same in reverse."),
        ("qrels/forward/only.txt", text, 70_020, 3850, "Grades by people alone."),
        ("runs/forward/clip-large.txt.gz", "application/gzip", 801_000, 133_000, "A run."),
        ("query_sets/forward/all.tsv", "text/tab-separated-values", 9000, 1330, "Its queries."),
        ("query_sets/reverse/eccv.tsv", "text/tab-separated-values", 9000, 2593, "Its members."),
        ("scores.csv", "text/csv", 4200, 8, "Means of the published runs."),
        ("manifest.json", "application/json", 12_345, None, "The manifest of the release."),
        ("ir_datasets_release.py", text, 9000, None, "Its query sets for ir_datasets."),
    )
    return [
        FileEntry(path, media_type, n_bytes, f"{number:064x}", n_rows, about)
        for number, (path, media_type, n_bytes, n_rows, about) in enumerate(rows, 1)
    ]
