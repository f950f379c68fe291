"""Result of loading a file of items, for people and logs."""

from dataclasses import dataclass

from annotate.core.files.file_tallies import FileTallies
from annotate.core.files.items.documents_by_id import id_only_sentence
from annotate.core.phrases import counted, enumeration
from annotate.services.collection.reference_reports import ReferenceReport


@dataclass
class CollectionReport(FileTallies):
    """Result of loading a file of items: rows read, repeated, known before, and the changes.

    n_items : new ones, of them n_queries queries
    n_with_new_sources : known before, with more sources of a clip or recording now
    n_typed : known before, with another type of an address now
    n_still_id_only : known before by their ids alone, and left so, since they are in pairs already
    are_sets_fixed : True if query sets stay as they were, since the collection has been judged
    n_filled : known before by their ids alone, which have something to show now
    n_id_only : new documents that have an id and nothing to show
    n_without_file : without the file that they name, as it was not uploaded: known by ids alone
    n_grouped : new ones that carry a group; n_regrouped : known before, with another group now
    goes_by_column : True if intervals and tests follow the groups, the first, from now on
    """

    n_rows: int = 0
    n_known: int = 0
    n_items: int = 0
    n_queries: int = 0
    n_filled: int = 0
    n_with_new_sources: int = 0
    n_typed: int = 0
    n_still_id_only: int = 0
    n_id_only: int = 0
    n_without_file: int = 0
    n_grouped: int = 0
    n_regrouped: int = 0
    goes_by_column: bool = False
    are_sets_fixed: bool = False
    n_parts: int = 0
    n_media: int = 0
    references: tuple[ReferenceReport, ...] = ()

    @property
    def n_documents(self) -> int:
        """The number of new documents."""
        return self.n_items - self.n_queries

    def figures(self) -> list[tuple[str, int]]:
        """The first figures of an import's report, in order."""
        return [
            ("Rows", self.n_rows),
            ("New items", self.n_items),
            *([("New queries", self.n_queries)] if self.n_queries else []),
            *([("New documents", self.n_documents)] if self.n_documents else []),
            ("Known before", self.n_known),
            *([("Known by id alone, now with content", self.n_filled)] if self.n_filled else []),
            *(
                [("Known before, now with further sources", self.n_with_new_sources)]
                if self.n_with_new_sources
                else []
            ),
            *(
                [("Known before, now with the type of an address", self.n_typed)]
                if self.n_typed
                else []
            ),
            *(
                [("Asked about by id alone, left so", self.n_still_id_only)]
                if self.n_still_id_only
                else []
            ),
            *(
                [("Without the file that they name, known by id alone", self.n_without_file)]
                if self.n_without_file
                else []
            ),
            *([("New items with a group", self.n_grouped)] if self.n_grouped else []),
            *(
                [("Known before, now with a new group", self.n_regrouped)]
                if self.n_regrouped
                else []
            ),
            ("Parts", self.n_parts),
            ("Media files copied", self.n_media),
        ]

    def __str__(self) -> str:
        items = f"{counted(self.n_items, 'new item')} with {counted(self.n_parts, 'part')}"
        rows = f"{counted(self.n_rows, 'row')}: {items}"
        details = f"{self.n_filled:,} known by id alone have content now, " if self.n_filled else ""
        details += (
            f"{self.n_with_new_sources:,} have further sources now, "
            if self.n_with_new_sources
            else ""
        )
        details += f"{self.n_typed:,} have the type of an address now, " if self.n_typed else ""
        details += (
            f"{self.n_still_id_only:,} stay known by id alone, as people were asked about them, "
            if self.n_still_id_only
            else ""
        )
        details += (
            f"{self.n_without_file:,} lack their file and are known by id alone, "
            if self.n_without_file
            else ""
        )
        known_before = f"{details}{self.n_known:,} known before, {self.repeats.n:,} repeated"
        has_changes = (
            self.n_items
            or self.n_filled
            or self.n_with_new_sources
            or self.n_typed
            or self.n_regrouped
        )
        unchanged_sentence = "" if has_changes else " Nothing changed."
        is_new = self.are_sets_fixed and self.n_items
        fixed_sentence = (
            " Query sets stay as they were, since the collection has been judged." if is_new else ""
        )
        media = f"{counted(self.n_media, 'media file')} copied."
        further_sentences = (
            f"{self._sides}{unchanged_sentence}{fixed_sentence}{self._groups}{self._id_only}"
        )
        return f"{rows}, {known_before}; {media}{further_sentences}"

    @property
    def _sides(self) -> str:
        sides = ((self.n_queries, "query"), (self.n_documents, "document"))
        numbers = [counted(n, noun) for n, noun in sides if n]
        verb = "is" if self.n_items == 1 else "are"
        return f" {enumeration(numbers)} {verb} new." if numbers else ""

    @property
    def _groups(self) -> str:
        change_sentence = (
            f" The group of {counted(self.n_regrouped, 'item')} changed."
            if self.n_regrouped
            else ""
        )
        grouping_sentences = (
            ' Intervals and tests now go by the column "group"; queries without one stand by '
            "themselves. Settings can change that."
        )
        return f"{change_sentence}{grouping_sentences if self.goes_by_column else ''}"

    @property
    def _id_only(self) -> str:
        return f" {id_only_sentence(self.n_id_only)}" if self.n_id_only else ""
