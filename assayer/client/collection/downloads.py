"""Files of the page Downloads."""

from pathlib import Path
from typing import Any

from assayer.client.collection.part import FOREVER, CollectionPart
from assayer.client.errors import Refused
from assayer.client.records.record import Records
from assayer.client.records.releases import Download
from assayer.client.saving import save, target_of
from assayer.client.transport import Call


class Downloads(CollectionPart):
    """Files that the site makes in the background, and keeps for 14 days."""

    def downloads(self, **filters: Any) -> Records[Download]:
        """The downloads, the newest first; filters are `kind` and `state`."""
        return self.listed(Download, "downloads/", filters)

    def request_download(self, kind: str, *, wait: float = FOREVER, **parameters: Any) -> Download:
        """Have a file made with the labels of now; returns its download, with `file_url`.

        kind : qrels, beir, fire, judgments, strata, run, pairs, disputed, conflicts, cannot-judge
            or scores; parameters are those of the kind
        Raises Refused, also where its making fails.
        """
        fields = {"kind": kind, "parameters": parameters}
        download = Download.of(self.transport.create(self.address("downloads/"), fields))
        download = self.awaited(download, wait=wait, title=kind)
        if download.state in ("failed", "cancelled"):
            raise Refused(f"The file {kind} is {download.state}. {download.job.error}".strip())
        return download

    def download(
        self, kind: str, to: Path | str, *, wait: float = FOREVER, **parameters: Any
    ) -> Path:
        """Have a file made, and store it; returns its path.

        to : a file, or a folder, in which it gets the site's name
        Its size and checksum are compared with those that the site names.
        """
        download = self.request_download(kind, wait=wait, **parameters)
        return save(
            self.transport,
            Call("GET", download.file_url or f"{download.url}file/"),
            target_of(to, download.file_name),
            sha256=download.sha256,
            n_bytes=download.n_bytes,
            show_progress=self.show_progress,
        )
