// The inert templates of the page, copied into it.

/** Imported, not cloned: what belongs to a template's own document loads nothing, and the next card is to load now. */
export function fromTemplate(name) {
  return document.importNode(document.getElementById(`tpl-${name}`).content.firstElementChild, true);
}
