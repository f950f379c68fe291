// Ctrl K: a dialog with a field, and the list of what it finds.
import { Combobox } from "./combobox.js";

const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);

class FindDialog {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector("[role=combobox]");
    this.combobox = new Combobox({
      input: this.input,
      list: dialog.querySelector("[role=listbox]"),
      status: dialog.querySelector("[role=status]"),
      address: dialog.dataset.address,
    });
    this.input.addEventListener("input", () => this.combobox.ask());
    dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("[data-find-close]")) && dialog.close());
    dialog.addEventListener("close", () => this.combobox.stop());
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
    this.input.focus();
    this.input.select();
    this.combobox.ask(0);
  }
}

function isShortcut(event) {
  const { key, altKey, shiftKey, ctrlKey, metaKey } = event;
  return key.toLowerCase() === "k" && !altKey && !shiftKey && (IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey);
}

/** Open the dialog by its key and by its button, wherever the page has it. */
export function initFind() {
  const element = document.getElementById("find");
  if (!element) return;
  const find = new FindDialog(element);
  for (const key of document.querySelectorAll("[data-find-key]")) if (IS_MAC) key.textContent = "⌘ K";
  document.addEventListener("click", ({ target }) => target.closest("[data-find-open]") && find.open());
  document.addEventListener("keydown", (event) => {
    if (!isShortcut(event)) return;
    event.preventDefault();
    // another dialog has the page to itself
    if (!document.querySelector("dialog[open]:not(#find)")) find.open();
  });
  // a page that comes back from the browser's history comes back without it
  addEventListener("pagehide", () => element.close());
}
