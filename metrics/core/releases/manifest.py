"""The manifest of a release: all that its documents tell, read from one moment of the database.

`manifest.json` is the manifest itself. The data card, the citation and the metadata are functions
of it and of the list of files, so the same manifest gives the same documents.
"""

import json
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from annotate.core.labels.alpha_marks import KRIPPENDORFF, AlphaMarks


@dataclass(frozen=True)
class Creator:
    """A person to cite; `orcid` as 0000-0002-1825-0097, empty where unknown, like `affiliation`."""

    name: str
    affiliation: str = ""
    orcid: str = ""


@dataclass(frozen=True)
class ReleasedCollection:
    """The collection that was released; `description` is plain text."""

    slug: str
    name: str
    description: str
    measurement: str
    positive_from: int
    is_rehearsal: bool
    query_groups: str


@dataclass(frozen=True)
class LevelEntry:
    """One grade of the scheme.

    reasons : as judgments name them: "does not match/colour" for a detail
    n_labels, n_pairs : counting labels, and pairs with this grade
    colour : its name in the palette; empty in manifests of earlier versions
    """

    grade: int
    name: str
    sentence: str
    reasons: tuple[str, ...]
    n_labels: int
    n_pairs: int
    colour: str = ""


@dataclass(frozen=True)
class SideEntry:
    """The items of a side (query or document).

    n_parts : parts by kind: text, html, image, video, audio
    n_excluded : items that were excluded from evaluation
    n_duplicates : items marked as the duplicate of another
    """

    side: str
    n_items: int
    n_excluded: int
    n_duplicates: int
    n_parts: dict[str, int]


@dataclass(frozen=True)
class PeopleEntry:
    """Annotators of one origin (person, import, simulated, model) and their counting labels.

    labels_each : the smallest, middle and largest number of counting labels of an annotator
    """

    origin: str
    n_annotators: int
    n_labels: int
    labels_each: tuple[int, float, int]


@dataclass(frozen=True)
class WorkEntry:
    """The work of annotators, without what was imported.

    first_on, last_on : days of the first and last judgment, in UTC
    hours : the time on all answers that count; None where no answer has a time
    median_seconds : of an answer with a time
    hourly_pay : None where no money is shown
    """

    first_on: str | None
    last_on: str | None
    hours: float | None
    median_seconds: float | None
    hourly_pay: float | None
    currency: str


@dataclass(frozen=True)
class CountsEntry:
    """Counts of judgments and pairs.

    n_judgments : all that were stored; n_labels : those that count as labels
    n_pairs : pairs with a counting label; n_decided : pairs with a grade by people;
    n_propagated : pairs that have the grade of their originals
    n_disputed : left undecided, escalated ones among them; n_open : pairs that wait for labels
    n_reports : reports "cannot judge" or "escalate"; n_conflicts : pairs on which people and a
        reference set differ; n_refused_positives : positives of a reference that people refused
    """

    n_judgments: int
    n_labels: int
    n_pairs: int
    n_decided: int
    n_propagated: int
    n_disputed: int
    n_open: int
    n_reports: int
    n_conflicts: int
    n_refused_positives: int


@dataclass(frozen=True)
class AgreementEntry:
    """Agreement of the labels: Krippendorff's alpha with its 95 % interval.

    alpha, low, high : None where it is undefined; `undefined` then says why
    same_grade : share of pairs of labels with the same grade, in [0, 1]; None where undefined
    n_pairs, n_labels : pairs with two labels or more, and their labels
    tentative, firm : marks that alpha was held to; manifests of earlier versions lack them, and
        those releases were held to the conventional ones
    """

    alpha: float | None
    low: float | None
    high: float | None
    measurement: str
    undefined: str
    same_grade: float | None
    n_pairs: int
    n_labels: int
    tentative: float = KRIPPENDORFF.tentative
    firm: float = KRIPPENDORFF.firm

    @property
    def marks(self) -> AlphaMarks:
        """The marks that alpha was held to."""
        return AlphaMarks(self.tentative, self.firm)


@dataclass(frozen=True)
class GoldsEntry:
    """Answers to gold checks: how many, how many right, the share with its 95 % interval."""

    n_answers: int
    n_right: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PoolEntry:
    """A pool: how its pairs were chosen.

    strategy : its name; parameters : those of its form, JSON
    runs : aliases of the pooled runs that are not hidden; n_hidden_runs : the others
    depth : the largest rank that a pooled pair has in its best run; None for pools without ranks,
        or with hidden runs
    """

    name: str
    direction: str
    strategy: str
    parameters: dict[str, Any]
    seed: str
    state: str
    opened_on: str | None
    closed_on: str | None
    runs: tuple[str, ...]
    n_hidden_runs: int
    depth: int | None
    n_pairs: int
    n_judged: int
    policy_version: int | None


@dataclass(frozen=True)
class RunEntry:
    """A run under its alias: its own name if that may be published, else `run-01`.

    file : its path in the release; empty if the run is not in it, and `no_file` says why
    gallery_files : its paths without what the gallery of a query set lacks, by query set
    n_queries : queries of its direction that it answers; n_missing : those that it does not
    system, team, paper, description : empty unless its name is published
    """

    alias: str
    direction: str
    is_named: bool
    file: str
    no_file: str
    gallery_files: dict[str, str]
    system: str
    team: str
    paper: str
    description: str
    n_queries: int
    n_missing: int
    unknown_share: float
    score_type: str


@dataclass(frozen=True)
class QuerySetEntry:
    """A query set; n_gallery: None where all targets count; file: its members, a path."""

    name: str
    direction: str
    n_sources: int
    n_gallery: int | None
    file: str


@dataclass(frozen=True)
class ReferenceSetEntry:
    """A reference set that the collection came with."""

    name: str
    n_labels: int
    n_positive: int


@dataclass(frozen=True)
class QrelsEntry:
    """The qrels of a query set under a label source; path : of their file."""

    query_set: str
    direction: str
    path: str


@dataclass(frozen=True)
class LabelSourceEntry:
    """A label source: its key, its words, and its qrels of each query set."""

    key: str
    label: str
    qrels: tuple[QrelsEntry, ...]


@dataclass(frozen=True)
class ScoreEntry:
    """A run's mean of a measure over a query set under a label source.

    mean, low, high : with the 95 % interval; None where undefined
    best : the mean as if every unjudged target were positive; None where not bounded
    """

    run: str
    direction: str
    query_set: str
    label_source: str
    measure: str
    threshold: int
    mean: float | None
    low: float | None
    high: float | None
    best: float | None
    n_queries: int
    n_missing: int
    n_with_positive: int


@dataclass(frozen=True)
class PoolBiasEntry:
    """Loss of a pooled run when the pairs that it alone brought are taken from the labels.

    measure : the measure of both means, under people's labels over the references
    with_all, without_own : the means; n_unique_positives : positives that it alone brought
    """

    run: str
    direction: str
    query_set: str
    measure: str
    with_all: float
    without_own: float
    n_unique_positives: int


@dataclass(frozen=True)
class FileEntry:
    """A file of the release.

    path : relative, with forward slashes; n_rows : None for documents; about : its content in a
    sentence
    """

    path: str
    media_type: str
    n_bytes: int
    sha256: str
    n_rows: int | None
    about: str


@dataclass(frozen=True)
class Manifest:
    """All that the documents of a release tell.

    licence : an SPDX identifier; empty where the lead chose none
    texts_leave, media_leave : whether texts of items, and names and addresses of media, are in it
    guidelines, policies : versions as JSON, the oldest first
    undefined_bias : why pool_bias is empty; empty where it is not
    limits : sentences on what the labels do not tell
    made_with : names and versions of the writers of its files
    """

    version: str
    title: str
    notes: str
    released_on: date
    licence: str
    creators: tuple[Creator, ...]
    cite_as: str
    texts_leave: bool
    media_leave: bool
    collection: ReleasedCollection
    levels: tuple[LevelEntry, ...]
    sides: tuple[SideEntry, ...]
    people: tuple[PeopleEntry, ...]
    work: WorkEntry
    counts: CountsEntry
    agreement: AgreementEntry
    golds: GoldsEntry
    guidelines: tuple[dict[str, Any], ...]
    policies: tuple[dict[str, Any], ...]
    pools: tuple[PoolEntry, ...]
    runs: tuple[RunEntry, ...]
    query_sets: tuple[QuerySetEntry, ...]
    reference_sets: tuple[ReferenceSetEntry, ...]
    label_sources: tuple[LabelSourceEntry, ...]
    scores: tuple[ScoreEntry, ...]
    pool_bias: tuple[PoolBiasEntry, ...]
    undefined_bias: str
    limits: tuple[str, ...]
    made_with: dict[str, str]

    @property
    def json(self) -> str:
        """The manifest as JSON, its keys in the order of the fields."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1, default=str) + "\n"

    @property
    def values(self) -> dict[str, Any]:
        """The manifest as its JSON is read."""
        values: dict[str, Any] = json.loads(self.json)
        return values
