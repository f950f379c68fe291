// Ctrl K: a field, and the list of what it finds. The focus stays in the field, and the arrows choose in the list (a combobox).
import { Answers } from "./answers.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const IS_MAC = /mac|iphone|ipad/i.test(navigator.platform);

class FindDialog {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector("[role=combobox]");
    this.list = dialog.querySelector("[role=listbox]");
    this.status = dialog.querySelector("[role=status]");
    this.opensFirst = false;
    this.answers = new Answers({
      address: dialog.dataset.address,
      onAnswer: (html) => this.show(html),
      onTrouble: (sentence) => this.tell(sentence),
    });
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.press(event));
    dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("[data-find-close]")) && dialog.close());
    dialog.addEventListener("close", () => this.answers.stop());
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  get chosen() {
    return this.list.querySelector("[aria-selected=true]");
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
    this.input.focus();
    this.input.select();
    this.ask(0);
  }

  ask(pause) {
    this.opensFirst = false;
    this.answers.ask(this.input.value, pause);
  }

  show(html) {
    this.list.replaceChildren(new DOMParser().parseFromString(html, "text/html").body.firstElementChild);
    this.list.scrollTop = 0;
    this.choose(this.options[0]);
    this.status.textContent = this.list.firstElementChild.dataset.status;
    // Enter came before the answer to what was typed
    if (this.opensFirst) this.chosen?.click();
  }

  tell(sentence) {
    this.list.replaceChildren();
    this.choose();
    this.status.textContent = sentence;
  }

  choose(option) {
    this.chosen?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-expanded", String(Boolean(option)));
    this.input.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  press(event) {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (this.answers.isPending) this.opensFirst = true;
      else this.chosen?.click();
    }
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const { options } = this;
    const last = options.length - 1;
    const next = options.indexOf(this.chosen) + step;
    this.choose(options[next < 0 ? last : next > last ? 0 : next]);
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
