"""Assayer from programs: a client of its API, and its numbers computed from files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assayer.client.client import Client

    __version__: str

__all__ = ["Client", "__version__"]


def __dir__() -> list[str]:
    """The names for whoever looks for them, also of what is not loaded yet."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Load the client where somebody takes it: commands on files go without HTTP."""
    if name == "__version__":
        return import_module("assayer.version").version()
    if name == "Client":
        return import_module("assayer.client.client").Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
