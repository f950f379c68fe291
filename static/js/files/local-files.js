// Pictures, clips and sounds out of a zip that the browser has at hand: <div data-local-file="image" data-at data-bytes data-type>.

const HEADER = 30; // bytes before the name of a file in an archive
const MOST_BYTES = 30 * 1024 * 1024;

async function unpacked(file, box) {
  const at = Number(box.dataset.at);
  const header = new DataView(await file.slice(at, at + HEADER).arrayBuffer());
  const start = at + HEADER + header.getUint16(26, true) + header.getUint16(28, true);
  const content = file.slice(start, start + Number(box.dataset.bytes));
  if (!("packed" in box.dataset)) return content;
  return new Response(content.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
}

function element(kind, address, name) {
  if (kind === "image") return Object.assign(new Image(), { src: address, alt: name });
  const player = Object.assign(document.createElement(kind), { src: address, controls: true, muted: true });
  player.setAttribute("aria-label", name);
  return player;
}

export async function showLocalFiles(root, file) {
  for (const box of root.querySelectorAll("[data-local-file]")) {
    const isPacked = "packed" in box.dataset;
    if (Number(box.dataset.bytes) > MOST_BYTES || (isPacked && !("DecompressionStream" in window))) continue;
    const content = await unpacked(file, box);
    const address = URL.createObjectURL(new Blob([content], { type: box.dataset.type }));
    const medium = element(box.dataset.localFile, address, box.textContent.trim());
    medium.addEventListener(box.dataset.localFile === "image" ? "load" : "loadeddata", () => URL.revokeObjectURL(address));
    box.replaceWith(medium);
  }
}
