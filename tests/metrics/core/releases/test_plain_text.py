from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.plain_text import one_line


@given(text=st.text())
def test_one_line_has_no_line_end_and_no_control_character(text):
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not {"\x00", "\x7f", "\x85", "\ufeff"} & set(line)
    assert one_line(line) == line


def test_control_characters_part_words_and_blanks_become_one():
    assert one_line(" a\x00b\r\n\tc  d ") == "a b c d"
