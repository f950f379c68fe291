"""Files of query groups: a table with columns query and group, or the two on each line."""

from collections.abc import Hashable, Mapping, Sequence
from typing import BinaryIO

from annotate.core.files.formats import FormatError, Problems, quoted
from annotate.core.files.text_files import first_line, header_of, lines, table_rows
from metrics.core.statistics.groups import Groups

QUERY, GROUP = "query", "group"
_DIRECTION_HINT = " Of a file of both directions, keep the lines of one."


class GroupNames:
    """The group of each query in a file; "" for a query that stands by itself."""

    def __init__(self, name: str, *, hint: str = "") -> None:
        """hint : text added to the error about a query with two groups."""
        self._name, self._hint = name, hint
        self._groups: dict[str, tuple[str, int]] = {}

    def add(self, query: str, group: str, line: int) -> None:
        """Add one line.

        Raises FormatError where an earlier line has another group for the query.
        """
        group = group.strip()
        earlier_group, earlier_line = self._groups.setdefault(query, (group, line))
        if earlier_group != group:
            message = (
                f"query {quoted(query)} {_belongs_text(group)}, but in line {earlier_line} it "
                f"{_belongs_text(earlier_group)}.{self._hint}"
            )
            raise FormatError(self._name, line, GROUP, message)

    def by_query(self) -> dict[str, str]:
        """Queries with their groups, in the file's order."""
        return {query: group for query, (group, _) in self._groups.items()}


def read_groups(stream: BinaryIO, *, name: str) -> dict[str, str]:
    """Read the group of each query of a file, gzip or plain; "" where the query stands by itself.

    A table (CSV, or tabs) has a header with the columns query and group; other columns are ignored,
    and repeated queries must agree. Without such a header each line is a query and its group,
    separated by a tab or blanks.
    Raises FormatError.
    """
    columns = {column.strip() for column in header_of(stream, name)}
    names = GroupNames(name, hint=_DIRECTION_HINT if "direction" in columns else "")
    if {QUERY, GROUP} <= columns:
        problems = Problems()
        for number, cells in table_rows(stream, name, problems):
            names.add(_query(cells[QUERY], number, name), cells[GROUP], number)
        if problems:
            raise problems.errors[0]
    else:
        separator = "\t" if "\t" in first_line(stream, name) else None
        for number, text in lines(stream, name):
            if text.strip():
                query, group = _two_fields(text.split(separator), number, name)
                names.add(_query(query, number, name), group, number)
    groups = names.by_query()
    if not groups:
        raise FormatError(name, None, "", "The file names no queries.")
    return groups


def group_names(queries: Sequence[str], groups: Mapping[str, str]) -> list[str]:
    """The group of each query in a file, "" for queries that the file does not name."""
    return [groups.get(query.strip(), "") for query in queries]


def as_groups(names: Sequence[Hashable]) -> Groups:
    """Group Q queries by the name of each one's group; those without a name stand by themselves."""
    numbers: dict[Hashable, int] = {}
    return Groups.of(
        [numbers.setdefault(name, len(numbers)) if name else -1 - q for q, name in enumerate(names)]
    )


def _two_fields(fields: list[str], number: int, name: str) -> tuple[str, str]:
    """Return a query and its group. Raises FormatError for a line of more or fewer fields."""
    if len(fields) != 2:
        expected = (
            f"expected a query and its group, parted by a tab or blanks, found {len(fields)} fields"
        )
        table = 'the first line of a table names the columns "query" and "group"'
        raise FormatError(name, number, "", f"{expected}; {table}.")
    return fields[0], fields[1]


def _query(text: str, number: int, name: str) -> str:
    """Return the id of a query. Raises FormatError for a blank one."""
    if not text.strip():
        raise FormatError(name, number, QUERY, "the query is blank.")
    return text.strip()


def _belongs_text(group: str) -> str:
    return f"belongs to {quoted(group)}" if group else "stands by itself"
