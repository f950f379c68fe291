import yaml
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.yaml_text import yaml_text
from tests.metrics.core.releases.samples.hostile_names import HOSTILE_NAMES

TEXTS = st.one_of(HOSTILE_NAMES, st.text())
SCALARS = st.one_of(TEXTS, st.integers(), st.booleans(), st.floats(-1e9, 1e9))
KEYS = st.sampled_from(["a", "b", "research goal", "cff-version"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.dictionaries(KEYS, inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


@given(fields=st.dictionaries(KEYS, VALUES, min_size=1))
def test_yaml_gives_back_what_was_written(fields):
    assert yaml.safe_load(yaml_text(fields)) == fields


@given(text=TEXTS)
def test_a_text_is_one_line_of_yaml(text):
    assert yaml_text({"title": text}).splitlines() == [yaml_text({"title": text})[:-1]]


def test_the_block_style_is_that_of_the_examples_of_its_readers():
    fields = {"authors": [{"name": "A", "orcid": "B"}, {"name": "C"}], "data": {"other": [1, 0.5]}}
    assert yaml_text(fields) == (
        'authors:\n  - name: "A"\n    orcid: "B"\n  - name: "C"\ndata:\n  other:\n    - 1\n'
        "    - 0.5\n"
    )


def test_what_yaml_takes_otherwise_than_json_is_written_so_that_it_does_not():
    fields = {
        "a": 1e-7,
        "b": 5e-324,
        "c": "\x85 \u2028 \ufeff \x7f",
        "d": "null",
        "e": "2026-11-30",
    }
    assert yaml.safe_load(yaml_text(fields)) == fields
