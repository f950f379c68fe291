"""The small changes that may be made to a line of Python, or to a line of SQL in it.

One mutant is one change: another comparison, a condition that always holds, a number that is larger
by one, a statement left out. Annotations, docstrings and messages are left alone.
"""

import ast
import re
from collections import Counter
from typing import NamedTuple

COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
OPERATIONS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
NAMES = {
    name: other
    for pair in (
        ("min", "max"),
        ("any", "all"),
        ("minimum", "maximum"),
        ("argmin", "argmax"),
        ("floor", "ceil"),
        ("filter", "exclude"),
        ("first", "last"),
        ("zeros", "ones"),
        ("rjust", "ljust"),
        ("intersection", "union"),
    )
    for name, other in (pair, pair[::-1])
}
COMPARISON = re.compile(r"not\s+in\b|is\s+not\b|is\b|in\b|[<>=!]=|[<>]")
IS_SQL = re.compile(r"\b(SELECT|FROM|WHERE|JOIN|UPDATE|INSERT|ORDER BY)\b|AND ")
SQL_LEFT_ALONE = re.compile(r"--.*|\{[^{}]*\}|%\(\w+\)s|\bSET \w+ =")
SQL_CHANGES = [
    (re.compile(rf"(?<![\w<>=!|-]){old}(?![\w<>=|])"), new)
    for old, new in (
        ("=", "<>"),
        ("<>", "="),
        ("<", "<="),
        ("<=", "<"),
        (">", ">="),
        (">=", ">"),
        ("AND", "OR"),
        ("OR", "AND"),
        ("NOT ", ""),
        ("IS NULL", "IS NOT NULL"),
        ("IS NOT NULL", "IS NULL"),
        ("min", "max"),
        ("max", "min"),
        ("least", "greatest"),
        ("greatest", "least"),
        (" DESC", ""),
        ("LEFT JOIN", "JOIN"),
        ("DISTINCT ", ""),
        ("SKIP LOCKED", ""),
        ("FOR NO KEY UPDATE", ""),
        ("FOR UPDATE", ""),
        ("true", "false"),
        ("false", "true"),
        ("0", "1"),
        ("1", "2"),
    )
]


class Mutant(NamedTuple):
    """A change of one place.

    file : path from the root of the tree
    line : number of the line where the place begins
    copy : how many lines before it read the same
    start, end : the place, as offsets in the bytes of the file
    new : what takes its place
    statement : first and last line of the statement, or of the head of the block, it stands in
    """

    file: str
    line: int
    copy: int
    start: int
    end: int
    new: str
    statement: tuple[int, int]

    def applied_to(self, text: bytes) -> bytes:
        """Return the text of the file with the change."""
        return text[: self.start] + self.new.encode() + text[self.end :]

    def place_in_line(self, text: bytes) -> tuple[int, int]:
        """Return where the change begins in its line, and its length, in bytes."""
        return self.start - text.rfind(b"\n", 0, self.start) - 1, self.end - self.start

    def lines(self, text: bytes) -> tuple[str, str]:
        """Return the changed lines before and after, without white space around them."""
        first = text.rfind(b"\n", 0, self.start) + 1
        last = (text.find(b"\n", self.end) + 1 or len(text) + 1) - 1
        after = text[first : self.start] + self.new.encode() + text[self.end : last]
        return _stripped(text[first:last]), _stripped(after)


def mutants_of(file: str, text: bytes) -> list[Mutant]:
    """Return every mutant of a Python file, in the order of their places."""
    sites = _Sites(file, text)
    sites.visit(ast.parse(text))
    return sorted(sites.mutants, key=lambda mutant: (mutant.start, mutant.end, mutant.new))


class _Sites(ast.NodeVisitor):
    """Walks through a file and gathers its mutants."""

    def __init__(self, file: str, text: bytes) -> None:
        self.file, self.text = file, text
        self.mutants: list[Mutant] = []
        self.statement = (1, 1)
        lengths = [len(line) for line in text.splitlines(keepends=True)]
        self.line_starts = [sum(lengths[:i]) for i in range(len(lengths))]
        self.copies: list[int] = []
        n_copies: Counter[bytes] = Counter()
        for line in text.splitlines():
            self.copies.append(n_copies[line.strip()])
            n_copies[line.strip()] += 1

    def visit(self, node: ast.AST) -> None:
        """Visit a node, remembering its statement."""
        if not isinstance(node, ast.stmt):
            super().visit(node)
            return
        before, body = self.statement, getattr(node, "body", None)
        last = body[0].lineno - 1 if isinstance(body, list) else node.end_lineno
        self.statement = (node.lineno, max(node.lineno, last or 0))
        super().visit(node)
        self.statement = before

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return where a node begins, in bytes."""
        return self.line_starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return where a node ends, in bytes."""
        last = node.end_lineno or node.lineno
        return self.line_starts[last - 1] + (node.end_col_offset or 0)

    def add(self, start: int, end: int, new: str) -> None:
        """Add the mutant that has other text in a place."""
        line = self.text.count(b"\n", 0, start) + 1
        copy = self.copies[line - 1]
        self.mutants.append(Mutant(self.file, line, copy, start, end, new, self.statement))

    def add_between(self, first: ast.expr, second: ast.expr, old: str, new: str) -> None:
        """Add the mutant of an operator that stands between two expressions."""
        gap = self.text[self.end(first) : self.start(second)].decode()
        at = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", re.sub(r"#.*", _blank, gap))
        if at:
            offset = self.end(first)
            self.add(offset + at.start(), offset + at.end(), new)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave the annotation alone."""
        if node.value:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """Leave annotations alone."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Leave the annotation of what is returned alone."""
        self.visit(node.args)
        for part in (*node.decorator_list, *node.body):
            self.visit(part)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Leave the parameters of types alone."""
        self.visit(node.value)
        if not (isinstance(node.value, ast.Name) and node.value.id[:1].isupper()):
            self.visit(node.slice)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leave out a statement; docstrings are no statements."""
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.add(self.start(node), self.end(node), "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Leave out an assignment that adds to what is there."""
        self.add(self.start(node), self.end(node), "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave out an error; its message is left alone."""
        self.add(self.start(node), self.end(node), "pass")

    def visit_Break(self, node: ast.Break) -> None:
        """Go on instead of leaving the loop."""
        self.add(self.start(node), self.end(node), "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        """Leave the loop instead of going on."""
        self.add(self.start(node), self.end(node), "break")

    def visit_If(self, node: ast.If) -> None:
        """Let a condition always hold, or never."""
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.add_constant_condition(node.test)
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Let a condition always hold, or never."""
        self.add_constant_condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Let every element in."""
        for condition in node.ifs:
            self.add(self.start(condition), self.end(condition), "True")
        self.generic_visit(node)

    def add_constant_condition(self, test: ast.expr) -> None:
        """Add the mutants that do not ask a condition."""
        for value in ("True", "False"):
            self.add(self.start(test), self.end(test), value)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Compare otherwise."""
        for first, second in zip([node.left, *node.comparators], node.comparators, strict=False):
            gap = self.text[self.end(first) : self.start(second)].decode()
            operator = COMPARISON.search(gap)
            if operator:
                old = " ".join(operator[0].split())
                offset = self.end(first)
                span = (offset + operator.start(), offset + operator.end())
                self.add(*span, COMPARISONS[old])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Take "or" for "and", and "and" for "or"."""
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for first, second in zip(node.values, node.values[1:], strict=False):
            self.add_between(first, second, old, new)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Calculate otherwise; text is not calculated with."""
        pair = OPERATIONS.get(type(node.op))
        sides = (node.left, node.right)
        if pair and not any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in sides):
            self.add_between(*sides, *pair)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Leave out "not" and minus."""
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            length = 3 if isinstance(node.op, ast.Not) else 1
            self.add(self.start(node), self.start(node) + length, "")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Call the opposite function."""
        function = node.func
        name = getattr(function, "id", getattr(function, "attr", ""))
        if name in NAMES:
            self.add(self.end(function) - len(name), self.end(function), NAMES[name])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Take another truth value, the next number, or other SQL."""
        if isinstance(node.value, bool):
            self.add(self.start(node), self.end(node), str(not node.value))
        elif isinstance(node.value, int | float):
            old = self.text[self.start(node) : self.end(node)].decode()
            self.add(self.start(node), self.end(node), _next_number(node.value, old))
        elif _is_text(node):
            self.add_sql(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Change SQL; its parts have no places of their own in Python 3.11."""
        self.add_sql(node)

    def add_sql(self, node: ast.expr) -> None:
        """Add the mutants of a text, if it is SQL."""
        offset = self.start(node)
        text = self.text[offset : self.end(node)].decode()
        if not text.isascii() or not IS_SQL.search(text):
            return
        text = SQL_LEFT_ALONE.sub(_blank, text)
        for pattern, new in SQL_CHANGES:
            for match in pattern.finditer(text):
                self.add(offset + match.start(), offset + match.end(), new)


def _next_number(value: float, old: str) -> str:
    return f"({old} + 1)" if isinstance(value, float) else str(value + 1)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _stripped(text: bytes) -> str:
    return "\n".join(line.strip() for line in text.decode().splitlines())
