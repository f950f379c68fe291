"""Progress bars on a terminal."""

import sys
from typing import Self

from tqdm import tqdm

from assayer.client.records.jobs import JobProgress


class Bar:
    """A progress bar on stderr; none where that is no terminal, or nobody wants one."""

    def __init__(self, title: str, *, is_shown: bool) -> None:
        self.title = title
        self.is_shown = is_shown and sys.stderr.isatty()
        self.bar: tqdm | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def show(self, progress: JobProgress | None) -> None:
        """Show how far it is; the bar appears with the first progress that is known."""
        if progress is None:
            return
        self.show_count(progress.done, progress.total, progress.unit)

    def show_count(self, n: int, total: int | None, unit: str) -> None:
        """Show n of a total, which None leaves open."""
        if not self.is_shown:
            return
        if self.bar is None:
            self.bar = tqdm(
                desc=self.title, total=total, unit=f" {unit}", unit_scale=True, file=sys.stderr
            )
        self.bar.total = total
        self.bar.n = n
        self.bar.refresh()
