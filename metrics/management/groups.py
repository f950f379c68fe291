"""The groups of queries that commands draw and test as a whole."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, OutputWrapper

from annotate.core.formats import shown
from metrics.core.group_files import as_groups, named, read_groups
from metrics.core.groups import Groups

FILE_HELP = "which queries belong together: a table with the columns query and group, or the two on each line"


def add_group_arguments(parser: ArgumentParser) -> None:
    """Where the groups of queries are, or that each query is taken by itself."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--groups", metavar="FILE", help=f"{FILE_HELP}; default: column group of a file of scores")
    chosen.add_argument("--no-groups", action="store_true", help="take each query by itself, whatever its group")


def groups_from_file(path: str, queries: Sequence[str], *, stderr: OutputWrapper, of: str = "queries") -> Groups:
    """The groups of Q queries that a file names; the others stand by themselves, and stderr says how many.

    of : what these are, where they are no queries
    Raises FormatError and OSError, and CommandError where the file names none of them.
    """
    with open(path, "rb") as stream:
        groups = read_groups(stream, name=path)
    unnamed = [query for query in queries if query.strip() not in groups]
    if unnamed:
        told = f"of {len(queries):,} {of}, such as {shown(unnamed[0])}"
        if len(unnamed) == len(queries):
            raise CommandError(
                f"{path} names none {told}; it has {len(groups):,}, such as {shown(next(iter(groups)))}."
            )
        stderr.write(f"{path} does not name {len(unnamed):,} {told}: each of them stands by itself.")
    return as_groups(named(queries, groups))


def groups_of(
    queries: Sequence[str], of_scores: Sequence[str] | None, options: dict[str, Any], *, stderr: OutputWrapper
) -> Groups:
    """The groups of Q queries by --groups, else by their own file of scores, unless --no-groups.

    of_scores : (Q,) the groups that the file of scores names, "" of queries that stand by themselves; None where it
        says nothing
    Raises CommandError where several queries are all of one group.
    """
    if options["groups"]:
        groups = groups_from_file(options["groups"], queries, stderr=stderr)
    elif of_scores is None or options["no_groups"]:
        groups = Groups.single(len(queries))
    else:
        groups = as_groups(of_scores)
    refuse_one_group(groups)
    return groups


def refuse_one_group(
    groups: Groups, *, of: str = "queries", instead: str = "--no-groups takes them one by one"
) -> None:
    """Raises CommandError where several queries are all of one group."""
    if groups.n == 1 and not groups.are_single:
        fact = f"All {groups.n_queries:,} {of} are of one group: a group by itself says nothing of the spread"
        raise CommandError(f"{fact}; {instead}.")
