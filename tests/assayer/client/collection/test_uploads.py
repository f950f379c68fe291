"""Files in a shape of their own go up with what their columns are taken for."""

import pytest

from assayer.client.client import Client
from assayer.client.errors import Refused

TABLE = [b"clip,words\n", b"c1,a dog\n", b"c2,a cat\n"]


def test_items_go_up_with_the_meanings_of_their_columns(client: Client, study: object) -> None:
    collection = client.collection("study")
    columns = {"document_id": "clip", "document_text": "words"}
    import_ = collection.upload("items", TABLE, file_name="clips.csv", columns=columns)
    assert (import_.state, import_.parameters["columns"]) == ("done", columns)
    ids = {item.id for item in collection.items(side="document")}
    assert {"c1", "c2"} < ids


def test_columns_that_make_no_items_are_refused_in_words(client: Client, study: object) -> None:
    collection = client.collection("study")
    with pytest.raises(Refused, match="Choose the column of the document's id too"):
        collection.upload("items", TABLE, file_name="clips.csv", columns={"document_text": "words"})
