// Sortable tables: <table data-sortable>; a cell's data-value, if any, is what it sorts by. data-sort="none" leaves a column out.

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = (cell?.dataset.value ?? cell?.textContent ?? "").trim();
  const number = Number(text.replaceAll(",", "").replace("−", "-").replace("%", ""));
  return text !== "" && !Number.isNaN(number) ? number : text;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // a number stands before words such as "not defined yet"
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(table, header) {
  const column = header.cellIndex;
  const rows = [...table.tBodies[0].rows];
  const numeric = rows.some((row) => typeof valueOf(row, column) === "number");
  const first = numeric ? "descending" : "ascending";
  const now = header.getAttribute("aria-sort");
  const next = now ? (now === "ascending" ? "descending" : "ascending") : first;
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", next);
  const sign = next === "ascending" ? 1 : -1;
  rows.sort((a, b) => {
    const [x, y] = [valueOf(a, column), valueOf(b, column)];
    // what has no number stays at the end both ways
    return typeof x !== typeof y ? compare(x, y) : sign * compare(x, y);
  });
  table.tBodies[0].append(...rows);
}

export function initSortableTables(root) {
  for (const table of root.querySelectorAll("table[data-sortable]:not([data-ready])")) {
    table.dataset.ready = "";
    for (const header of table.tHead?.rows[table.tHead.rows.length - 1]?.cells ?? []) {
      const hasName = [...header.childNodes].some((node) => node.textContent.trim() && !node.classList?.contains("unseen"));
      if (header.dataset.sort === "none" || !hasName) continue;
      const button = Object.assign(document.createElement("button"), { type: "button", className: "sort" });
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sortBy(table, header));
    }
  }
}
