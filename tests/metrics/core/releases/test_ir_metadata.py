from dataclasses import replace

import yaml
from hypothesis import given

from metrics.core.releases.ir_metadata import ir_metadata
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES
from tests.metrics.core.releases.samples.manifests import (
    bare_manifest,
    example_manifest,
    example_runs,
    renamed_manifest,
)

QRELS = {
    "forward": ["qrels/forward/over-original.txt", "qrels/forward/only.txt"],
    "reverse": "qrels/reverse/over-original.txt",
}
REFERENCES = [{"name": "original"}, {"name": "cxc"}]


def collection(qrels: str | list[str]) -> dict:
    name = "Captions and images, relabelled, version 1.2.0"
    return {"test collection": {"name": name, "qrels": qrels}, "other": REFERENCES}


def test_a_release_s_metadata_are_what_wrote_it_who_made_it_and_its_labels():
    paths = [QRELS["forward"][0], QRELS["reverse"], QRELS["forward"][1]]
    assert yaml.safe_load(ir_metadata(example_manifest())) == {
        "schema-version": 0.1,
        "platform": {"software": {"libraries": ["assayer==0.1.1", "pyarrow==21.0.0"]}},
        "research goal": {
            "evaluation": {
                "reported measures": ["AP", "nDCG@10", "Judged@1", "Judged@5", "Judged@10"]
            }
        },
        "actor": [
            {
                "name": "Ada Byron",
                "orcid": "0000-0002-1825-0097",
                "team": "University of Example",
            },
            {"name": "Example Lab"},
        ],
        "data": collection(paths),
    }


def test_a_named_run_s_metadata_are_its_system_team_paper_order_and_measures():
    run = example_runs()[0]
    assert yaml.safe_load(ir_metadata(example_manifest(), run)) == {
        "schema-version": 0.1,
        "tag": "clip-large",
        "research goal": {
            "publication": {"arxiv": "https://arxiv.org/abs/2103.00020"},
            "evaluation": {
                "reported measures": ["AP", "nDCG@10", "Judged@1", "Judged@5", "Judged@10"]
            },
        },
        "method": {
            "score ties": "document id, descending, of scores that are equal in single precision",
            "retrieval": [{"name": "CLIP ViT-L/14"}],
            "description": "Cosine of the embeddings.",
        },
        "actor": {"team": "Example Lab"},
        "data": collection(QRELS["forward"]),
    }


def test_a_run_under_an_alias_has_no_system_team_and_paper_even_if_they_come_along():
    run = replace(example_runs()[0], alias="run-02", is_named=False)
    fields = yaml.safe_load(ir_metadata(example_manifest(), run))
    assert fields["tag"] == "run-02"
    assert fields["method"].keys() == {"score ties"}
    assert not {"actor", "research goal"} & fields.keys()


def test_a_paper_stands_under_the_key_of_its_address_and_other_words_nowhere():
    def publication(paper: str) -> dict | None:
        run = replace(example_runs()[0], paper=paper)
        goal = yaml.safe_load(ir_metadata(example_manifest(), run))["research goal"]
        return goal.get("publication")

    assert publication("10.1145/3477495.3531738") == {
        "doi": "https://doi.org/10.1145/3477495.3531738"
    }
    assert publication("https://doi.org/10.1145/1.2") == {"doi": "https://doi.org/10.1145/1.2"}
    assert publication("https://dblp.org/rec/conf/a/b") == {"dblp": "https://dblp.org/rec/conf/a/b"}
    assert publication("https://example.org/a.pdf") == {"url": "https://example.org/a.pdf"}
    assert publication("Breuer et al. 2022") is None


def test_what_is_not_known_is_not_there():
    name = "Captions and images, relabelled, version 1.2.0"
    assert yaml.safe_load(ir_metadata(bare_manifest())) == {
        "schema-version": 0.1,
        "data": {"test collection": {"name": name}},
    }


def test_its_marks_are_those_that_repro_eval_looks_for_and_run_files_can_begin_with_it():
    """repro_eval strips `#` from the lines between the marks, at the head of a run file."""
    first, *middle, last = ir_metadata(example_manifest()).splitlines()
    assert (first, last) == ("# ir_metadata.start", "# ir_metadata.end")
    header = [f"# {line}" for line in middle]
    assert yaml.safe_load("".join(f"{line.strip('#')}\n" for line in header)) == yaml.safe_load(
        ir_metadata(example_manifest())
    )


@given(name=HOSTILE_NAMES)
def test_no_name_breaks_the_metadata(name):
    manifest = renamed_manifest(name)
    for run in (None, *manifest.runs):
        fields = yaml.safe_load(ir_metadata(manifest, run))
        assert fields["data"]["test collection"]["name"].endswith(", version 1.2.0")
        assert fields.get("tag", name) == name
