// Shows what a chosen file is understood as, before it is sent: <div data-preview="ADDRESS"> in a form with a file field "file".
// The server reads the head of the file with the readers of the import; it asks for further pieces of an archive.
import { showLocalFiles } from "./local-files.js";

const PIECE = 192 * 1024;
const MOST_PIECES = 5;
const FAILURE = "There is no preview now. The file can be loaded all the same: its report says what was read.";

function fields(panel, file, source) {
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.querySelector("meta[name=csrf-token]").content);
  body.append("name", file.name.slice(-255));
  body.append("size", file.size);
  // another kind of row, or another first line, makes other columns: they are guessed again
  const isAnew = ["row", "header"].includes(source?.name);
  for (const field of panel.querySelectorAll("[name]")) {
    if (isAnew && ["column", "taken_for"].includes(field.name)) continue;
    if (source?.name === "header" && field.name === "row") continue;
    body.append(field.name, field.value);
  }
  return body;
}

async function ask(panel, file, body, signal) {
  const starts = [0];
  for (;;) {
    const request = new FormData();
    for (const [name, value] of body) request.append(name, value);
    for (const at of starts) {
      request.append("at", at);
      request.append("piece", file.slice(at, at + PIECE), "piece");
    }
    const response = await fetch(panel.dataset.preview, { method: "POST", body: request, signal });
    const next = response.headers.get("X-Piece");
    if (response.status !== 204 || !next || starts.length === MOST_PIECES) return response.status === 200 ? response.text() : "";
    starts.push(Number(next.split("-")[0]));
  }
}

function initPreview(panel) {
  const input = panel.closest("form").querySelector("input[type=file][name=file]");
  let request = new AbortController();

  async function show(source, choice = "") {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const [file] = input.files;
    if (!file?.size || input.validity.customError) {
      panel.replaceChildren();
      return;
    }
    if (!source) panel.replaceChildren();
    const body = fields(panel, file, source);
    if (choice) body.set("by_hand", choice);
    panel.setAttribute("aria-busy", "true");
    try {
      const html = await ask(panel, file, body, signal);
      if (signal.aborted) return;
      panel.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
      if (!html) panel.textContent = FAILURE;
      await showLocalFiles(panel, file);
    } catch (error) {
      if (!signal.aborted) panel.textContent = FAILURE;
    }
    panel.removeAttribute("aria-busy");
    if (source?.id) document.getElementById(source.id)?.focus();
  }

  input.addEventListener("change", () => show());
  panel.addEventListener("change", (event) => show(event.target));
  panel.addEventListener("click", (event) => {
    if (event.target.closest("[data-preview-by-hand]")) show(null, "1");
    if (event.target.closest("[data-preview-anew]")) show();
  });
}

export function initFilePreviews(root) {
  for (const panel of root.querySelectorAll("[data-preview]:not([data-ready])")) {
    panel.dataset.ready = "";
    initPreview(panel);
  }
}
