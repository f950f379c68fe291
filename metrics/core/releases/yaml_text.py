"""YAML text of nested values, with every text quoted: no name can break the document."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = "Scalar | Sequence[Value] | Mapping[str, Value]"

# JSON leaves these characters as they are; YAML 1.2 (5.1) does not allow them, or takes them for
# the end of a line or the mark of an encoding
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def yaml_scalar(value: Scalar) -> str:
    """Return a text, finite number or truth value as YAML on one line, texts as JSON strings."""
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):  # YAML 1.1 takes 1e-07 for a text, and 1.0e-07 for a number
        text = text if "." in text else text.replace("e", ".0e")
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def yaml_lines(value: Value) -> Iterator[str]:
    """Yield the lines of a mapping or a sequence in block style, in its order.

    Keys are taken as they are: those of the documents, not of people. An empty sequence or
    mapping has no lines, and a key with one stands for nothing (null).
    """
    if isinstance(value, Mapping):
        for key, part in value.items():
            if isinstance(part, Scalar):
                yield f"{key}: {yaml_scalar(part)}"
            else:
                yield f"{key}:"
                yield from (f"  {line}" for line in yaml_lines(part))
    elif isinstance(value, Scalar):
        yield yaml_scalar(value)
    else:
        for part in value:
            first, *more = yaml_lines(part)
            yield f"- {first}"
            yield from (f"  {line}" for line in more)


def yaml_text(value: Mapping[str, Value]) -> str:
    """Return a mapping as YAML; every line ends with a line feed."""
    return "".join(f"{line}\n" for line in yaml_lines(value))
