// Files as one zip archive, unpacked inside it: nothing is held in memory but the headers. The same files make the same archive.

const CHUNK = 4 * 1024 * 1024;
const DATE = 0x21; // 1 January 1980
const UTF8 = 0x0800;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

async function checksum(file) {
  let sum = 0xffffffff;
  for (let at = 0; at < file.size; at += CHUNK) {
    const bytes = new Uint8Array(await file.slice(at, at + CHUNK).arrayBuffer());
    for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff] ^ (sum >>> 8);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function record(signature, fields, name) {
  const size = 4 + fields.reduce((sum, [bytes]) => sum + bytes, 0);
  const view = new DataView(new ArrayBuffer(size));
  view.setUint32(0, signature, true);
  let at = 4;
  for (const [bytes, value] of fields) {
    if (bytes === 4) view.setUint32(at, value, true);
    else view.setUint16(at, value, true);
    at += bytes;
  }
  return [view.buffer, name];
}

/** The archive of files [{ path, file }]; onFile is told how many are packed. */
export async function zip(files, onFile) {
  const parts = [];
  const directory = [];
  let position = 0;
  for (const [number, { path, file }] of files.entries()) {
    onFile(number);
    const name = new TextEncoder().encode(path);
    const sum = await checksum(file);
    const common = [[2, 20], [2, UTF8], [2, 0], [2, 0], [2, DATE], [4, sum], [4, file.size], [4, file.size], [2, name.length], [2, 0]];
    const header = record(0x04034b50, common, name);
    directory.push(...record(0x02014b50, [[2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, position]], name));
    parts.push(...header, file);
    position += header[0].byteLength + name.length + file.size;
  }
  const length = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const end = record(0x06054b50, [[2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, position], [2, 0]], "");
  return new Blob([...parts, ...directory, ...end], { type: "application/zip" });
}
