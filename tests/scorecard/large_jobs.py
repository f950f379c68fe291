"""Long jobs that a researcher starts over HTTP: a large run, many labels, a file of judgments."""

import urllib.parse
from pathlib import Path

from django.db import connection
from django.db.models import QuerySet
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Judgment, Role, Side, Work
from config.up.processes import wait_until
from metrics.models import Download
from pooling.models import Run
from tests import cast
from tests.benchmarks.numbers import fire_study
from tests.pooling.services.runs import large_runs
from tests.scorecard.figures import Figures
from tests.servers.stack import Stack
from tests.servers.webclient import WebClient, send_file

MEGABYTE = 1_000_000
N_QUERIES = 2_000  # of the imported labels
PER_PAIR = 3
# by kinds of work
NAMES = {"run_reading": "the run", "import": "the labels", "download": "the file of judgments"}


class LargeJobs:
    """Three jobs of a researcher, each in a collection of its own; create it within `stack.orm`."""

    def __init__(self, stack: Stack, figures: Figures, folder: Path) -> None:
        self.stack = stack
        self.researcher = cast.user("large-jobs")
        self.run, self.labels = folder / "large.run", folder / "labels.csv"
        self.n_pairs = -(-figures.size("labels imported") // PER_PAIR)
        self.run_of = self._collection_of_run(figures.size("lines of the run"))
        self.labels_of = self._collection_of_labels()
        share = figures.size("judgments loaded down") / figures.row.sizes["judgments loaded down"]
        fire_study.fill("fire", scale=share)
        for collection in (self.run_of, self.labels_of, Collection.objects.get(slug="fire")):
            cast.member(collection, Role.RESEARCHER, self.researcher)
        self.key = cast.bearer(self.researcher, "runs:write", "files:write")
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")

    def _collection_of_run(self, n_lines: int) -> Collection:
        depth = min(1_000, n_lines)
        n_queries, n_documents = -(-n_lines // depth), max(depth, n_lines // 7)
        self.n_lines = n_queries * depth
        large_runs.write_run(self.run, n_queries, depth, n_documents)
        return large_runs.collection(n_queries, n_documents)

    def _collection_of_labels(self) -> Collection:
        collection = cast.collection("labels", grades=4)
        cast.items(collection, Side.QUERY, N_QUERIES)
        cast.items(collection, Side.DOCUMENT, self.n_pairs // N_QUERIES + 1)
        with self.labels.open("w") as file:
            file.write("annotator,query,document,grade\n")
            for number in range(PER_PAIR * self.n_pairs):
                pair, person = number % self.n_pairs, number // self.n_pairs
                query, document = pair % N_QUERIES, pair // N_QUERIES
                file.write(f"p{person},q{query},d{document},{(pair + person * 7) % 4}\n")
        return collection

    def run_all(self, blocker: DjangoDbBlocker) -> None:
        """Start all three jobs, wait until each is done, and download the file."""
        labels = {
            "kind": "judgments",
            "name": "labels",
            "query": "query",
            "document": "document",
            "layout": "long",
            "annotator": "annotator",
            "grade": "grade",
        }
        run = {"name": "large", "direction": "forward"}
        send_file(self.stack.url, f"{self.run_of.slug}/runs/", run, self.run, self.key)
        send_file(self.stack.url, f"{self.labels_of.slug}/imports/", labels, self.labels, self.key)
        page = WebClient(self.stack.url)
        page.sign_in(self.researcher.username)
        page.get("/c/fire/results/downloads/")
        form = urllib.parse.urlencode({"csrfmiddlewaretoken": page.csrf, "format": "csv"}).encode()
        page.opener.open(
            f"{page.base}/c/fire/results/downloads/new/judgments/", form, timeout=240
        ).read()

        def are_done() -> bool:
            with self.stack.orm(blocker):
                states = list(self.works().values_list("state", flat=True))
                return len(states) >= 3 and not set(states) & set(Work.UNFINISHED)

        assert wait_until(are_done, seconds=3600, step=1)
        with self.stack.orm(blocker):
            finished_download = Download.objects.get(collection__slug="fire")
        with page.opener.open(
            f"{page.base}/c/fire/results/downloads/{finished_download.pk}/file/", timeout=240
        ) as file:
            while file.read(MEGABYTE):
                pass

    def works(self) -> QuerySet[Work]:
        """The work rows of the three jobs."""
        return Work.objects.filter(by=self.researcher)

    def record(self, figures: Figures) -> None:
        """Record the seconds of each job; call it within `stack.orm`."""
        for work in self.works().order_by("pk"):
            assert work.state == Work.State.DONE, work.error
            duration = work.finished_at - work.asked_at
            figures.record(
                f"{NAMES[work.kind]}, from asking to the end", duration.total_seconds(), "s"
            )
        (run,) = Run.objects.filter(collection=self.run_of)
        assert (run.state, run.report["n_kept"]) == (Run.State.READY, self.n_lines), run.report
        assert Judgment.objects.filter(collection=self.labels_of).count() == PER_PAIR * self.n_pairs
