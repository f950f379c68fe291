// The short name of a new collection follows its name until somebody types another one: <div data-short-name> around both fields.

function shortNameOf(name) {
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain.replace(/[^a-z0-9_\s-]/g, "").trim().replace(/[-\s]+/g, "-").slice(0, 50);
}

export function initShortNames(root) {
  for (const fields of root.querySelectorAll("[data-short-name]:not([data-ready])")) {
    fields.dataset.ready = "";
    const name = fields.querySelector("[name=name]");
    const shortName = fields.querySelector("[name=slug]");
    let followed = shortNameOf(name.value);
    name.addEventListener("input", () => {
      const follows = shortName.value === followed;
      followed = shortNameOf(name.value);
      if (follows) shortName.value = followed;
    });
  }
}
