"""Sentences of the pages of runs and pools: what they hold, lack, wait for and cost."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.template.defaultfilters import filesizeformat, floatformat, join, truncatechars
from django.utils.html import format_html

from annotate.core.phrases import counted, duration, time_of_people
from annotate.models import ReferenceLabel
from pooling.models import Pool, Run
from pooling.services.pools.previews import PoolPreview
from pooling.services.runs.publication import uploader_to_ask


class RereadingChoice(NamedTuple):
    """The other order that a run can be read again by; action : of the page's form."""

    action: str
    label: str


class ReportSentences(NamedTuple):
    """Sentences on the rows of a run's file, from the report on it."""

    run: Run

    @property
    def rows(self) -> str:
        """The rows of the file, those measured, and those of sources the collection lacks."""
        report, run = self.run.report, self.run
        n_rows, n_kept = report.get("n_rows", 0), report.get("n_kept", 0)
        sentence = f"{n_rows:,}, of them {n_kept:,} measured"
        n_strange = n_rows - n_kept - run.n_unknown - report.get("n_dropped", 0)
        if n_strange <= 0 or not report.get("unknown_sources", {}).get("n"):
            return sentence
        return f"{sentence}, {n_strange:,} of {run.sources} that this collection lacks"

    @property
    def unknown(self) -> str:
        """The rows whose target the collection lacks, and what becomes of them."""
        run = self.run
        if run.n_unknown:
            is_one = run.n_unknown == 1
            return (
                f"{counted(run.n_unknown, 'row')} ({run.unknown_per_cent}) "
                f"{'names' if is_one else 'name'} {run.targets} that this collection lacks. "
                f"{'It keeps its rank and counts' if is_one else 'They keep their ranks and count'}"
                " as unjudged"
                f"{'; once those are loaded, the file is read again' if may_load(run) else ''}."
            )
        if run.is_waiting:
            return f"no row is ranked yet, as none of its {run.sources} is known"
        return "no ranked row names an item that this collection lacks"

    @property
    def ties(self) -> str:
        """The share of tied rows, and what orders them."""
        if not self.run.tied_share:
            return "none"
        best = ", of a matrix the best of each row alone," if self.run.report.get("matrix") else ""
        return (
            f"{self.run.tied_per_cent} of rows{best} share their score with another of the same "
            "ranking; ids order them"
        )

    @property
    def rank_column(self) -> str:
        """The agreement of the column of ranks with the order of the run."""
        n_misranked = self.run.report.get("n_misranked")
        if n_misranked:
            order = "rank" if self.run.score_type == Run.ScoreType.RANK else "score"
            neighbours = counted(n_misranked, "neighbour")
            return f"contradicts the order of {neighbours}; the order is by {order}"
        if self.run.report.get("has_ranks") is False:
            return "none: the order is by score"
        return "agrees with the order"

    @property
    def rereading(self) -> RereadingChoice | None:
        """The order to read it again by: scores if ranks are trusted now, ranks if they differ."""
        if self.run.score_type == Run.ScoreType.RANK:
            return RereadingChoice("read-by-score", "Trust the scores: read it again")
        if self.run.report.get("n_misranked"):
            return RereadingChoice("read-by-rank", "Trust the rank column: read it again")
        return None

    @property
    def matrix(self) -> str:
        """The size of the matrix in the file, and what is seen of it."""
        n_rows, n_columns = self.run.report["matrix"]
        kept_matrix = getattr(self.run, "matrix", None)  # none until its scores are kept
        size = f", {filesizeformat(kept_matrix.n_bytes)}" if kept_matrix else ""
        return (
            f"{n_rows:,} \N{MULTIPLICATION SIGN} {n_columns:,}{size}. Scores are of all its cells, "
            "which are the rows here; pools and pages see the 100 best of each row."
        )

    @property
    def depth_label(self) -> str:
        """The name of the depth: a matrix ranks all, of which the best are counted."""
        return "Depth of the best" if self.run.report.get("matrix") else "Depth"


class RunSentences(NamedTuple):
    """Sentences about a run: its place in releases, the people who see it."""

    run: Run

    @property
    def hidden(self) -> str:
        """The people who see a hidden run."""
        uploader = self.run.uploaded_by
        return (
            f"Only {uploader.get_username() if uploader else 'nobody'} and the site's admins know "
            "of this run, its scores too. Publish it to pool it."
        )

    @property
    def releases(self) -> str:
        """The name and file of the run in a release."""
        name_and_file = (
            "may be published under its name, with its file."
            if self.run.may_be_published
            else "is called run-01, or the like, and its file is left out."
        )
        return (
            f"{'None while it is hidden; then it' if self.run.is_hidden else 'It'} {name_and_file}"
        )

    @property
    def releases_decider(self) -> str:
        """The person who decides on its name and file in releases."""
        decider = "a site admin" if uploader_to_ask(self.run) is None else "who uploaded it"
        return f"Only {decider} decides that."


class HoldSentences(NamedTuple):
    """Sentences on a run on hold.

    empty_sides : "queries", "documents", of which there are none yet
    """

    run: Run
    empty_sides: Sequence[str]

    @property
    def absence(self) -> str:
        """The absence of the collection's sources from the file, and the unknown ones it names."""
        sources, unknown = self.run.sources, self.run.report["unknown_sources"]
        return format_html(
            "{}; the file names {}, such as {}.",
            f"This collection has no {sources} yet"
            if sources in self.empty_sides
            else f"None of the {sources} of this collection is in the file",
            f"{unknown['n']:,}",
            _first_ids(unknown["first"]),
        )

    @property
    def turn(self) -> str:
        """The question whether the file goes the other way."""
        n_turned = self.run.report["n_turned"]
        return (
            f"{n_turned:,} of them {'is' if n_turned == 1 else 'are'} among the "
            f"{self.run.targets} of this collection: is the direction the other one, or are the "
            "columns swapped?"
        )

    @property
    def remedy(self) -> str:
        """The remedy for a run that has nothing to use."""
        if self.run.is_turned:
            return "Then delete this run and upload the file again."
        if self.run.collection.scheme_frozen_at and self.run.sources == "queries":
            return (
                "The collection has been judged, so no queries can join it: upload this run to a "
                "collection that has them."
            )
        return "Once they are loaded, the file is read again by itself."

    @property
    def unknown(self) -> str:
        """The number of rows that name what the collection lacks, and the effect on the run."""
        run = self.run
        is_one = run.n_unknown == 1 and run.targets not in self.empty_sides
        return format_html(
            "{} {} that this collection lacks, such as {}. {} as unjudged, so its scores would say "
            "more about what is missing than about the run. It is neither scored nor pooled until "
            "a researcher says so{}.",
            f"This collection has no {run.targets} yet, so all rows name"
            if run.targets in self.empty_sides
            else f"{run.n_unknown:,} of its rows {'names' if is_one else 'name'}",
            run.targets,
            _first_ids(run.report["unknown_targets"]["first"]),
            "It keeps its rank and counts" if is_one else "They keep their ranks and count",
            f", or the {run.targets} are loaded; then the file is read again by itself"
            if may_load(run)
            else "; no queries can join a collection that has been judged",
        )


class RetirementSentences(NamedTuple):
    """Sentences on a retired run; n_dropped : pairs that are no longer asked about."""

    run: Run
    n_dropped: int

    @property
    def pairs(self) -> str:
        """The fate of its pairs."""
        if self.run.marks_due:
            return (
                "Its pools are being gone through: pairs that only it brought leave their queues."
            )
        if self.n_dropped == 1:
            return "1 pair that only retired runs hold is no longer asked about; judgments stay."
        if self.n_dropped:
            return (
                f"{self.n_dropped:,} pairs that only retired runs hold are no longer asked about; "
                "judgments stay."
            )
        return "Other runs hold all its pairs; people are asked about the same ones."


class AdditionSentences(NamedTuple):
    """Sentences on the pairs a run adds to the pools; preview : of a pool of the run alone."""

    run: Run
    preview: PoolPreview

    @property
    def pairs(self) -> str:
        """The new pairs, those that are judged already, and the price."""
        n_new, hours = self.preview.n_new, self.preview.hours
        return (
            f"{counted(n_new, 'new pair')}, {self.preview.n_judged:,} judged "
            f"already, {time_of_people(hours, floatformat(hours, '-1g'))}"
        )

    @property
    def waiting(self) -> str:
        """The pairs that open pools ask about already; empty if there are none."""
        n, n_further = self.preview.n_waiting, self.preview.n_further
        if not n:
            return ""
        if not n_further:
            return f"Open pools ask about {n:,} more."
        labels = counted(n_further, "further label")
        return f"Open pools ask about {n:,} more, of which this one wants {labels}."

    @property
    def unknown(self) -> str:
        """The results that name what the collection lacks; empty if there are none."""
        n_unknown = self.preview.n_unknown
        if not n_unknown:
            return ""
        results = f"{counted(n_unknown, 'result')} {'names' if n_unknown == 1 else 'name'}"
        return (
            f"Apart from these, {results} {self.run.targets} that this collection lacks, so nobody "
            "can be asked about them"
        )

    @property
    def may_load(self) -> bool:
        """True if what it names and the collection lacks can join it now."""
        return may_load(self.run) and not self.run.collection.archived_at

    @property
    def may_make(self) -> bool:
        """True if what it names and the collection lacks can be made by its ids: documents can."""
        return self.run.targets == "documents"


class SourceSentences(NamedTuple):
    """Sentences about the source items that a pool asks about."""

    pool: Pool

    @property
    def scope(self) -> str:
        """The query set that the pool keeps to."""
        return f"query set “{self.pool.query_set.name}”" if self.pool.query_set else "all"

    @property
    def sampling(self) -> str:
        """The consequence of a sample of sources for scores; empty where all are asked about."""
        if self.pool.strategy != "depth-k-sample":
            return ""
        caution = (
            ": strata that were drawn in unequal shares make them a figure of this sample, not of "
            "all queries"
            if self.pool.parameters.get("strata")
            else ""
        )
        return f"A sample of them. Scores average over the drawn queries without weights{caution}."


class PreviewSentences(NamedTuple):
    """Sentences below the figures of a pool's preview, and its hours."""

    preview: PoolPreview

    @property
    def hours(self) -> str:
        """The hours of people, below one in minutes or seconds."""
        hours = self.preview.hours
        return duration(3600 * hours) if 0 < hours < 1 else floatformat(hours, "-1g")

    @property
    def basis(self) -> str:
        """The basis on which labels and hours are counted."""
        preview = self.preview
        pace = (
            "this collection\N{RIGHT SINGLE QUOTATION MARK}s median"
            if preview.is_measured
            else "the usual figure until this collection has its own"
        )
        golds, seconds = counted(preview.n_golds, "gold"), floatformat(preview.seconds, 1)
        return (
            "Labels include planned doubles; where people disagree a third is asked for on top. "
            f"Hours count {golds} too, at {seconds} s a judgment, {pace}. "
            f"{counted(preview.n_queries, 'query')}."
        )

    @property
    def further(self) -> str:
        """The labels of pairs that open pools ask about with fewer; empty without any."""
        n_further = self.preview.n_further
        if not n_further:
            return ""
        pairs = counted(self.preview.n_further_pairs, "pair")
        return (
            f"Of the labels, {n_further:,} {'is' if n_further == 1 else 'are'} for {pairs} that "
            "open pools ask about with fewer. These pools count such pairs as complete only once "
            "they have what this pool asks for."
        )

    @property
    def unknown(self) -> str:
        """The results that are not counted; empty without any."""
        n_unknown = self.preview.n_unknown
        if not n_unknown:
            return ""
        verb = "names" if n_unknown == 1 else "name"
        return (
            f"Not counted: {counted(n_unknown, 'result')} that {verb} an item this collection "
            "lacks; each run\N{RIGHT SINGLE QUOTATION MARK}s page says which, and offers to load "
            "these documents."
        )


def hold_consequence(n_runs: int) -> str:
    """Return what it means for so many runs to be on hold, and where that is ended."""
    subject, page = ("It is", "its page") if n_runs == 1 else ("They are", "their own page")
    return f"{subject} neither scored nor pooled until a researcher says so, on {page}."


def reference_grades(labels: Iterable[ReferenceLabel]) -> str:
    """Return the grades of a pair in the references that hold it; empty if none does."""
    return ", ".join(f"{label.reference_set.name}: grade {label.grade}" for label in labels)


def may_load(run: Run) -> bool:
    """True if targets of a run can join its collection: queries cannot once it is judged."""
    return run.targets == "documents" or not run.collection.scheme_frozen_at


def _first_ids(ids: Sequence[str]) -> str:
    """The first ids of a list, escaped, as many as fit."""
    return str(truncatechars(join(ids, ", "), 120))
