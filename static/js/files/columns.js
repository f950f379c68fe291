// Offers the columns of a chosen table or JSON lines file in the fields that name columns. Without script one types them.
// <form data-columns="ID OF A DATALIST"> with one file field; packed files are left alone.

const HEAD = 64 * 1024;

function columns(text) {
  const line = text.split(/\r?\n/).find((row) => row.trim()) ?? "";
  if (line.trimStart().startsWith("{")) {
    try {
      return Object.keys(JSON.parse(line));
    } catch {
      return [];
    }
  }
  return line.split(line.includes("\t") ? "\t" : ",").map((cell) => cell.trim().replace(/^"|"$/g, ""));
}

async function offer(form, file) {
  const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const names = packed ? [] : columns(new TextDecoder().decode(bytes));
  const list = document.getElementById(form.dataset.columns);
  list.replaceChildren(...names.filter(Boolean).map((name) => new Option(name, name)));
}

for (const form of document.querySelectorAll("form[data-columns]")) {
  for (const name of ["query", "document", "annotator", "grade", "time"]) form.elements[name]?.setAttribute("list", form.dataset.columns);
  const input = form.querySelector("input[type=file]");
  input.addEventListener("change", () => input.files[0] && offer(form, input.files[0]));
}
