"""JSON lines in the order of their ids, looked up without reading them all."""

import io
import json
from typing import Any

ID = "_id"
BUFFER = 16_384  # bytes read at each look


class SortedLines:
    """Lines of JSON whose `_id` ascends by its bytes, as in the BEIR folder of a release.

    stream : can be sought; n_bytes : its length
    """

    def __init__(self, stream: io.RawIOBase, n_bytes: int) -> None:
        self._stream = io.BufferedReader(stream, BUFFER)
        self._n_bytes = n_bytes

    def find(self, external_id: str) -> dict[str, Any] | None:
        """Return the line of an id; None without one. It looks at as many lines as halvings."""
        key, low, high = external_id.encode(), 0, self._n_bytes
        while low < high:  # the line begins somewhere from low to before high
            middle = (low + high) // 2
            self._stream.seek(max(0, middle - 1))
            if middle:
                self._stream.readline()  # to the first line that begins at the middle or later
            line = self._stream.readline()
            if not line:
                high = middle
                continue
            row: dict[str, Any] = json.loads(line)
            line_key = str(row[ID]).encode()
            if line_key == key:
                return row
            if line_key < key:
                low = self._stream.tell()
            else:
                high = middle
        return None
