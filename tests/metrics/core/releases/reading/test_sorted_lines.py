"""Lines are found by their ids, and those of no line are not."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from metrics.core.releases.reading.sorted_lines import SortedLines

IDS = st.lists(st.text(min_size=1, max_size=30), unique=True, max_size=40)


def lines(names: list[str], text: str = "t") -> bytes:
    rows = [{"_id": name, "text": text * (7 * number)} for number, name in enumerate(names)]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


@given(names=IDS, others=IDS)
def test_every_line_is_found_and_no_other(names, others):
    names = sorted(names, key=str.encode)
    content = lines(names)
    table = SortedLines(io.BytesIO(content), len(content))
    for number, name in enumerate(names):
        assert table.find(name) == {"_id": name, "text": "t" * (7 * number)}
    for name in set(others) - set(names):
        assert table.find(name) is None


def test_few_lines_are_read_of_many():
    class CountingBytes(io.BytesIO):
        n_read = 0

        def readinto(self, buffer) -> int:
            n = super().readinto(buffer)
            self.n_read += n
            return n

    names = [f"d{number:06d}" for number in range(50_000)]
    content = lines(names, text="")
    stream = CountingBytes(content)
    assert SortedLines(stream, len(content)).find("d012345") is not None
    assert stream.n_read < len(content) / 4
