// The directory of a zip archive that the browser has at hand, read without sending anything.

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const MOST_END = 65557; // the end record and the longest comment
const MOST_DIRECTORY = 10 * 1024 * 1024;
const IN_LARGE_FORM = 0xffffffff;
const TOOL_FILE = /(^__MACOSX\/|\/$|\.DS_Store$|Thumbs\.db$)/;

async function viewOf(file, from, to) {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

// one folder around all files is left out of their names, as the import does; names with it are found as well
function withoutFolder(entries) {
  const names = [...entries.keys()];
  const top = names[0]?.includes("/") ? names[0].slice(0, names[0].indexOf("/") + 1) : "";
  if (!top || !names.every((name) => name.startsWith(top))) return entries;
  return new Map([...entries, ...names.map((name) => [name.slice(top.length), entries.get(name)])]);
}

/** {entries}: by name, where each file lies ({at, bytes, isPacked}); or {trouble}: "no zip", "zip64" (the form for very large archives) or "long". */
export async function zipEntries(file) {
  const tail = await viewOf(file, Math.max(0, file.size - MOST_END), file.size);
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) return { trouble: "no zip" };
  const size = tail.getUint32(end + 12, true);
  const start = tail.getUint32(end + 16, true);
  if (size === IN_LARGE_FORM || start === IN_LARGE_FORM) return { trouble: "zip64" };
  if (size > MOST_DIRECTORY) return { trouble: "long" };
  const view = await viewOf(file, start, start + size);
  const entries = new Map();
  for (let at = 0; at + 46 <= view.byteLength && view.getUint32(at, true) === ENTRY; ) {
    const nameSize = view.getUint16(at + 28, true);
    const bytes = new Uint8Array(view.buffer, at + 46, nameSize);
    const name = new TextDecoder().decode(bytes);
    const entry = { at: view.getUint32(at + 42, true), bytes: view.getUint32(at + 20, true), isPacked: view.getUint16(at + 10, true) !== 0 };
    if (!TOOL_FILE.test(name)) entries.set(name, entry);
    at += 46 + nameSize + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return { entries: withoutFolder(entries) };
}
