"""The process that turns into the operator's ffmpeg, under limits. See `frames`, which starts it.

Its arguments: the program, bytes of memory, seconds of the processor, the program's own arguments.
"""

import os
import sys

from annotate.core.sandbox import limit_program

NOT_STARTED = 127  # the exit code where the program does not start, also that of shells


def main() -> None:
    """Set the limits and turn into the program."""
    program, n_bytes, seconds, *arguments = sys.argv[1:]
    try:
        limit_program(n_bytes=int(n_bytes), seconds=int(seconds))
        os.execv(program, [program, *arguments])  # noqa: S606 - no shell, as is meant
    except OSError:
        sys.exit(NOT_STARTED)


if __name__ == "__main__":
    main()
