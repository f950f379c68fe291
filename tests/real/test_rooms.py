"""Real judgments and two text searches give the known agreement, and other tools' scores.

Set ASSAYER_DATA to the folder with the data sets (docs/real-data.md); without it all are skipped.
"""

import json
import math
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import ir_measures
import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from ir_measures import AP, Success, nDCG

from annotate.models import Collection, Role
from metrics.models import Score
from metrics.services.numbers import refresh
from pooling.services.pools.pools import create_pool, open_pool
from pooling.services.runs import runs
from tests import cast
from tests.metrics.services.downloads.download_files import downloaded
from tests.real_data import FOLDER, needs_real_data

TOOL = Path(__file__).resolve().parents[2] / "tools" / "flickr8k_to_assayer.py"
pytestmark = [pytest.mark.django_db(transaction=True), needs_real_data]
LEVELS = "1:Not at all,2:Minor aspects,3:Almost,4:Describes the image"


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def word_counts(path, **conditions):
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return {
        row["id"]: Counter(words(row["text"])) for row in rows if conditions.items() <= row.items()
    }


def search(queries, images, *, bm25):
    """The 50 best images of each caption by TF-IDF's cosine or BM25, as a TREC run."""
    postings = defaultdict(list)
    for image, counts in images.items():
        for word, n in counts.items():
            postings[word].append((image, n))
    rarity = {word: math.log(1 + len(images) / len(posting)) for word, posting in postings.items()}
    mean = sum(sum(counts.values()) for counts in images.values()) / len(images)
    norm = {
        image: 1.2 * (0.25 + 0.75 * sum(counts.values()) / mean)
        if bm25
        else math.sqrt(sum((n * rarity[word]) ** 2 for word, n in counts.items())) or 1.0
        for image, counts in images.items()
    }
    lines = []
    for query, query_counts in queries.items():
        scores = defaultdict(float)
        for word, m in query_counts.items():
            for image, n in postings.get(word, ()):
                gain = 2.2 * n / (n + norm[image]) if bm25 else m * n * rarity[word] / norm[image]
                scores[image] += rarity[word] * gain
        best = sorted(scores.items(), key=lambda row: (-row[1], row[0]))[:50]
        lines += [
            f"{query} Q0 {image} {rank} {score:.6f} text\n"
            for rank, (image, score) in enumerate(best, 1)
        ]
    return "".join(lines)


@pytest.fixture
def flickr8k(tmp_path, media_root):
    """The collection with its reference, the experts' grades, two runs, a pool and its numbers."""
    subprocess.run([sys.executable, TOOL, FOLDER / "flickr8k_judgments", tmp_path], check=True)
    levels = {"levels": LEVELS, "positive_from": 4, "name": "Flickr8k experts"}
    call_command("load_collection", "flickr8k", tmp_path / "collection.jsonl", **levels)
    call_command("load_reference", "flickr8k", tmp_path / "reference.qrels")
    call_command(
        "import_judgments",
        "flickr8k",
        tmp_path / "experts.csv",
        annotators="expert1,expert2,expert3",
    )
    collection = Collection.objects.get(slug="flickr8k")
    collection.files = {}
    queries, images = (
        word_counts(tmp_path / "collection.jsonl", side="query"),
        word_counts(tmp_path / "image_texts.jsonl"),
    )
    for name in ("tf-idf", "bm25"):
        collection.files[name] = search(queries, images, bm25=name == "bm25")
        upload = ContentFile(collection.files[name].encode(), name=f"{name}.run")
        received = runs.receive_run(
            collection=collection, name=name, direction="forward", upload=upload
        )
        runs.read_here(run=received.run)
    ready = list(collection.runs.filter(state="ready"))
    pool = create_pool(
        collection=collection,
        name="depth 5",
        strategy="depth-k",
        parameters={"depth": 5},
        runs=ready,
    )
    open_pool(pool=pool)
    start = time.perf_counter()
    refresh.refresh(collection=collection)
    print(
        f"\nrefresh of {collection.judgments.count()} judgments, 2 runs: "
        f"{time.perf_counter() - start:.2f} s"
    )
    return collection


def test_the_dashboard_says_what_is_known_of_the_experts_grades(client, flickr8k):
    client.force_login(cast.member(flickr8k, Role.LEAD))
    known_alphas = {
        "nominal": "0.52",
        "ordinal": "0.69",
        "interval": "0.79",
        "ratio": "0.71",
    }
    for level, value in known_alphas.items():
        page = client.get("/c/flickr8k/dashboard/agreement/", {"level": level}).content.decode()
        row = page.partition("Krippendorff's alpha, <")[2].partition("</tr>")[0]
        assert f">{level}<" in row and f">{value}<" in row
        assert "17,466" in page and "5,822 pairs with two planned labels or more" in page
    rows = {row["kind"]: row for row in flickr8k.snapshots.get(kind="progress").value["rounds"]}
    assert (rows["import"]["n_pairs"], rows["import"]["n_done"]) == (5822, 17466)
    assert rows["pool"]["n_left"] > 0
    lines = downloaded(client, flickr8k, "judgments", format="jsonl").splitlines()
    assert len(lines) == 17466


def test_the_leaderboard_says_what_ir_measures_says_on_the_files(client, flickr8k):
    client.force_login(cast.member(flickr8k, Role.RESEARCHER))
    theirs = {
        "C@1": Success(rel=4) @ 1,
        "C@10": Success(rel=4) @ 10,
        "AP": AP(rel=4),
        "nDCG@10": nDCG @ 10,
    }
    for source in ("over:original", "none:original"):
        labels = downloaded(client, flickr8k, "qrels", label_source=source)
        qrels = list(ir_measures.read_trec_qrels(labels))
        for name, file in flickr8k.files.items():
            values = ir_measures.calc_aggregate(
                theirs.values(), qrels, list(ir_measures.read_trec_run(file))
            )
            for measure, their_measure in theirs.items():
                score = Score.objects.get(run__name=name, measure=measure, label_source=source)
                assert score.mean == pytest.approx(values[their_measure], abs=1e-9)
    page = client.get("/c/flickr8k/results/leaderboard/").content.decode()
    assert re.search(r"original</th>\s*<td[^>]*>977</td>\s*<td[^>]*>819</td>", page)
    assert "bm25" in page and "tf-idf" in page
