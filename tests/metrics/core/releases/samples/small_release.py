"""A manifest with little in it, for tests that change one thing of it."""

from datetime import date

from metrics.core.releases.manifest import (
    AgreementEntry,
    CountsEntry,
    Creator,
    GoldsEntry,
    LevelEntry,
    Manifest,
    PeopleEntry,
    PoolBiasEntry,
    PoolEntry,
    ReleasedCollection,
    SideEntry,
    WorkEntry,
)

COLLECTION = ReleasedCollection(
    slug="clips",
    name="Clips",
    description="Captions and the clips that they describe: naïve “quotes”, 日本語.",
    measurement="ordinal",
    positive_from=1,
    is_rehearsal=False,
    query_groups="column",
)
POOL = PoolEntry(
    name="Top 10",
    direction="forward",
    strategy="depth",
    parameters={"depth": 10},
    seed="1",
    state="closed",
    opened_on="2026-01-05",
    closed_on="2026-02-01",
    runs=("run-01", "CLIP4CLIP"),
    n_hidden_runs=1,
    depth=10,
    n_pairs=40,
    n_judged=38,
    policy_version=1,
)
SMALL = Manifest(
    version="1.0.0",
    title="Clips of 2026",
    notes="First release.",
    released_on=date(2026, 3, 1),
    licence="CC-BY-4.0",
    creators=(
        Creator("Ana Núñez", "University of Somewhere", "0000-0002-1825-0097"),
        Creator("Bo"),
    ),
    cite_as="",
    texts_leave=True,
    media_leave=False,
    collection=COLLECTION,
    levels=(
        LevelEntry(0, "irrelevant", "Something does not match.", ("other object",), 30, 25),
        LevelEntry(1, "relevant", "", (), 20, 13),
    ),
    sides=(
        SideEntry("query", 10, 0, 0, {"text": 10, "image": 0}),
        SideEntry("document", 20, 1, 2, {"video": 20, "audio": 20}),
    ),
    people=(
        PeopleEntry("person", 3, 48, (2, 16.5, 30)),
        PeopleEntry("simulated", 1, 2, (2, 2, 2)),
    ),
    work=WorkEntry("2026-01-06", "2026-01-31", 2.5, 7.0, None, ""),
    counts=CountsEntry(60, 50, 38, 37, 1, 1, 2, 3, 1, 1),
    agreement=AgreementEntry(0.7, 0.6, 0.8, "ordinal", "", 0.9, 10, 22),
    golds=GoldsEntry(20, 18, 0.9, 0.7, 0.97),
    guidelines=({"version": 1},),
    policies=({"version": 1},),
    pools=(POOL,),
    runs=(),
    query_sets=(),
    reference_sets=(),
    label_sources=(),
    scores=(),
    pool_bias=(PoolBiasEntry("run-01", "forward", "all", "C@10", 0.91, 0.8812, 1),),
    undefined_bias="",
    limits=("Only 38 pairs were judged.", "Three people judged."),
    made_with={"Assayer": "0.1.1"},
)
