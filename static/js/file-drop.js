// A file field one can drop on: <div class="file-drop"> around an <input type="file">. Without script it is the plain field.

export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  const step = bytes ? Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024))) : 0;
  return `${(bytes / 1024 ** step).toFixed(step ? 1 : 0)} ${units[step]}`;
}

function show(box, input) {
  const files = [...input.files];
  const limit = Number(input.dataset.maxBytes ?? Infinity);
  const isTooLarge = files.some((file) => file.size > limit);
  // the form does not leave with a file that would be refused after an hour of sending
  input.setCustomValidity(isTooLarge ? `The file is larger than ${size(limit)}; pack or split it, or load it on the server.` : "");
  box.querySelector("output").textContent = files.map((file) => `${file.name} · ${size(file.size)}`).join(", ");
  if (isTooLarge) input.reportValidity();
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
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
}
