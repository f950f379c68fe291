// Shows what chosen files are understood as, before they are sent: <div data-preview="ADDRESS"> in a form with a file field "file".
// How it is read, the fields in the panel say, or with data-preview-form those of the form.
// The server reads the head of the file with the readers of the import; it asks for further pieces of an archive.
import { showFrames } from "../items/pictures.js";
import { showLocalTimes } from "../moments.js";
import { showLocalFiles } from "./local-files.js";
import { showNamedMedia } from "./named-media.js";

const PIECE = 192 * 1024;
const MOST_PIECES = 5;
const MOST_FILES = 20;
const FAILURE = "There is no preview now. The file can be loaded all the same: its report says what was read.";
const SIGNED_OUT = "You are signed out; sign in again in another tab, and choose the file again.";

function choices(panel) {
  if (!("previewForm" in panel.dataset)) return [...panel.querySelectorAll("[name]")].map(({ name, value }) => [name, value]);
  return [...new FormData(panel.closest("form"))]
    .filter(([, value]) => typeof value === "string")
    .map(([name, value]) => [name === "name" ? "run_name" : name, value]);
}

function fields(panel, file, source) {
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.querySelector("meta[name=csrf-token]").content);
  body.append("name", file.name.slice(-255));
  body.append("size", file.size);
  // another kind of row, or another first line, makes other columns: they are guessed again
  const isAnew = ["row", "header"].includes(source?.name);
  for (const [name, value] of choices(panel)) {
    if (isAnew && ["column", "taken_for"].includes(name)) continue;
    if (source?.name === "header" && name === "row") continue;
    if (name !== "csrfmiddlewaretoken") body.append(name, value);
  }
  return body;
}

/** The server's page about the file, or the trouble why there is none. */
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
    if (response.redirected) return { trouble: SIGNED_OUT };
    const next = response.headers.get("X-Piece");
    if (response.status !== 204 || !next || starts.length === MOST_PIECES) {
      return { html: response.status === 200 ? await response.text() : "", trouble: FAILURE };
    }
    starts.push(Number(next.split("-")[0]));
  }
}

function parsed(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}

// of several files each has a box, in the order in which they were chosen
function boxes(panel, input, files, isAgain) {
  if (!input.multiple) return [panel];
  const all = files.map((_, at) => (isAgain && panel.children[at]) || document.createElement("div"));
  panel.replaceChildren(...all);
  const n = input.files.length - files.length;
  if (n) panel.append(Object.assign(document.createElement("p"), { className: "quiet", textContent: `${n} more are sent without a preview.` }));
  return all;
}

function initPreview(panel) {
  const input = panel.closest("form").querySelector("input[type=file][name=file]");
  const media = panel.closest("form").querySelector("input[type=file][name=media]");
  let request = new AbortController();

  async function showFile(box, file, body, signal) {
    try {
      const { html, trouble } = file.size ? await ask(panel, file, body, signal) : { trouble: `${file.name} is empty.` };
      if (signal.aborted) return;
      if (html) box.replaceChildren(...parsed(html));
      else box.textContent = trouble;
      showLocalTimes(box);
      showFrames(box);
      await showLocalFiles(box, file);
      await showNamedMedia(box, media?.files[0], signal);
    } catch {
      if (!signal.aborted) box.textContent = FAILURE;
    }
  }

  async function show(source, choice = "") {
    request.abort();
    request = new AbortController();
    const { signal } = request;
    const files = [...input.files].slice(0, MOST_FILES);
    if (!files.some((file) => file.size) || input.validity.customError) {
      panel.replaceChildren();
      panel.removeAttribute("aria-busy");
      return;
    }
    if (!source) panel.replaceChildren();
    const bodies = files.map((file) => fields(panel, file, source));
    if (choice) bodies[0].set("by_hand", choice);
    panel.setAttribute("aria-busy", "true");
    for (const [at, box] of boxes(panel, input, files, Boolean(source)).entries()) {
      await showFile(box, files[at], bodies[at], signal);
      // a newer question waits, and has the focus
      if (signal.aborted) return;
    }
    panel.removeAttribute("aria-busy");
    // a field of the panel was replaced, one of the form was not
    if (source?.id && !source.isConnected) document.getElementById(source.id)?.focus();
  }

  input.addEventListener("change", () => show());
  const chooser = "previewForm" in panel.dataset ? panel.closest("form") : panel;
  chooser.addEventListener("change", (event) => event.target !== input && show(event.target));
  media?.addEventListener("change", () => show(media));
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
