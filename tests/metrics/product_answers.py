"""All numbers of the product on one world, by each of its ways out."""

import csv
import json
import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from ir_measures import Qrel

from annotate.models import Collection
from metrics.core.labels.label_sources import LabelSource, People, quote_name
from pooling.models import Run
from tests.metrics import uploads, worlds
from tests.metrics.run_forms import FORMS
from tests.metrics.surfaces import (
    Product,
    computed,
    downloaded,
)
from tests.metrics.worlds import World

MEASURES = " ".join([*worlds.NAMES, *worlds.RANKS])


@dataclass
class ProductAnswers:
    """All outputs of the product on a world; means by measure, NaN if not defined."""

    product: Product
    collection: Collection
    world: World
    source: LabelSource
    folder: Path

    @property
    def queries(self) -> str:
        """The name of the query set."""
        return "gallery" if self.world.gallery else "all"

    @property
    def board(self) -> dict[str, str]:
        """The leaderboard's choices."""
        return {"labels": self.source.key, "queries": self.queries, "measures": MEASURES}

    def table(self, choices: dict[str, str]) -> dict[str, float]:
        """The leaderboard as CSV."""
        text = computed(
            self.product, f"/c/{self.collection.slug}/results/leaderboard/table.csv", choices
        ).decode()
        rows = [
            row
            for row in csv.DictReader(text.splitlines())
            if row["direction"] == self.world.direction
        ]
        return {row["measure"]: float(row["score"] or "nan") for row in rows}

    def page(self) -> dict[str, float]:
        """The cells of the leaderboard's page as they are printed, shares in per cent."""
        page = unescape(
            computed(
                self.product, f"/c/{self.collection.slug}/results/leaderboard/", self.board
            ).decode()
        )
        # charts have tables too, below
        row = re.findall(r'<tr>\s*<th scope="row">system.*?</tr>', page, re.DOTALL)[0]
        cells = re.findall(r'<td class="number([^>]*)>(.*?)</td>', row, re.DOTALL)
        cells_by_measure = {}
        for name, (attributes, cell) in zip(MEASURES.split(), cells, strict=False):
            plain = re.sub(r"<span.*</span>", "", cell, flags=re.DOTALL)
            number = re.search(r"-?\d+\.\d", plain)
            cells_by_measure[name] = (
                float("nan") if "undefined" in attributes or not number else float(number[0])
            )
        return cells_by_measure

    def labels_by_api(self) -> list[Qrel]:
        """The qrels that programs get."""
        answer = self.product.api(
            "GET", f"collections/{self.collection.slug}/qrels/", self.qrels_parameters(self.source)
        )
        return sorted(uploads.parsed_qrels(answer.body.decode()))

    def labels_by_page(self) -> list[Qrel]:
        """The qrels that are made in the background."""
        download = downloaded(
            self.product, self.collection, "qrels", self.qrels_parameters(self.source)
        )
        return sorted(uploads.parsed_qrels(download.decode()))

    def qrels_parameters(self, source: LabelSource) -> dict[str, str]:
        """The parameters of a request for qrels."""
        return {
            "direction": self.world.direction,
            "label_source": source.key,
            "queries": self.queries,
        }

    def run_file(self) -> str:
        """The run as it was scored."""
        with self.product.database():
            run = Run.objects.get(collection=self.collection)
            queries = self.collection.query_sets.get(
                direction=self.world.direction, name=self.queries
            )
        parameters = {"run": str(run.pk), "queries": str(queries.pk)}
        return downloaded(self.product, self.collection, "run", parameters).decode()

    def ranked_run(self) -> list[tuple[str, str]]:
        """Source and target of each line of the run as it was scored, best first."""
        lines = (line.split() for line in self.run_file().splitlines())
        return [
            row[:2] for row in worlds.canonical([(row[0], row[2], float(row[4])) for row in lines])
        ]

    def evaluated_file(self) -> dict[str, float]:
        """Scores by `evaluate` of the run as scored and the labels as downloaded."""
        run, labels = self._file("a.run", self.run_file().encode()), self._qrels("all", self.source)
        return self._evaluated(run, "--qrels", labels)

    def evaluated_by_key(self) -> dict[str, float]:
        """Scores by `evaluate` from people's labels, those of each set, and the key."""
        run = self._file("a.run", self.run_file().encode())
        options = [
            "--qrels",
            self._qrels("people", LabelSource.of(People.ONLY)),
            "--label-source",
            self.source.key,
        ]
        for number, name in enumerate(self.source.sets):
            qrels = self._qrels(str(number), LabelSource.of(People.NONE, [name]))
            options += ["--reference", f"{quote_name(name)}={qrels}"]
        return self._evaluated(run, *options)

    def evaluated_upload(self) -> dict[str, float]:
        """Scores by `evaluate` of the file as it was uploaded."""
        file_name, write, _ = FORMS[self.world.form]
        run = self._file(file_name, write(self.world.rows))
        return self._evaluated(run, "--qrels", self._qrels("all", self.source))

    def scores_file(self) -> dict[str, dict[str, dict[str, float]]]:
        """The stored scores, by label source, measure and query."""
        text = downloaded(self.product, self.collection, "scores", {}).decode()
        values_by_source: dict[str, dict[str, dict[str, float]]] = {}
        for row in csv.DictReader(text.splitlines(), delimiter="\t"):
            is_ours = row["query_set"] == self.queries and row["direction"] == self.world.direction
            if is_ours and row["measure"] in worlds.NAMES:
                of_source = values_by_source.setdefault(row["label_source"], {})
                of_source.setdefault(row["measure"], {})[row["query"]] = float(row["value"])
        return values_by_source

    def _qrels(self, name: str, source: LabelSource) -> str:
        data = downloaded(self.product, self.collection, "qrels", self.qrels_parameters(source))
        return self._file(f"{name}.qrels", data)

    def _file(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def _evaluated(self, run: str, *options: str) -> dict[str, float]:
        queries = self._file("queries.txt", "\n".join(self.world.sources).encode())
        output = self.product.command(
            "evaluate", run, *options, "--measures", MEASURES, "--queries", queries, "--json"
        )
        means = json.loads(output)["all"]
        return {name: float("nan") if value is None else value for name, value in means.items()}
