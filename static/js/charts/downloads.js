// The four downloads of a chart. Pictures are drawn anew in light colours, as papers want them, whatever the page looks like.
import { embed, themedSpec } from "./embed.js";
import { withFont } from "./font.js";

const EXPORT_WIDTH = 720;

function save(name, url) {
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function saveText(name, text, type) {
  save(name, URL.createObjectURL(new Blob([text], { type })));
}

function lightSheet() {
  const sheet = document.createElement("div");
  sheet.className = "chart-export";
  document.body.append(sheet);
  return sheet;
}

async function savePicture(name, spec, kind) {
  const sheet = lightSheet();
  try {
    const result = await embed(sheet, { ...spec, background: "white" }, sheet, EXPORT_WIDTH);
    if (kind === "svg") saveText(`${name}.svg`, await withFont(await result.view.toSVG()), "image/svg+xml");
    else save(`${name}.png`, await result.view.toImageURL("png", 2));
    result.finalize();
  } finally {
    sheet.remove();
  }
}

/** A cell as CSV; what a spreadsheet would run as a formula gets an apostrophe, numbers stay numbers. */
export function csvCell(text) {
  const plain = text.trim();
  const formula = /^[=+\-@\t\r]/.test(plain) && Number.isNaN(Number(plain));
  const safe = formula ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function tableAsCsv(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => csvCell(cell.dataset.value ?? cell.textContent)).join(",")).join("\r\n") + "\r\n";
}

function saveSpec(name, spec) {
  const sheet = lightSheet();
  const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...themedSpec(spec, sheet, EXPORT_WIDTH) };
  sheet.remove();
  saveText(`${name}.vl.json`, JSON.stringify(whole, null, 2), "application/json");
}

// a figure may be drawn again with new numbers, and a live page may put its attributes back
const specs = new WeakMap();

function onClick(event, figure) {
  const kind = event.target.closest("[data-download]")?.dataset.download;
  const spec = specs.get(figure), name = figure.dataset.fileName ?? figure.id;
  if (kind === "csv") saveText(`${name}.csv`, tableAsCsv(figure.querySelector("table")), "text/csv;charset=utf-8");
  else if (kind === "spec") saveSpec(name, spec);
  else if (kind) savePicture(name, spec, kind);
}

export function initDownloads(figure, spec) {
  const box = figure.querySelector(".chart-downloads");
  if (!box) return;
  if (!specs.has(figure)) figure.addEventListener("click", (event) => onClick(event, figure));
  specs.set(figure, spec);
  box.hidden = false;
}
