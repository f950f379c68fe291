"""Files that say which queries belong together: a table with the columns query and group, or the two on each line."""

from collections.abc import Hashable, Mapping, Sequence
from typing import BinaryIO

from annotate.core.formats import FormatError, Problems, shown
from annotate.core.reading import first_line, header_of, lines, table_rows
from metrics.core.groups import Groups

QUERY, GROUP = "query", "group"
_BOTH_WAYS = " Of a file of both directions, keep the lines of one."


class GroupNames:
    """The group of each query, as the lines of a file tell it; "" of a query that stands by itself."""

    def __init__(self, name: str, *, hint: str = "") -> None:
        """hint : what else is said of a query with two groups."""
        self._name, self._hint = name, hint
        self._groups: dict[str, tuple[str, int]] = {}

    def add(self, query: str, group: str, line: int) -> None:
        """What one line says. Raises FormatError where an earlier line says something else of the query."""
        group = group.strip()
        earlier, at = self._groups.setdefault(query, (group, line))
        if earlier != group:
            message = f"query {shown(query)} {_belongs(group)}, but in line {at} it {_belongs(earlier)}.{self._hint}"
            raise FormatError(self._name, line, GROUP, message)

    def by_query(self) -> dict[str, str]:
        """Queries with their groups, in the file's order."""
        return {query: group for query, (group, _) in self._groups.items()}


def read_groups(stream: BinaryIO, *, name: str) -> dict[str, str]:
    """The group of each query of a file, gzip or plain; "" where the query stands by itself.

    A table (CSV, or tabs) has a header with the columns query and group; others are ignored, and what stands several
    times must agree. Without such a header each line is a query and its group, parted by a tab or blanks.
    Raises FormatError.
    """
    columns = {column.strip() for column in header_of(stream, name)}
    names = GroupNames(name, hint=_BOTH_WAYS if "direction" in columns else "")
    if {QUERY, GROUP} <= columns:
        problems = Problems()
        for number, cells in table_rows(stream, name, problems):
            names.add(_query(cells[QUERY], number, name), cells[GROUP], number)
        if problems:
            raise problems.errors[0]
    else:
        parting = "\t" if "\t" in first_line(stream, name) else None
        for number, text in lines(stream, name):
            if text.strip():
                query, group = _two_fields(text.split(parting), number, name)
                names.add(_query(query, number, name), group, number)
    groups = names.by_query()
    if not groups:
        raise FormatError(name, None, "", "The file names no queries.")
    return groups


def named(queries: Sequence[str], groups: Mapping[str, str]) -> list[str]:
    """The group of each query as a file has it, "" of those that it does not name."""
    return [groups.get(query.strip(), "") for query in queries]


def as_groups(names: Sequence[Hashable]) -> Groups:
    """The groups of Q queries by the name of each one's; those whose name is empty stand by themselves."""
    number: dict[Hashable, int] = {}
    return Groups.of([number.setdefault(name, len(number)) if name else -1 - q for q, name in enumerate(names)])


def _two_fields(fields: list[str], number: int, name: str) -> tuple[str, str]:
    """A query and its group. Raises FormatError for a line of more or fewer fields."""
    if len(fields) != 2:
        expected = f"expected a query and its group, parted by a tab or blanks, found {len(fields)} fields"
        table = 'the first line of a table names the columns "query" and "group"'
        raise FormatError(name, number, "", f"{expected}; {table}.")
    return fields[0], fields[1]


def _query(text: str, number: int, name: str) -> str:
    """An id of a query. Raises FormatError for a blank one."""
    if not text.strip():
        raise FormatError(name, number, QUERY, "the query is blank.")
    return text.strip()


def _belongs(group: str) -> str:
    return f"belongs to {shown(group)}" if group else "stands by itself"
