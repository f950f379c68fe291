"""The first page of a public release: its numbers, charts, limits, citation and licence."""

from typing import NamedTuple

from annotate.core.phrases import counted, enumeration
from annotate.core.publication.licences import LICENCES
from metrics.charts.charts import Chart, level_distribution
from metrics.charts.releases import AgreementDot, agreement_dots, level_counts, pairs_by_rank
from metrics.core.releases.citation import bibtex, citation_text
from metrics.core.releases.licences import licence_address
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.reading.graded_pairs import rank_counts
from metrics.services.releases.public.folder import PublicFolder
from metrics.services.releases.public.queries import PLURALS
from metrics.services.releases.public.scores import ReleasedBoard, released_board

POOL_PAIRS = "pools/pairs.parquet"
# annotators by their origin, where they are no people at work here
ANNOTATORS = {"import": "imported annotator", "simulated": "simulated annotator", "model": "model"}
ROOM_FOR_COUNTS = {"left": 0, "top": 5, "right": 28, "bottom": 5}  # behind the longest bar


class ReleasedFigure(NamedTuple):
    """A number of a release; value None where it is undefined, which `undefined` tells."""

    label: str
    value: str | None
    note: str
    undefined: str = ""


class ReleasedChart(NamedTuple):
    """A chart, or a sentence on why there is none."""

    chart: Chart
    empty: str

    @classmethod
    def of(cls, chart: Chart, empty: str) -> "ReleasedChart":
        """A chart, without words on its marks where it has none."""
        return cls(chart if chart.rows else chart._replace(subtitle=""), empty)


class ReleaseOverview(NamedTuple):
    """The contents of the first page.

    licence : its name, or its identifier; licence_url : of its text, perhaps empty
    """

    figures: list[ReleasedFigure]
    charts: list[ReleasedChart]
    board: ReleasedBoard | None
    citation: str
    bibtex: str
    licence: str
    licence_url: str

    @property
    def licence_text(self) -> str:
        """The licence in words, also where there is none."""
        return self.licence or (
            "No licence was chosen. Ask its creators before you use or share the data."
        )


def release_overview(*, folder: PublicFolder) -> ReleaseOverview:
    """Read the first page of a public release: two queries, and the table of its pool pairs."""
    manifest = folder.manifest
    spdx = manifest.licence.strip()
    return ReleaseOverview(
        figures=_figures(manifest),
        charts=[_levels(manifest), _agreement(manifest), _ranks(folder)],
        board=released_board(manifest=manifest),
        citation=citation_text(manifest, address=folder.address),
        bibtex=bibtex(manifest, address=folder.address),
        licence=LICENCES.get(spdx, spdx),
        licence_url=licence_address(spdx),
    )


def _figures(manifest: Manifest) -> list[ReleasedFigure]:
    counts, agreement = manifest.counts, manifest.agreement
    by = [
        counted(row.n_annotators, ANNOTATORS.get(row.origin, "annotator"))
        for row in manifest.people
    ]
    alpha = None if agreement.alpha is None else f"{agreement.alpha:z.2f}"
    interval = (
        f"{agreement.low:z.2f} to {agreement.high:z.2f}"
        if agreement.low is not None and agreement.high is not None
        else ""
    )
    n_named = sum(run.is_named for run in manifest.runs)
    return [
        ReleasedFigure("Labels", f"{counts.n_labels:,}", f"by {enumeration(by)}" if by else ""),
        ReleasedFigure("Pairs with labels", f"{counts.n_pairs:,}", f"{counts.n_decided:,} decided"),
        *(
            ReleasedFigure(
                PLURALS.get(side.side, side.side).capitalize(),
                f"{side.n_items:,}",
                f"{counted(side.n_excluded, 'item')} excluded" if side.n_excluded else "",
            )
            for side in manifest.sides
        ),
        ReleasedFigure("Runs", f"{len(manifest.runs):,}", f"{n_named:,} by name"),
        ReleasedFigure("Krippendorff's alpha", alpha, interval, agreement.undefined),
    ]


def _levels(manifest: Manifest) -> ReleasedChart:
    counts = level_counts(manifest.levels, positive_from=manifest.collection.positive_from)
    chart = level_distribution(counts if manifest.counts.n_labels else [])
    chart = chart._replace(spec={**chart.spec, "padding": ROOM_FOR_COUNTS})
    return ReleasedChart.of(chart, "This release has no labels.")


def _agreement(manifest: Manifest) -> ReleasedChart:
    agreement, golds = manifest.agreement, manifest.golds
    dots = []
    if agreement.alpha is not None:
        basis = f"{agreement.n_labels:,} labels of {counted(agreement.n_pairs, 'pair')}"
        dots.append(
            AgreementDot(
                "Krippendorff's alpha", agreement.alpha, agreement.low, agreement.high, basis
            )
        )
    if agreement.same_grade is not None:
        basis = f"{counted(agreement.n_pairs, 'pair')} with two labels or more"
        dots.append(AgreementDot("Same grade", agreement.same_grade, None, None, basis))
    if golds.share is not None:
        basis = f"{golds.n_answers:,} answers to known pairs"
        dots.append(AgreementDot("Right on golds", golds.share, golds.low, golds.high, basis))
    reason = agreement.undefined or "no pair has two labels"
    return ReleasedChart.of(
        agreement_dots(dots, marks=agreement.marks), f"Agreement is not defined: {reason}."
    )


def _ranks(folder: PublicFolder) -> ReleasedChart:
    counts: dict[str, dict[int, int]] = {}
    if POOL_PAIRS in folder.files:
        with folder.open(POOL_PAIRS) as stream:
            counts = rank_counts(stream)
    pools = [pool.name for pool in folder.manifest.pools]
    empty = (
        f"No rank is told of pairs of {enumeration(pools)}: their pools took none, or a pooled "
        "run is not shown."
        if pools
        else "This release has no pool."
    )
    return ReleasedChart.of(pairs_by_rank(counts), empty)
