// Of the media that a file of items names, tells which are in the chosen Media zip, and shows those of the first rows. Nothing is sent.
import { showLocalFiles } from "./local-files.js";
import { zipEntries } from "./zip-directory.js";

const LATER = "Send it all the same: if a named medium is not in it, nothing is loaded, and the report names the file.";
const TROUBLES = {
  "no zip": "is no zip archive, and would be refused: pack the media in one.",
  zip64: `is a zip in the form for very large archives (zip64), whose files are not listed here before it is sent. ${LATER}`,
  long: `holds more files than are listed here before it is sent. ${LATER}`,
  unread: "cannot be read here: choose it again.",
};

function box(line, entry) {
  const { at, bytes, isPacked } = entry;
  const element = document.createElement("div");
  Object.assign(element.dataset, { localFile: line.dataset.namedMedium, at, bytes, type: line.dataset.type });
  if (isPacked) element.dataset.packed = "";
  element.append(Object.assign(document.createElement("span"), { className: "quiet", textContent: `${line.dataset.name}: in the zip` }));
  return element;
}

function sentence(names, entries) {
  const absent = names.filter((name) => !entries.has(name));
  const first = absent.length ? `; not in it: ${absent.slice(0, 3).join(", ")}${absent.length > 3 ? "…" : ""}` : "";
  return `${names.length - absent.length} of ${names.length} named media ${names.length === 1 ? "is" : "are"} in the zip${first}.`;
}

/** Tells of the media named in a preview whether the chosen zip has them; without a zip nothing changes. */
export async function showNamedMedia(panel, file, signal) {
  const count = panel.querySelector("[data-media-count]");
  if (!count || !file) return;
  const { entries, trouble } = await zipEntries(file).catch(() => ({ trouble: "unread" }));
  if (signal.aborted) return;
  const names = [...panel.querySelectorAll("[data-named-media] > li")].map((item) => item.textContent);
  count.textContent = trouble ? `${file.name} ${TROUBLES[trouble]}` : sentence(names, entries);
  count.hidden = false;
  if (trouble) return;
  for (const line of panel.querySelectorAll("[data-named-medium]")) {
    if (!("name" in line.dataset)) line.dataset.name = line.textContent;
    const entry = entries.get(line.dataset.name);
    if (entry && line.dataset.type) line.replaceWith(box(line, entry));
    else line.textContent = `${line.dataset.name}: not in the zip`;
  }
  await showLocalFiles(panel, file);
}
