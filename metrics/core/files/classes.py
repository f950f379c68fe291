"""Files of classes: a table with an item a line, and a column of 0 or 1 for each class."""

from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.files.formats import FormatError, Problems, id_fault, quoted
from annotate.core.files.text_files import header_of, table_rows

_VALUES = {"0": 0, "1": 1}


class ClassTable(NamedTuple):
    """Items and their classes.

    ids : (N,) in the order of the file; classes : (C,) names
    has_class : (N, C) uint8 of 0 and 1
    """

    ids: list[str]
    classes: list[str]
    has_class: NDArray[np.uint8]

    def reordered(self, classes: list[str], *, name: str) -> "ClassTable":
        """The same table with its columns in this order; name : of its file.

        Raises FormatError where it has other classes.
        """
        if sorted(classes) != sorted(self.classes):
            odd_classes = sorted(set(classes) ^ set(self.classes))
            message = f"the two files have other classes: {quoted(odd_classes[0])} is in one alone."
            raise FormatError(name, 1, odd_classes[0], message)
        order = [self.classes.index(label) for label in classes]
        return ClassTable(self.ids, classes, self.has_class[:, order])


def read_classes(stream: BinaryIO, problems: Problems, *, name: str) -> ClassTable:
    """Read a table (CSV, or tabs) with a header: ids in its first column, a class in each other.

    Faulty lines go to `problems`: an id that cannot be one or stands twice, a cell other than 0 and
    1. Raises FormatError for a file without a class or an item.
    """
    classes = header_of(stream, name)[1:]
    if not classes:
        message = "expected ids in the first column and a column of 0 or 1 for each class."
        raise FormatError(name, 1, "", message)
    stream.seek(0)
    line_by_id: dict[str, int] = {}
    rows = bytearray()
    for number, cells in table_rows(stream, name, problems):
        key, *texts = cells.values()
        fault = id_fault(key)
        if not fault and key in line_by_id:
            fault = f"{quoted(key)} stands on line {line_by_id[key]} already"
        if fault:
            problems.add_or_stop(FormatError(name, number, "id", f"{fault}."))
            continue
        line_by_id[key] = number
        values = [_VALUES.get(text.strip()) for text in texts]
        if None in values:
            column = values.index(None)
            message = f"{quoted(texts[column])} is neither 0 nor 1."
            problems.add_or_stop(FormatError(name, number, classes[column], message))
            continue
        rows += bytes(value for value in values if value is not None)
    if not line_by_id and not problems:
        raise FormatError(name, None, "", "there is no item below the header.")
    has_class = np.frombuffer(bytes(rows), dtype=np.uint8).reshape(-1, len(classes))
    return ClassTable(list(line_by_id), classes, has_class)
