"""Names of files in a release."""

import re

from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.file_names import file_stems


def test_names_become_plain_words() -> None:
    names = ["all", "Hard queries (v2)", "Größen", "検索", "../../etc"]
    assert file_stems(names) == ["all", "hard-queries-v2", "groen", "unnamed", "etc"]


def test_the_second_of_two_equal_names_is_numbered() -> None:
    assert file_stems(["a b", "a-b", "a-b-2", "A B"]) == ["a-b", "a-b-2", "a-b-2-2", "a-b-3"]


@given(st.lists(st.text(max_size=12), max_size=8))
def test_every_name_has_a_file_of_its_own(names: list[str]) -> None:
    stems = file_stems(names)
    assert len(set(stems)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", stem) for stem in stems)
