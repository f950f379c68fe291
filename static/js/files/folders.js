// Folders, or several files, chosen or dropped on a file field that says so (data-folders): packed here into one archive.
import { zip } from "./zip-writer.js";

const MOST_FILES = 2000;
const TOO_MANY = `more than ${MOST_FILES.toLocaleString("en")} files`;
const HIDDEN = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$)/;
const MEDIA = /\.(jpe?g|png|webp|gif|avif|mp4|m4v|webm|ogv|mov|mkv|avi|mp3|m4a|og[ag]|opus|wav|flac)$/i;

function entries(reader) {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function refusal(reason) {
  return new Error(`The folder has ${reason}; make a zip of it, or load it on the server: python3 manage.py load_collection`);
}

// hidden ones are left out before they are counted: a .git alone has thousands
async function gather(entry, folder, files) {
  const path = `${folder}${entry.name}`;
  if (HIDDEN.test(entry.isFile ? path : `${path}/`)) return;
  if (entry.isFile) {
    if (files.length === MOST_FILES) throw refusal(TOO_MANY);
    files.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    return;
  }
  const reader = entry.createReader();
  for (let batch = await entries(reader); batch.length; batch = await entries(reader)) {
    for (const child of batch) await gather(child, `${path}/`, files);
  }
}

async function gathered(tops) {
  const files = [];
  for (const entry of tops) await gather(entry, "", files);
  return files;
}

/** A promise of the files of a drop that is a folder or more than one file; null for a single file, which goes up as it is. */
export function droppedFiles(transfer) {
  // entries are told during the event alone
  const tops = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  return tops.length < 2 && !tops[0]?.isDirectory ? null : gathered(tops);
}

/** The files of a chosen folder. */
export function chosenFiles(input) {
  return [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** One archive of the files, tables and texts first; an error says why there is none. */
export async function packed(allFiles, limit, onFile) {
  const files = allFiles.filter(({ path }) => !HIDDEN.test(path));
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (!files.length) throw new Error("The folder is empty.");
  if (files.length > MOST_FILES) throw refusal(TOO_MANY);
  if (bytes > limit) throw refusal("too many bytes");
  files.sort((a, b) => MEDIA.test(a.path) - MEDIA.test(b.path) || (a.path < b.path ? -1 : 1));
  const tops = new Set(files.map(({ path }) => (path.includes("/") ? path.split("/")[0] : "")));
  const [top] = tops.size === 1 ? tops : [""];
  return new File([await zip(files, onFile)], `${top || "files"}.zip`, { type: "application/zip" });
}
