"""Files that are one JSON object or array, read member by member, with little in memory."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, cast

from annotate.core.files.formats import FormatError, quoted
from annotate.core.files.text_files import LIMITS, Limits, Unpacked

MAX_VALUE = LIMITS.line  # characters of one member's value
CHUNK = 256 * 1024
_NEAR_END = 64  # a number that ends so close to the end of the text read may go on
_HEAD = 4096
_SPACE = " \t\r\n"
_INSIDE = r'(?:[^"\\]|\\.)*'  # of a text, between its quotes
_NEXT_KEY = rf'"{_INSIDE}"\s*:\s*'
_EMPTY = rf"{_NEXT_KEY}\[\s*\]\s*,\s*"
_FIRST_ELEMENT = re.compile(
    rf"\{{\s*(?:{_EMPTY})*{_NEXT_KEY}\[\s*(?:\{{\s*{_NEXT_KEY})?\"({_INSIDE})", re.DOTALL
)
_FIRST_OBJECT = re.compile(r"\[\s*\{")
_FIRST_LIST = re.compile(rf"\{{\s*(?:{_EMPTY})*{_NEXT_KEY}\[\s*\{{", re.DOTALL)
_KEY = re.compile(rf'"({_INSIDE})"\s*:', re.DOTALL)
_FIRST_DICTIONARY = re.compile(rf"\{{\s*{_NEXT_KEY}\{{", re.DOTALL)


class Member(NamedTuple):
    """One member of an object, or one element of an array member: its first line, key and value."""

    line: int
    key: str
    value: Any


class _RepeatedKey(ValueError):
    """An object has one key twice."""


def json_members(
    stream: BinaryIO, name: str, *, spread: frozenset[str] = frozenset(), limits: Limits = LIMITS
) -> Iterator[Member]:
    """Yield the members of a file's one object, in the file's order, gzip or plain.

    spread : keys of array members that are yielded element by element
    Raises FormatError, with its line, where the file stops being one JSON object; a repeated key is
    an error too, since parsers differ in which one counts.
    """
    return _Scanner(stream, name, limits).members(spread)


def json_elements(stream: BinaryIO, name: str, *, limits: Limits = LIMITS) -> Iterator[Member]:
    """Yield the elements of a file's one array, with the key ""; errors are as in json_members."""
    return _Scanner(stream, name, limits).elements()


def keys_of_first(stream: BinaryIO, name: str) -> set[str]:
    """Keys at the beginning of a file that is an array of objects; an empty set for others."""
    head = _head(stream, name)
    return set(_KEY.findall(head)) if _FIRST_OBJECT.match(head) else set()


def keys_of_lists(stream: BinaryIO, name: str) -> set[str]:
    """Keys at the beginning of a file that is an object of arrays of objects; else an empty set."""
    head = _head(stream, name)
    return set(_KEY.findall(head)) if _FIRST_LIST.match(head) else set()


def opens_object_of_objects(stream: BinaryIO, name: str) -> str | None:
    """First key of a file whose first member is an object or an array; None for others.

    Such a file is one object; a file of JSON lines begins with an object whose first value is a
    text or a number.
    """
    text = _head(stream, name)
    if not text.startswith("{"):
        return None
    try:
        key, end = json.JSONDecoder().raw_decode(text, len(text) - len(text[1:].lstrip(_SPACE)))
    except ValueError:
        return None
    value_text = text[end:].lstrip(_SPACE)
    opens_container = value_text.startswith(":") and value_text[1:].lstrip(_SPACE).startswith(
        ("{", "[")
    )
    return key if opens_container and isinstance(key, str) else None


def first_element(stream: BinaryIO, name: str) -> str | None:
    """Beginning of the first text in the first arrays of an object; None if there is none.

    An object in the array whose first value is a text counts as that text.
    """
    match = _FIRST_ELEMENT.match(_head(stream, name))
    return match[1] if match else None


def opens_dictionaries(stream: BinaryIO, name: str) -> bool:
    """True if a file is an object whose first value is an object, too."""
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
    """A file's text from the current position on; more is fetched when a value is not complete."""

    def __init__(self, stream: BinaryIO, name: str, limits: Limits) -> None:
        self.name = name
        self.line = 1
        self._source = cast(BinaryIO, Unpacked(stream, name, limits=_unbroken(limits)))
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._json = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_object)
        self._text, self._at, self._ended = "", 0, False
        self._place = ""  # beside the line number, since the file may be a single line

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

    def _end(self, kind: str) -> None:
        self._place = ""
        if self._peek():
            raise self._fault(
                f"there is more text after the {kind}'s end; the file must be one JSON {kind}."
            )

    def _members(self, spread: frozenset[str]) -> Iterator[Member]:
        keys: set[str] = set()
        delimiter = ","
        while delimiter == ",":
            self._peek()
            line, key = self.line, self._value()
            if not isinstance(key, str):
                raise self._fault("expected a key in double quotes here.")
            if key in keys:
                raise FormatError(
                    self.name, line, "", f"the key {quoted(key)} stands in the object already."
                )
            keys.add(key)
            self._expect(":")
            self._place = f"at the key {quoted(key)}"
            if key in spread and self._peek() == "[":
                yield from self._elements(key)
            else:
                yield Member(line, key, self._value())
            delimiter = self._expect(",", "}")

    def _elements(self, key: str) -> Iterator[Member]:
        self._expect("[")
        if self._peek() == "]":
            self._expect("]")
            return
        delimiter, number = ",", 0
        while delimiter == ",":
            number += 1
            self._place = f"at entry {number:,}{f' of {quoted(key)}' if key else ''}"
            self._peek()
            yield Member(self.line, key, self._value())
            delimiter = self._expect(",", "]")

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut_off = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith(
                    "Unterminated"
                )
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

    def _expect(self, *expected: str) -> str:
        character = self._peek()
        if character not in expected or not character:
            quoted_character = quoted(character) if character else "the end of the file"
            raise self._fault(
                f"this is no JSON: expected {' or '.join(expected)}, found {quoted_character}."
            )
        self._at += 1
        return character

    def _peek(self) -> str:
        """The next character that is not blank, "" at the end."""
        while True:
            length = len(self._text)
            position = self._at
            while position < length and self._text[position] in _SPACE:
                position += 1
            self._move(position)
            if position < length:
                return self._text[position]
            if not self._more():
                return ""

    def _move(self, position: int) -> None:
        self.line += self._text.count("\n", self._at, position)
        self._at = position

    def _more(self) -> bool:
        """Read more text, the more the longer a value is; False at the file's end.

        Raises FormatError where a value is too long, or the bytes are no UTF-8.
        """
        unread = self._text[self._at :]
        if self._ended:
            return False
        if len(unread) > MAX_VALUE:
            raise self._fault(
                f"a value is longer than {MAX_VALUE:,} characters; write it as several."
            )
        # each time a value is parsed from its start
        raw = self._source.read(max(CHUNK, 3 * len(unread)))
        self._ended = not raw
        try:
            text = self._decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.line + unread.count("\n") + raw[: error.start].count(b"\n")
            raise FormatError(
                self.name, line, "", "these bytes are no UTF-8; save the file as UTF-8."
            ) from error
        self._text, self._at = unread + text, 0
        return True

    def _fault(self, message: str) -> FormatError:
        return FormatError(
            self.name, self.line, "", f"{self._place}: {message}" if self._place else message
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise _RepeatedKey(f"the key {quoted(key)} stands twice in one object")
            keys.add(key)
    return members


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
