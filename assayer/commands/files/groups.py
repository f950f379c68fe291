"""Options of commands for the groups of queries that are drawn and tested as a whole."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotate.core.files.formats import quoted
from assayer.commands.command import CommandFailed, remark
from metrics.core.files.groups import as_groups, group_names, read_groups
from metrics.core.statistics.groups import Groups

FILE_HELP = (
    "which queries belong together: a table with the columns query and group, or the two on each "
    "line"
)


def add_group_arguments(parser: ArgumentParser) -> None:
    """Add the options that name the groups of queries, or take each query by itself."""
    options = parser.add_mutually_exclusive_group()
    options.add_argument(
        "--groups", metavar="FILE", help=f"{FILE_HELP}; default: column group of a file of scores"
    )
    options.add_argument(
        "--no-groups", action="store_true", help="take each query by itself, whatever its group"
    )


def groups_from_file(path: str, queries: Sequence[str], *, noun: str = "queries") -> Groups:
    """Read the groups of Q queries.

    Those not in the file stand by themselves, and stderr says how many.
    noun : word for the queries in messages, where they are something else
    Raises FormatError and OSError, and CommandFailed where the file names none of them.
    """
    with open(path, "rb") as stream:
        groups = read_groups(stream, name=path)
    unnamed_queries = [query for query in queries if query.strip() not in groups]
    if unnamed_queries:
        total_text = f"of {len(queries):,} {noun}, such as {quoted(unnamed_queries[0])}"
        if len(unnamed_queries) == len(queries):
            raise CommandFailed(
                f"{path} names none {total_text}; it has {len(groups):,}, such as "
                f"{quoted(next(iter(groups)))}."
            )
        remark(
            f"{path} does not name {len(unnamed_queries):,} {total_text}: each of them stands by "
            "itself."
        )
    return as_groups(group_names(queries, groups))


def groups_of(
    queries: Sequence[str],
    score_groups: Sequence[str] | None,
    options: Namespace,
) -> Groups:
    """Return the groups of Q queries by --groups, else by their file of scores, unless --no-groups.

    score_groups : (Q,) the groups in the file of scores, "" for queries that stand by themselves;
        None where it has none
    Raises CommandFailed where several queries are all of one group.
    """
    if options.groups:
        groups = groups_from_file(options.groups, queries)
    elif score_groups is None or options.no_groups:
        groups = Groups.single(len(queries))
    else:
        groups = as_groups(score_groups)
    refuse_one_group(groups)
    return groups


def refuse_one_group(
    groups: Groups, *, noun: str = "queries", advice: str = "--no-groups takes them one by one"
) -> None:
    """Raise CommandFailed where several queries are all of one group."""
    if groups.n == 1 and not groups.are_single:
        fact = (
            f"All {groups.n_queries:,} {noun} are of one group: a group by itself says nothing of "
            "the spread"
        )
        raise CommandFailed(f"{fact}; {advice}.")
