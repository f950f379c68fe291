"""The positives of the package eccv_caption, as reference sets of a collection, give Table 3.

Chun et al. 2022 (ECCV Caption), Table 3, counts each set on ECCV's own queries: 1,332 captions and
1,261 images.
"""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.core.files.archives.sources import FileSource
from annotate.models import (
    Item,
    Membership,
    Pair,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    ReferenceSet,
    Resolution,
)
from annotate.services.collection.query_sets import load_query_set
from annotate.services.collection.reference_qrels import qrels_lines
from annotate.services.collection.references import FileRejected, load_reference
from annotate.services.imports.items import load_collection
from annotate.services.pages.overview import overview
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from pooling.services.runs.runs import receive_run
from tests import cast
from tests.annotate.core.files.samples import archive, file
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.real_data import FOLDER, needs_real_data
from tests.works import perform_work

PACKAGE = importlib.util.find_spec("eccv_caption")
LIST_FOLDER = Path(PACKAGE.origin).parent / "data" if PACKAGE and PACKAGE.origin else FOLDER
pytestmark = [pytest.mark.django_db, needs_real_data]
SIDES = ("query", "document")
KINDS = ("caption_to_image", "image_to_caption")


def list_keys(name: str) -> list[str]:
    return list(json.loads((LIST_FOLDER / f"{name}.json").read_bytes()))


@pytest.fixture
def coco():
    """The 5,000 test images of COCO and all captions of the lists, as items without parts."""
    collection = cast.collection("coco")
    captions, images = (
        list_keys("original_caption_to_image"),
        list_keys("original_image_to_caption"),
    )
    # two pairs of ECCV's lists have a caption outside of COCO's test captions
    listed = json.loads((LIST_FOLDER / "eccv_image_to_caption.json").read_bytes()).values()
    captions += sorted(
        {str(caption) for captions_of_image in listed for caption in captions_of_image}
        - set(captions)
    )
    sides = [("query", caption) for caption in captions] + [("document", image) for image in images]
    lines = [
        json.dumps({"side": side, "id": external_id, "parts": []}) for side, external_id in sides
    ]
    load_collection(collection=collection, source=FileSource(file(*lines), "coco.jsonl"))
    for name in ("original", "cxc", "eccv"):
        upload = archive(
            {f"{kind}.json": (LIST_FOLDER / f"{name}_{kind}.json").read_bytes() for kind in KINDS}
        )
        load_reference(collection=collection, stream=upload, file_name=f"{name}.zip", name=name)
    for direction, kind in zip(("forward", "reverse"), KINDS, strict=True):
        with (LIST_FOLDER / f"eccv_{kind}.json").open("rb") as stream:
            load_query_set(
                collection=collection,
                stream=stream,
                file_name=f"{kind}.json",
                name="eccv",
                direction=direction,
            )
    return collection


def test_table_3_comes_out_on_the_collections_page(coco, client):
    figures = overview(collection=coco)
    counts = {
        (row.query_set.name, row.query_set.direction): (
            row.query_set.n_sources,
            dict(row.counts),
        )
        for row in figures.positives
    }
    assert counts["eccv", "forward"] == (1_332, {"original": 1_332, "cxc": 1_895, "eccv": 11_279})
    assert counts["eccv", "reverse"] == (1_261, {"original": 6_305, "cxc": 8_906, "eccv": 22_550})
    assert counts["all", "forward"][1] | {"eccv": 0} == {
        "original": 25_000,
        "cxc": 35_585,
        "eccv": 0,
    }
    person = cast.user("rosa")
    Membership.objects.create(user=person, collection=coco, role="researcher")
    client.force_login(person)
    page = text_of(client.get("/c/coco/"))
    for count in ("1,332", "6,305", "1,895", "8,906", "11,279", "22,550"):
        assert f">{count}</td>" in page


def test_table_3_comes_out_on_the_leaderboard_by_label_source(coco, client):
    """Each single set gives its row of Table 3; several sets give the union of their lists.

    No list contains another: CxC's lacks 8 captions that are COCO's own positives of ECCV's images,
    and ECCV's lacks 9 of the two. The pairs that people verified are not published separately: here
    all pairs that ECCV adds to CxC stand for them.
    """
    judge_pairs_new_in_eccv(coco)
    captions, images = (
        list(coco.items.filter(side=side).values_list("pk", flat=True)) for side in SIDES
    )
    cast.run(coco, "system", {captions[0]: ([images[0]], [1.0])})
    cast.run(coco, "back", {images[0]: ([captions[0]], [1.0])}, direction="reverse")
    refresh.refresh(collection=coco)
    person = cast.user("rosa")
    Membership.objects.create(user=person, collection=coco, role="researcher")
    client.force_login(person)
    image_of = json.loads((LIST_FOLDER / "original_caption_to_image.json").read_bytes())
    n_groups = len({image_of[caption][0] for caption in list_keys("eccv_caption_to_image")})
    for key, n_images, n_captions in (
        ("none:original", "1,332", "6,305"),
        ("none:cxc", "1,895", "8,906"),
        ("none:eccv", "11,279", "22,550"),
        ("none:cxc,original", "1,895", "8,914"),
        ("none:cxc,eccv,original", "11,279", "22,559"),
        ("over:cxc,original", "11,279", "22,559"),
        ("union:cxc,original", "11,279", "22,559"),
    ):
        parameters = {"labels": key, "queries": "eccv"}
        spec = read_choices(collection=coco, viewer=person, parameters=parameters).spec
        boards.compute(collection=coco, spec=spec)
        page = text_of(client.get("/c/coco/results/leaderboard/", parameters))
        assert f"1,332 queries of {n_groups:,} documents with {n_images} positive pairs" in page, (
            key
        )
        assert f"1,261 documents with {n_captions} positive pairs" in page, key


def judge_pairs_new_in_eccv(coco):
    """Give grade 1 by people to each pair of ECCV's lists that is not in CxC's."""
    eccv, cxc = (
        set(
            ReferenceLabel.objects.filter(reference_set__name=name).values_list("query", "document")
        )
        for name in ("eccv", "cxc")
    )
    new_pairs = sorted(eccv - cxc)
    pairs = Pair.objects.bulk_create(
        Pair(collection=coco, query_id=q, document_id=d) for q, d in new_pairs
    )
    fields = {
        "collection": coco,
        "status": "single",
        "grade": 1,
        "n_labels": 1,
        "policy": cast.policy(coco),
    }
    Resolution.objects.bulk_create(Resolution(pair=pair, **fields) for pair in pairs)


def test_the_sets_go_out_and_come_in_again_the_same(coco):
    for reference in ReferenceSet.objects.filter(collection=coco):
        out = "".join(qrels_lines(reference_set=reference)).encode()
        upload = SimpleUploadedFile("again.qrels", out)
        assert not load_reference(
            collection=coco, stream=upload.file, file_name="a", name=reference.name
        ).is_new


@pytest.mark.heavy
def test_a_random_matrix_of_all_captions_and_images_is_a_run(coco):
    rng = np.random.default_rng(7)
    rows = np.array(list_keys("original_caption_to_image"))
    columns = np.array(list_keys("original_image_to_caption"))
    sim = rng.standard_normal((len(rows), len(columns)), dtype=np.float32)
    upload = ContentFile(b"", "random.npz")
    np.savez(upload.file, sim_mat=sim, row_ids=rows, column_ids=columns)
    upload.seek(0)
    run = receive_run(collection=coco, name="random", direction="forward", upload=upload).run
    perform_work(run)
    assert run.state == run.State.READY, run.report
    assert run.rankings.count() == 25_000


@pytest.mark.parametrize("name", ["qrels.test", "qrels.rel_level", "qrels-302.test"])
def test_the_qrels_of_trec_evals_own_tests_load(name):
    lines = (FOLDER / "trec_eval_test" / name).read_text().splitlines()
    fields = [line.split() for line in lines]
    report = load_qrels(name, fields)
    assert report.n_rows == len(lines)
    assert report.n_labels == len({(row[0], row[2]) for row in fields if int(row[3]) >= 0})


def test_qrels_of_several_assessors_who_differ_are_no_reference_and_both_lines_are_named():
    lines = (FOLDER / "trec_eval_test" / "qrels.123").read_text().splitlines()
    with pytest.raises(
        FileRejected, match=r"Line 3686: line 5 gives this pair grade 0; keep one of them\."
    ):
        load_qrels("qrels.123", [line.split() for line in lines])
    assert not ReferenceSet.objects.exists()


def load_qrels(name, fields):
    """Load qrels of trec_eval's own tests into a collection of their items; returns the report."""
    collection = cast.collection(grades=7)
    for side, column in (("query", 0), ("document", 2)):
        ids = {row[column] for row in fields}
        Item.objects.bulk_create(
            Item(collection=collection, side=side, external_id=external_id)
            for external_id in sorted(ids)
        )
    with (FOLDER / "trec_eval_test" / name).open("rb") as stream:
        return load_reference(collection=collection, stream=stream, file_name=name, name="original")


def test_the_runs_of_trec_evals_own_tests_load():
    lines = (FOLDER / "trec_eval_test" / "results.test").read_text().splitlines()
    collection = cast.collection()
    fields = [line.split() for line in lines]
    for side, column in (("query", 0), ("document", 2)):
        ids = {row[column] for row in fields}
        Item.objects.bulk_create(
            Item(collection=collection, side=side, external_id=external_id)
            for external_id in sorted(ids)
        )
    upload = ContentFile((FOLDER / "trec_eval_test" / "results.test").read_bytes(), "results.test")
    run = receive_run(collection=collection, name="trec", direction="forward", upload=upload).run
    perform_work(run)
    assert run.state == run.State.READY, run.report
    assert run.report["n_kept"] == len(lines)
    assert QuerySetItem.objects.count() == QuerySet.objects.count() == 0
