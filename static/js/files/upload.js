// Sends a form with files piece by piece, showing how much is sent; without script the browser sends it as ever.
// The server answers X-Upload with 204 and X-Location where it would redirect, and with a page where something is wrong.
import { size } from "./drop.js";
import { showRefusal } from "../refusals.js";

function show(panel, sentBytes, total, startedAt) {
  const seconds = (performance.now() - startedAt) / 1000;
  const secondsLeft = sentBytes ? Math.ceil((seconds * (total - sentBytes)) / sentBytes) : 0;
  panel.querySelector("progress").value = sentBytes / total;
  const time = seconds > 2 && sentBytes < total ? `, ${secondsLeft < 90 ? `${secondsLeft} seconds` : `${Math.ceil(secondsLeft / 60)} minutes`} left` : "";
  panel.querySelector("p").textContent = sentBytes < total ? `${size(sentBytes)} of ${size(total)} sent${time}` : "All sent; the server keeps the file…";
}

function makePanel(onStop) {
  const panel = document.createElement("div");
  panel.className = "upload stack-tight";
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Upload");
  const text = document.createElement("p");
  text.className = "quiet tabular";
  const stop = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Stop" });
  stop.addEventListener("click", onStop);
  panel.append(bar, text, stop);
  return panel;
}

// The page that came back takes the place of this one; the chosen files stay chosen, nobody looks for them twice.
function showAnswer(form, html, onShown) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  const files = new Map([...form.querySelectorAll("input[type=file]")].map((input) => [input.name, input.files]));
  document.getElementById("main").replaceChildren(...answer.getElementById("main").childNodes);
  onShown(document);
  for (const input of document.querySelectorAll("#main input[type=file]")) {
    if (!files.get(input.name)?.length) continue;
    input.files = files.get(input.name);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  showRefusal(document.getElementById("main"));
}

function send(form, submitter, onShown) {
  const request = new XMLHttpRequest();
  const panel = makePanel(() => request.abort());
  const actions = form.querySelector(".form-actions");
  const startedAt = performance.now();
  const body = new FormData(form, submitter);
  const release = () => {
    panel.remove();
    actions.hidden = false;
  };
  const refuse = (text) => {
    release();
    const box = Object.assign(document.createElement("div"), { className: "notice notice-bad", textContent: text });
    box.setAttribute("role", "alert");
    form.querySelector(":scope > .notice[role=alert]")?.remove();
    form.prepend(box);
    box.scrollIntoView({ block: "center" });
  };
  request.upload.addEventListener("progress", (event) => show(panel, event.loaded, event.total, startedAt));
  request.addEventListener("load", () => {
    const next = request.getResponseHeader("X-Location");
    if (next) location.assign(next);
    else if (request.responseText.includes('id="main"')) showAnswer(form, request.responseText, onShown);
    else if (request.getResponseHeader("Content-Type")?.startsWith("text/plain")) refuse(request.responseText.trim());
    else refuse(`The server answered ${request.status}; nothing was changed.`);
  });
  request.addEventListener("error", () => refuse("The connection broke off; nothing was changed. Send it again."));
  request.addEventListener("abort", release);
  request.open("POST", form.action);
  request.setRequestHeader("X-Upload", "script");
  actions.hidden = true;
  actions.before(panel);
  request.send(body);
}

export function initUploads(root, onShown) {
  for (const form of root.querySelectorAll('form[enctype="multipart/form-data"]:not([data-uploads])')) {
    form.dataset.uploads = "";
    form.addEventListener("submit", (event) => {
      const inputs = [...form.querySelectorAll("input[type=file]")];
      if (event.defaultPrevented || !inputs.some((input) => input.files.length)) return;
      event.preventDefault();
      send(form, event.submitter, onShown);
    });
  }
}
