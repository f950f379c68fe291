"""The version of Assayer."""

import os

_HERE = os.path.dirname(os.path.abspath(__file__))
# in the package where it is installed, beside it in the tree
_FILES = [os.path.join(folder, "VERSION") for folder in (_HERE, os.path.dirname(_HERE))]


def version() -> str:
    """Return the version, such as "0.1.0"."""
    with open(next(filter(os.path.isfile, _FILES))) as file:
        return file.read().strip()
