// Fields that take an item's id: what is typed is looked for among ids and words, and an item is chosen by its picture and its words.
import { Combobox } from "./combobox.js";

const HINT = "An id, or some of its words";
const HEIGHT = 352; // pixels of a list, as in find.css
const PRESS_MS = 300; // by then a press that took the focus away is over

class ItemField {
  constructor(input, address) {
    const side = input.dataset.item;
    input.removeAttribute("data-item");
    const list = Object.assign(document.createElement("div"), { className: "item-options", id: `${side}-options` });
    const status = Object.assign(document.createElement("p"), { className: "help" });
    this.picture = Object.assign(document.createElement("div"), { className: "item-chosen" });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", input.labels[0]?.textContent ?? side);
    status.setAttribute("role", "status");
    input.after(list, status, this.picture);
    for (const [name, value] of Object.entries({ "role": "combobox", "aria-autocomplete": "list", "aria-controls": list.id,
      "aria-expanded": "false", "autocomplete": "off", "placeholder": HINT })) input.setAttribute(name, value);
    Object.assign(this, { input, list, combobox: new Combobox({ input, list, status, address: `${address}?side=${side}` }) });
    input.addEventListener("input", () => this.look());
    input.addEventListener("blur", () => this.leave());
    input.addEventListener("keydown", (event) => this.escape(event));
    // the focus stays in the field
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", ({ target }) => this.take(target.closest("[role=option]")));
  }

  look() {
    this.picture.replaceChildren();
    if (innerHeight - this.input.getBoundingClientRect().bottom < HEIGHT) this.input.closest(".field").scrollIntoView();
    if (this.input.value.trim()) this.combobox.ask();
    else this.close();
  }

  take(option) {
    if (!option) return;
    this.input.value = option.dataset.id;
    this.picture.replaceChildren(...option.childNodes);
    this.close(`Chosen: ${option.dataset.id}`);
  }

  close(sentence = "") {
    this.combobox.stop();
    this.combobox.clear(sentence);
  }

  /** What is pressed elsewhere stays beneath the pointer until it is released: a line that goes would move it away. */
  leave() {
    this.combobox.stop();
    if (!this.combobox.options.length) return;
    setTimeout(() => document.activeElement !== this.input && this.close(), PRESS_MS);
  }

  escape(event) {
    if (event.key !== "Escape" || !this.combobox.chosen) return;
    event.preventDefault();
    this.close();
  }
}

/** Have the fields for items' ids find items by their words. */
export function initItemFields(root) {
  for (const form of root.querySelectorAll("form[data-items]")) {
    for (const input of form.querySelectorAll("input[data-item]")) new ItemField(input, form.dataset.items);
  }
}
