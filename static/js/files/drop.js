// A file field one can drop on: <div class="file-drop"> around an <input type="file">. Without script it is the plain field.
// One with data-folders takes a folder too, which is packed into an archive here.
import { chosenFiles, droppedFiles, packed } from "./folders.js";

const packings = new WeakMap(); // by box, the files that are being packed; none once another choice was made
const UNREADABLE = "A file of the folder cannot be read; choose the folder again, or make a zip of it.";

export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  const step = bytes ? Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024))) : 0;
  return `${(bytes / 1024 ** step).toFixed(step ? 1 : 0)} ${units[step]}`;
}

function show(box, input) {
  packings.delete(box);
  const files = [...input.files];
  const limit = Number(input.dataset.maxBytes ?? Infinity);
  const isTooLarge = files.some((file) => file.size > limit);
  // the form does not leave with a file that would be refused after an hour of sending
  input.setCustomValidity(isTooLarge ? `The file is larger than ${size(limit)}; pack or split it, or load it on the server.` : "");
  box.querySelector("output").textContent = files.map((file) => `${file.name} · ${size(file.size)}`).join(", ");
  if (isTooLarge) input.reportValidity();
}

function choose(input, files) {
  const transfer = new DataTransfer();
  for (const file of input.multiple ? files : files.slice(0, 1)) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// contents: the files, or the promise of them
async function pack(box, input, contents) {
  const output = box.querySelector("output");
  choose(input, []);
  packings.set(box, contents);
  const isNewest = () => packings.get(box) === contents;
  input.setCustomValidity("The folder is still being packed.");
  output.textContent = "Reading the folder…";
  let text = UNREADABLE;
  try {
    const files = await contents;
    const archive = await packed(files, Number(input.dataset.maxBytes), (number) => {
      if (!isNewest()) throw new Error("another choice was made");
      output.textContent = `Packing file ${number + 1} of ${files.length}…`;
    });
    if (isNewest()) choose(input, [archive]);
    return;
  } catch (error) {
    // the browser's own words name neither the folder nor what to do
    if (!(error instanceof DOMException)) text = error.message;
  }
  if (!isNewest()) return;
  // without a file the form is sent all the same where the field may be left out
  choose(input, []);
  output.textContent = text;
}

// beside it a field outside of the form, whose folder is packed into this one
function addFolderButton(box, input) {
  const folder = Object.assign(document.createElement("input"), { type: "file", webkitdirectory: true });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button button-quiet", textContent: "Choose a folder" });
  button.addEventListener("click", () => folder.click());
  folder.addEventListener("change", () => {
    if (folder.files.length) pack(box, input, chosenFiles(folder));
    folder.value = ""; // the same one may be chosen again
  });
  box.querySelector(".file-drop-hint").after(button);
}

export function initFileDrops(root) {
  for (const box of root.querySelectorAll(".file-drop:not([data-ready])")) {
    const input = box.querySelector("input[type=file]");
    if (!input) continue;
    box.dataset.ready = "";
    box.querySelector(".file-drop-hint")?.removeAttribute("hidden");
    input.addEventListener("change", () => show(box, input));
    for (const name of ["dragenter", "dragover"]) {
      box.addEventListener(name, (event) => {
        event.preventDefault();
        box.classList.add("is-over");
      });
    }
    for (const name of ["dragleave", "drop"]) box.addEventListener(name, () => box.classList.remove("is-over"));
    const takesFolders = "folders" in input.dataset;
    if (takesFolders) addFolderButton(box, input);
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      const { files } = event.dataTransfer;
      if (!files.length) return;
      const contents = takesFolders ? droppedFiles(event.dataTransfer) : null;
      if (contents) pack(box, input, contents);
      else choose(input, [...files]);
    });
  }
}
