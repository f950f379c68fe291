"""Files that go up: items, reference labels, query sets, judgments and runs."""

from contextlib import ExitStack
from typing import Any

from assayer.client.collection.part import FOREVER, CollectionPart, rejection
from assayer.client.contents import Content, form_value, name_of, opened
from assayer.client.errors import NotFound, Refused
from assayer.client.records.jobs import Import
from assayer.client.records.record import Records
from assayer.client.records.runs import Run, WholeRun
from assayer.client.transport import Call, json_of, whole


class Uploads(CollectionPart):
    """Imports and run files. The site knows a file again: sent twice, it is there once."""

    def upload(
        self,
        kind: str,
        content: Content,
        *,
        file_name: str = "",
        media: Content | None = None,
        wait: float = FOREVER,
        **fields: object,
    ) -> Import:
        """Send a file and wait until it is in; returns its import with the report.

        kind : items, reference, query_set or judgments
        content : a path, an open file, or parts of bytes, which are read as they come
        media : of items, a zip of the media that the file names
        wait : seconds to wait; 0 returns at once
        fields : those of the kind, as name, direction, grades, columns; of items in a shape of
            their own columns={"document_id": "clip", "document_text": "caption"}
        Raises Refused, with the words of the report where the site received and rejected it.
        """
        form = {"kind": kind, **fields}
        files = {"file": (name_of(content, file_name), content)}
        if media is not None:
            files["media"] = (name_of(media), media)
        import_ = Import.of(self._send_files("imports/", form, files))
        import_ = self.awaited(import_, wait=wait, title=import_.file_name)
        if import_.state == "rejected":
            raise rejection(import_.error, import_.report, name=import_.file_name)
        if import_.state == "cancelled":
            raise Refused(f"The import of {import_.file_name} was cancelled.")
        return import_

    def upload_run(
        self,
        content: Content,
        *,
        name: str,
        direction: str = "forward",
        file_name: str = "",
        wait: float = FOREVER,
        **fields: object,
    ) -> Run:
        """Send a run file and wait until it is read; returns the run with the report.

        content : a path, an open file, or parts of bytes
        direction : forward (queries to documents) or reverse
        fields : score_type, columns, system, team, paper, tags, description, is_hidden,
            may_be_published
        Raises Refused, with the words of the report where the site received and rejected it.
        """
        form = {"name": name, "direction": direction, **fields}
        files = {"file": (name_of(content, file_name), content)}
        run = Run.of(self._send_files("runs/", form, files))
        run = self.awaited(run, wait=wait, title=f"run {name}")
        if run.state == "rejected":
            raise rejection(run.job.error if run.job else "", run.report, name=f"Run {name}")
        return run

    def imports(self, **filters: Any) -> Records[Import]:
        """The imports, the newest first; filters are `kind` and `state`."""
        return self.listed(Import, "imports/", filters)

    def runs(self, **filters: Any) -> Records[Run]:
        """The runs that one may see; filters are name, state, direction, tag, is_retired, …"""
        return self.listed(Run, "runs/", filters)

    def run(self, run: int | str) -> WholeRun:
        """A run by its id or its name, with its pools; raises NotFound."""
        if isinstance(run, str):
            rows = [row for row in self.runs(name=run) if row.name == run]
            if not rows:
                raise NotFound(f"{self.slug} has no run {run}.")
            run = rows[0].id
        return WholeRun.of(self.transport.read(self.address(f"runs/{run}/")))

    def _send_files(
        self, words: str, form: dict[str, object], contents: dict[str, tuple[str, Content]]
    ) -> Any:
        """The JSON that follows an upload."""
        values = {name: form_value(value) for name, value in form.items() if value is not None}
        with ExitStack() as stack:
            files = {
                name: (file_name, stack.enter_context(opened(content)))
                for name, (file_name, content) in contents.items()
            }
            call = Call("POST", self.address(words), form=values, files=files, is_safe=True)
            return json_of(self.transport.send(call, whole))
