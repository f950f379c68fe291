"""Folders dropped on a file field in a real browser: the newest choice wins, no file is lost."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests import cast
from tests.browsing import wait_for_expression

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("open_media_root")]
# What a browser tells of a dropped folder: files and folders inside, a few names at a time.
DROP_FOLDER = """(box, [content, isHeld]) => {
  const entry = (name, inside) => {
    if (inside === "unreadable") {
      const file = (_, reject) => reject(new DOMException("It went away.", "NotFoundError"));
      return { name, isFile: true, file };
    }
    if (typeof inside === "string") {
      const file = new File([inside], name);
      const release = (resolve) => { window.release = () => resolve(new ArrayBuffer(1)); };
      if (isHeld) file.slice = () => ({ arrayBuffer: () => new Promise(release) });
      return { name, isFile: true, file: (resolve) => resolve(file) };
    }
    const children = typeof inside === "number"
      ? Array.from({ length: inside }, (_, number) => entry(`${number}.txt`, "x"))
      : Object.entries(inside).map(([child, grandchild]) => entry(child, grandchild));
    const createReader = () => {
      let at = 0;
      return { readEntries: (resolve) => {
        const size = typeof inside === "number" ? 100 : 1;
        resolve(children.slice(at, at += size));
      } };
    };
    return { name, isFile: false, isDirectory: true, createReader };
  };
  const top = entry("birds", content);
  const event = new Event("drop", { bubbles: true, cancelable: true });
  const carried = { files: [new File([], "birds")], items: [{ webkitGetAsEntry: () => top }] };
  Object.defineProperty(event, "dataTransfer", { value: carried });
  box.dispatchEvent(event);
}"""
TABLE = {"name": "a.jsonl", "mimeType": "text/plain", "buffer": b'{"side": "document"}\n'}


@pytest.fixture
def form(page: Page, live_server: object, researcher) -> Page:
    """The form of a new collection, whose file may be left out, open before a researcher."""
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(live_server.url + reverse("annotate:collection-new"))
    return page


def drop(form: Page, content: object, *, is_held: bool = False) -> None:
    """Drop a folder with this content; held, its first file is read when `release` is called."""
    box = form.locator(".file-drop:has([name=file])")
    box.evaluate(DROP_FOLDER, [content, is_held])


def files_say(form: Page) -> object:
    return expect(form.locator(".file-drop:has([name=file]) output"))


def test_hidden_files_take_no_room_from_those_that_are_loaded(form):
    drop(form, {".git": 2_001, "note.txt": "A first note."})
    files_say(form).to_contain_text("birds.zip · ")
    archive = form.locator("[name=file]").evaluate("(input) => input.files[0].text()")
    assert "note.txt" in archive and "2000.txt" not in archive


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"a": 1_500, "b": 501}, "The folder has more than 2,000 files; make a zip of it"),
        ({"a.txt": "unreadable"}, "A file of the folder cannot be read; choose the folder again"),
    ],
    ids=["too-many", "unreadable"],
)
def test_a_folder_that_cannot_be_packed_is_told_and_stops_no_form(form, content, sentence):
    drop(form, content)
    files_say(form).to_contain_text(sentence)
    assert form.locator("[name=file]").evaluate("(input) => input.checkValidity()")


def test_a_file_that_is_chosen_while_a_folder_is_packed_stays(form):
    drop(form, {"note.txt": "A first note."}, is_held=True)
    wait_for_expression(form, "Boolean(window.release)")
    assert not form.locator("[name=file]").evaluate("(input) => input.checkValidity()")
    form.locator("[name=file]").set_input_files(TABLE)
    files_say(form).to_contain_text("a.jsonl · ")
    # long enough for the pack to come to its end, if it went on
    form.evaluate("async () => { release(); await new Promise((done) => setTimeout(done, 500)); }")
    files_say(form).to_contain_text("a.jsonl · ")
    name = form.locator("[name=file]").evaluate(
        "(input) => input.checkValidity() && input.files[0].name"
    )
    assert name == "a.jsonl"
