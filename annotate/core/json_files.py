"""One JSON object as a whole file, read a member at a time: however long the file, what is in memory stays small."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, cast

from annotate.core.formats import FormatError, shown
from annotate.core.reading import LIMITS, Limits, Unpacked

MAX_VALUE = LIMITS.line  # characters of one member's value
CHUNK = 256 * 1024
_NEAR_END = 64  # a number that ends so close to what was read may go on
_HEAD = 4096
_SPACE = " \t\r\n"
_INSIDE = r'(?:[^"\\]|\\.)*'  # of a text, between its quotes
_NEXT_KEY = rf'"{_INSIDE}"\s*:\s*'
_EMPTY = rf"{_NEXT_KEY}\[\s*\]\s*,\s*"
_FIRST_ELEMENT = re.compile(rf"\{{\s*(?:{_EMPTY})*{_NEXT_KEY}\[\s*(?:\{{\s*{_NEXT_KEY})?\"({_INSIDE})", re.DOTALL)
_FIRST_OBJECT = re.compile(r"\[\s*\{")
_FIRST_LIST = re.compile(rf"\{{\s*(?:{_EMPTY})*{_NEXT_KEY}\[\s*\{{", re.DOTALL)
_KEY = re.compile(rf'"({_INSIDE})"\s*:', re.DOTALL)
_FIRST_DICTIONARY = re.compile(rf"\{{\s*{_NEXT_KEY}\{{", re.DOTALL)


class Member(NamedTuple):
    """One member of the object, or one element of a member that is an array: its key, value, and first line."""

    line: int
    key: str
    value: Any


class _Repeated(ValueError):
    """An object says one key twice."""


def json_members(
    stream: BinaryIO, name: str, *, spread: frozenset[str] = frozenset(), limits: Limits = LIMITS
) -> Iterator[Member]:
    """The members of the one object that a file is, in its order, gzip or plain.

    spread : keys of members that are arrays to be given an element at a time
    Raises FormatError, with its line, at the first place where the file is no such object; a key twice in an object is
    an error too, since parsers differ in which one counts.
    """
    return _Scanner(stream, name, limits).members(spread)


def json_elements(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[Member]:
    """The elements of the one array that a file is, each with the key "". Raises FormatError as `json_members` does."""
    return _Scanner(stream, name, limits).elements()


def keys_of_first(stream: BinaryIO, name: str) -> set[str]:
    """Keys at the beginning of a file that is an array of objects; none of any other."""
    head = _head(stream, name)
    return set(_KEY.findall(head)) if _FIRST_OBJECT.match(head) else set()


def keys_of_lists(stream: BinaryIO, name: str) -> set[str]:
    """Keys at the beginning of a file that is an object whose first values are arrays of objects; none of any other."""
    head = _head(stream, name)
    return set(_KEY.findall(head)) if _FIRST_LIST.match(head) else set()


def opens_object_of_objects(stream: BinaryIO, name: str) -> str | None:
    """The first key of a file whose first member is an object or an array; None where it begins otherwise.

    Such a file is one object; a file of JSON lines begins with an object whose first value is a text or a number.
    """
    text = _head(stream, name)
    if not text.startswith("{"):
        return None
    try:
        key, end = json.JSONDecoder().raw_decode(text, len(text) - len(text[1:].lstrip(_SPACE)))
    except ValueError:
        return None
    rest = text[end:].lstrip(_SPACE)
    begins = rest.startswith(":") and rest[1:].lstrip(_SPACE).startswith(("{", "["))
    return key if begins and isinstance(key, str) else None


def first_element(stream: BinaryIO, name: str) -> str | None:
    """The beginning of the first text in the arrays that an object's first values are; None where there is none.

    An object in the array that begins with a text counts as that.
    """
    opened = _FIRST_ELEMENT.match(_head(stream, name))
    return opened[1] if opened else None


def opens_dictionaries(stream: BinaryIO, name: str) -> bool:
    """Whether a file is an object whose first value is an object too."""
    return bool(_FIRST_DICTIONARY.match(_head(stream, name)))


def _head(stream: BinaryIO, name: str) -> str:
    try:
        head = Unpacked(stream, name, limits=_unbroken(LIMITS)).read(_HEAD)
    except FormatError:
        return ""
    return head.decode("utf-8-sig", errors="replace").lstrip(_SPACE)


def _unbroken(limits: Limits) -> Limits:
    """These limits for a file that may be a single line."""
    return limits._replace(line=limits.unpacked)


class _Scanner:
    """Text of a file from the place that was read to, more of it fetched when a value does not end in it."""

    def __init__(self, stream: BinaryIO, name: str, limits: Limits) -> None:
        self.name = name
        self.line = 1
        self._source = cast(BinaryIO, Unpacked(stream, name, limits=_unbroken(limits)))
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._json = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object)
        self._text, self._at, self._ended = "", 0, False
        self._place = ""  # more than the line, since a file may be a single one

    def members(self, spread: frozenset[str]) -> Iterator[Member]:
        """See `json_members`."""
        self._expect("{")
        if self._peek() == "}":
            self._expect("}")
        else:
            yield from self._members(spread)
        self._end("object")

    def elements(self) -> Iterator[Member]:
        """See `json_elements`."""
        yield from self._elements("")
        self._end("array")

    def _end(self, what: str) -> None:
        self._place = ""
        if self._peek():
            raise self._fault(f"there is more text after the {what}'s end; the file must be one JSON {what}.")

    def _members(self, spread: frozenset[str]) -> Iterator[Member]:
        seen: set[str] = set()
        after = ","
        while after == ",":
            self._peek()
            line, key = self.line, self._value()
            if not isinstance(key, str):
                raise self._fault("expected a key in double quotes here.")
            if key in seen:
                raise FormatError(self.name, line, "", f"the key {shown(key)} stands in the object already.")
            seen.add(key)
            self._expect(":")
            self._place = f"at the key {shown(key)}"
            if key in spread and self._peek() == "[":
                yield from self._elements(key)
            else:
                yield Member(line, key, self._value())
            after = self._expect(",", "}")

    def _elements(self, key: str) -> Iterator[Member]:
        self._expect("[")
        if self._peek() == "]":
            self._expect("]")
            return
        after, number = ",", 0
        while after == ",":
            number += 1
            self._place = f"at entry {number:,}{f' of {shown(key)}' if key else ''}"
            self._peek()
            yield Member(self.line, key, self._value())
            after = self._expect(",", "]")

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut_off = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith("Unterminated")
                if not (cut_off and self._more()):
                    self._move(min(error.pos, len(self._text)))
                    raise self._fault(f"this is no JSON: {error.msg}.") from error
            except RecursionError as error:
                raise self._fault("the JSON is nested too deeply.") from error
            except ValueError as error:
                raise self._fault(f"this is no JSON: {error}.") from error
            else:
                if end < len(self._text) - _NEAR_END or not self._more():
                    self._move(end)
                    return value

    def _expect(self, *wanted: str) -> str:
        found = self._peek()
        if found not in wanted or not found:
            what = shown(found) if found else "the end of the file"
            raise self._fault(f"this is no JSON: expected {' or '.join(wanted)}, found {what}.")
        self._at += 1
        return found

    def _peek(self) -> str:
        """The next character that is not blank, "" at the end."""
        while True:
            rest = len(self._text)
            at = self._at
            while at < rest and self._text[at] in _SPACE:
                at += 1
            self._move(at)
            if at < rest:
                return self._text[at]
            if not self._more():
                return ""

    def _move(self, at: int) -> None:
        self.line += self._text.count("\n", self._at, at)
        self._at = at

    def _more(self) -> bool:
        """Read on, ever more while a value does not end; False at the file's end or where a value is too long.

        Raises FormatError where the bytes are no UTF-8.
        """
        left = self._text[self._at :]
        if self._ended:
            return False
        if len(left) > MAX_VALUE:
            raise self._fault(f"a value is longer than {MAX_VALUE:,} characters; write it as several.")
        raw = self._source.read(max(CHUNK, 3 * len(left)))  # a value is tried anew each time
        self._ended = not raw
        try:
            text = self._decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.line + left.count("\n") + raw[: error.start].count(b"\n")
            raise FormatError(self.name, line, "", "these bytes are no UTF-8; save the file as UTF-8.") from error
        self._text, self._at = left + text, 0
        return True

    def _fault(self, message: str) -> FormatError:
        return FormatError(self.name, self.line, "", f"{self._place}: {message}" if self._place else message)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Repeated(f"the key {shown(twice)} stands twice in one object")
    return found


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
