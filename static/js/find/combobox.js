// A field and the list of what it finds: the focus stays in the field, and the arrows choose in the list (a combobox).
import { showFrames } from "../items/pictures.js";
import { Answers } from "./answers.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export class Combobox {
  /** @param {{input: HTMLInputElement, list: HTMLElement, status: HTMLElement, address: string}} parts; an option that is chosen gets a click */
  constructor({ input, list, status, address }) {
    Object.assign(this, { input, list, status, opensFirst: false });
    this.answers = new Answers({
      address,
      onAnswer: (html) => this.show(html),
      onTrouble: (sentence) => this.clear(sentence),
    });
    input.addEventListener("keydown", (event) => this.press(event));
  }

  get options() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  get chosen() {
    return this.list.querySelector("[aria-selected=true]");
  }

  ask(pause) {
    this.opensFirst = false;
    this.answers.ask(this.input.value, pause);
  }

  stop() {
    this.answers.stop();
  }

  show(html) {
    this.list.replaceChildren(new DOMParser().parseFromString(html, "text/html").body.firstElementChild);
    this.list.scrollTop = 0;
    showFrames(this.list);
    this.choose(this.options[0]);
    this.status.textContent = this.list.firstElementChild.dataset.status;
    // Enter came before the answer to what was typed
    if (this.opensFirst) this.chosen?.click();
  }

  clear(sentence) {
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
    if (event.key === "Enter" && (this.answers.isPending || this.chosen)) {
      event.preventDefault();
      if (this.answers.isPending) this.opensFirst = true;
      else this.chosen.click();
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
