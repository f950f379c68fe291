"""The positives that the package eccv_caption ships, as reference sets of a collection: Table 3 must come out.

Chun et al. 2022 (ECCV Caption), Table 3, counts each set on ECCV's own queries: 1,332 captions and 1,261 images.
"""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.core.sources import FileSource
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
from annotate.services.loading import load_collection
from annotate.services.overview import overview
from annotate.services.query_sets import load_query_set
from annotate.services.reference_lines import qrels_lines
from annotate.services.references import Rejected, load_reference
from metrics.services import leaderboard_views, refresh
from metrics.services.leaderboard_wanted import read
from pooling.services.runs import receive_run
from tests import cast
from tests.annotate.core.files import archive, file
from tests.real_data import FOLDER, needs_real_data
from tests.works import done

FOUND = importlib.util.find_spec("eccv_caption")
LISTS = Path(FOUND.origin).parent / "data" if FOUND and FOUND.origin else FOLDER
pytestmark = [pytest.mark.django_db, needs_real_data]
SIDES = ("query", "document")
KINDS = ("caption_to_image", "image_to_caption")


def keys(name: str) -> list[str]:
    return list(json.loads((LISTS / f"{name}.json").read_bytes()))


@pytest.fixture
def coco():
    """The 5,000 test images of COCO and all captions that a list names, by their ids alone."""
    collection = cast.collection("coco")
    captions, images = keys("original_caption_to_image"), keys("original_image_to_caption")
    # two pairs of ECCV's lists name a caption that is none of COCO's test captions
    listed = json.loads((LISTS / "eccv_image_to_caption.json").read_bytes()).values()
    captions += sorted({str(each) for some in listed for each in some} - set(captions))
    sides = [("query", each) for each in captions] + [("document", each) for each in images]
    lines = [json.dumps({"side": side, "id": each, "parts": []}) for side, each in sides]
    load_collection(collection=collection, source=FileSource(file(*lines), "coco.jsonl"))
    for name in ("original", "cxc", "eccv"):
        both = archive({f"{kind}.json": (LISTS / f"{name}_{kind}.json").read_bytes() for kind in KINDS})
        load_reference(collection=collection, stream=both, file_name=f"{name}.zip", name=name)
    for direction, kind in zip(("forward", "reverse"), KINDS, strict=True):
        with (LISTS / f"eccv_{kind}.json").open("rb") as stream:
            load_query_set(
                collection=collection, stream=stream, file_name=f"{kind}.json", name="eccv", direction=direction
            )
    return collection


def test_table_3_comes_out_on_the_collections_page(coco, client):
    figures = overview(collection=coco)
    names = [each.name for each in figures.reference_sets]
    counts = {
        (row.query_set.name, row.query_set.direction): (
            row.query_set.n_sources,
            dict(zip(names, row.counts, strict=True)),
        )
        for row in figures.positives
    }
    assert counts["eccv", "forward"] == (1_332, {"original": 1_332, "cxc": 1_895, "eccv": 11_279})
    assert counts["eccv", "reverse"] == (1_261, {"original": 6_305, "cxc": 8_906, "eccv": 22_550})
    assert counts["all", "forward"][1] | {"eccv": 0} == {"original": 25_000, "cxc": 35_585, "eccv": 0}
    person = cast.user("rosa")
    Membership.objects.create(user=person, collection=coco, role="researcher")
    client.force_login(person)
    page = client.get("/c/coco/").content.decode()
    for count in ("1,332", "6,305", "1,895", "8,906", "11,279", "22,550"):
        assert f'<td class="number">{count}</td>' in page


def test_table_3_comes_out_on_the_leaderboard_by_label_source(coco, client):
    """Each set is Table 3's row. Sets together are those of the lists joined: they do not hold one another whole.

    CxC's list lacks 8 captions that are COCO's own positives of ECCV's images, and ECCV's lacks 9 of the two. What
    people verified is not published apart: all that ECCV adds to CxC stands in for it here.
    """
    judge_what_eccv_adds(coco)
    captions, images = (list(coco.items.filter(side=side).values_list("pk", flat=True)) for side in SIDES)
    cast.run(coco, "system", {captions[0]: ([images[0]], [1.0])})
    cast.run(coco, "back", {images[0]: ([captions[0]], [1.0])}, direction="reverse")
    refresh.refresh(collection=coco)
    person = cast.user("rosa")
    Membership.objects.create(user=person, collection=coco, role="researcher")
    client.force_login(person)
    image_of = json.loads((LISTS / "original_caption_to_image.json").read_bytes())
    n_groups = len({image_of[caption][0] for caption in keys("eccv_caption_to_image")})
    for key, n_images, n_captions in (
        ("none:original", "1,332", "6,305"),
        ("none:cxc", "1,895", "8,906"),
        ("none:eccv", "11,279", "22,550"),
        ("none:cxc,original", "1,895", "8,914"),
        ("none:cxc,eccv,original", "11,279", "22,559"),
        ("over:cxc,original", "11,279", "22,559"),
        ("union:cxc,original", "11,279", "22,559"),
    ):
        given = {"labels": key, "queries": "eccv"}
        wanted = read(collection=coco, viewer=person, given=given).wanted
        leaderboard_views.compute(collection=coco, wanted=wanted)
        page = " ".join(client.get("/c/coco/leaderboard/", given).content.decode().split())
        assert f"1,332 queries of {n_groups:,} documents with {n_images} positive pairs" in page, key
        assert f"1,261 documents with {n_captions} positive pairs" in page, key


def judge_what_eccv_adds(coco):
    """Grade 1 by people for each pair of ECCV's lists that CxC's do not hold."""
    eccv, cxc = (
        set(ReferenceLabel.objects.filter(reference_set__name=name).values_list("query", "document"))
        for name in ("eccv", "cxc")
    )
    new = sorted(eccv - cxc)
    pairs = Pair.objects.bulk_create(Pair(collection=coco, query_id=q, document_id=d) for q, d in new)
    told = {"collection": coco, "status": "single", "grade": 1, "n_labels": 1, "policy": cast.policy(coco)}
    Resolution.objects.bulk_create(Resolution(pair=pair, **told) for pair in pairs)


def test_the_sets_go_out_and_come_in_again_the_same(coco):
    for reference in ReferenceSet.objects.filter(collection=coco):
        out = "".join(qrels_lines(reference_set=reference)).encode()
        again = SimpleUploadedFile("again.qrels", out)
        assert not load_reference(collection=coco, stream=again.file, file_name="a", name=reference.name).is_new


@pytest.mark.heavy
def test_a_random_matrix_of_all_captions_and_images_is_a_run(coco):
    rng = np.random.default_rng(7)
    rows = np.array(keys("original_caption_to_image"))
    columns = np.array(keys("original_image_to_caption"))
    sim = rng.standard_normal((len(rows), len(columns)), dtype=np.float32)
    upload = ContentFile(b"", "random.npz")
    np.savez(upload.file, sim_mat=sim, row_ids=rows, column_ids=columns)
    upload.seek(0)
    run = receive_run(collection=coco, name="random", direction="forward", upload=upload).run
    done(run)
    assert run.state == run.State.READY, run.report
    assert run.rankings.count() == 25_000


@pytest.mark.parametrize("name", ["qrels.test", "qrels.rel_level", "qrels-302.test"])
def test_the_qrels_of_trec_evals_own_tests_load(name):
    lines = (FOLDER / "trec_eval_test" / name).read_text().splitlines()
    fields = [line.split() for line in lines]
    report = loaded(name, fields)
    assert report.n_rows == len(lines)
    assert report.n_labels == len({(row[0], row[2]) for row in fields if int(row[3]) >= 0})


def test_qrels_of_several_assessors_who_differ_are_no_reference_and_both_lines_are_named():
    lines = (FOLDER / "trec_eval_test" / "qrels.123").read_text().splitlines()
    with pytest.raises(Rejected, match=r"Line 3686: line 5 gives this pair grade 0; keep one of them\."):
        loaded("qrels.123", [line.split() for line in lines])
    assert not ReferenceSet.objects.exists()


def loaded(name, fields):
    """What is said of qrels of trec_eval's own tests, loaded into a collection of their items."""
    collection = cast.collection(grades=7)
    for side, place in (("query", 0), ("document", 2)):
        ids = {row[place] for row in fields}
        Item.objects.bulk_create(Item(collection=collection, side=side, external_id=each) for each in sorted(ids))
    with (FOLDER / "trec_eval_test" / name).open("rb") as stream:
        return load_reference(collection=collection, stream=stream, file_name=name, name="original")


def test_the_runs_of_trec_evals_own_tests_load():
    lines = (FOLDER / "trec_eval_test" / "results.test").read_text().splitlines()
    collection = cast.collection()
    fields = [line.split() for line in lines]
    for side, place in (("query", 0), ("document", 2)):
        ids = {row[place] for row in fields}
        Item.objects.bulk_create(Item(collection=collection, side=side, external_id=each) for each in sorted(ids))
    upload = ContentFile((FOLDER / "trec_eval_test" / "results.test").read_bytes(), "results.test")
    run = receive_run(collection=collection, name="trec", direction="forward", upload=upload).run
    done(run)
    assert run.state == run.State.READY, run.report
    assert run.report["n_kept"] == len(lines)
    assert QuerySetItem.objects.count() == QuerySet.objects.count() == 0
