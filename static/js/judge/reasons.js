// The reasons a level asks for: a chip a shortcoming, and where one has more to say, chips for what falls short.
import { fromTemplate } from "./templates.js";

// letters of no action, so that a clip can be replayed and words be marked while one chooses
const KEYS = "adfhjknyuitpq";

function chip(label, key, onPress) {
  const button = fromTemplate("chip");
  const cap = button.querySelector("kbd");
  cap.textContent = key ?? "";
  cap.hidden = !key;
  button.dataset.key = key ?? "";
  button.querySelector("span").textContent = label;
  button.addEventListener("click", onPress);
  return button;
}

export class Reasons {
  /** @param {HTMLElement} box the fieldset of the judge screen */
  constructor(box) {
    this.box = box;
    this.panel = box.closest(".panel");
    this.top = box.querySelector("#chips");
    this.more = box.querySelector("#reasons-what");
    this.title = box.querySelector("#reasons-what-title");
    this.details = box.querySelector("#chips-what");
    this.save = box.querySelector("#reasons-save");
    this.choices = new Map();
  }

  get isOpen() {
    return !this.box.hidden;
  }

  /**
   * @param {(string | {name: string, what: string[]})[]} offered
   * @param {string} busyKeys those that mean something else
   * @param {string[]} earlierNames those of the answer before, as `names` gives them
   */
  open(offered, busyKeys, earlierNames = []) {
    const reasons = offered.map((reason) => (typeof reason === "string" ? { name: reason, what: [] } : reason));
    const free = [...KEYS].filter((key) => !busyKeys.includes(key));
    this.reasons = reasons;
    this.freeBelow = free.slice(reasons.length);
    this.recall(earlierNames);
    this.top.replaceChildren(...reasons.map((reason, index) => chip(reason.name, free[index], () => this.press(reason))));
    this.unfold(reasons.find(({ name, what: details }) => details.length && this.choices.has(name)) ?? null);
    this.box.hidden = false;
    for (const part of [this.panel, document.body]) part.classList.add("asks-reasons");
    this.box.scrollIntoView({ block: "nearest" });
    this.paint();
    this.top.firstElementChild.focus();
  }

  recall(earlierNames) {
    this.choices = new Map();
    for (const { name, what: details } of this.reasons) {
      const below = details.filter((detail) => earlierNames.includes(`${name}/${detail}`));
      if (below.length || earlierNames.includes(name)) this.choices.set(name, new Set(below));
    }
  }

  close() {
    this.box.hidden = true;
    for (const part of [this.panel, document.body]) part.classList.remove("asks-reasons");
    this.choices = new Map();
    this.top.replaceChildren();
    this.unfold(null);
  }

  /** Choose a shortcoming and unfold what it has below; pressed again while that is open, take it back. */
  press(reason) {
    const { name, what: details } = reason;
    if (this.choices.has(name) && (!details.length || this.unfolded === reason)) {
      this.choices.delete(name);
      if (this.unfolded === reason) this.unfold(null);
    } else {
      if (!this.choices.has(name)) this.choices.set(name, new Set());
      if (details.length) this.unfold(reason);
    }
    this.paint();
  }

  unfold(reason) {
    this.unfolded = reason;
    this.more.hidden = !reason;
    this.panel.classList.toggle("asks-what", Boolean(reason));
    if (!reason) return this.details.replaceChildren();
    this.title.textContent = `${reason.name[0].toUpperCase()}${reason.name.slice(1)}: what?`;
    const toggle = (detail) => () => {
      const details = this.choices.get(reason.name);
      if (!details.delete(detail)) details.add(detail);
      this.paint();
    };
    this.details.replaceChildren(...reason.what.map((detail, index) => chip(detail, this.freeBelow[index], toggle(detail))));
    this.more.scrollIntoView({ block: "nearest" });
  }

  paint() {
    const below = this.choices.get(this.unfolded?.name);
    for (const [index, { name, what: details }] of this.reasons.entries()) {
      const button = this.top.children[index];
      button.setAttribute("aria-pressed", String(this.choices.has(name)));
      if (details.length) button.setAttribute("aria-expanded", String(this.unfolded?.name === name));
    }
    for (const [index, detail] of (this.unfolded?.what ?? []).entries()) {
      this.details.children[index].setAttribute("aria-pressed", String(below.has(detail)));
    }
    this.save.disabled = !this.isComplete;
  }

  /** At least one reason, and of each that has more to say what it is. */
  get isComplete() {
    const open = this.reasons.some(({ name, what: details }) => details.length && this.choices.get(name)?.size === 0);
    return this.choices.size > 0 && !open;
  }

  /** As a judgment names them: "name" or "name/what", in the order offered. */
  get names() {
    return this.reasons.flatMap(({ name, what: details }) => {
      if (!this.choices.has(name)) return [];
      return details.length ? details.filter((detail) => this.choices.get(name).has(detail)).map((detail) => `${name}/${detail}`) : [name];
    });
  }

  /** A chip's letter. True when it was one. */
  key(key) {
    const button = this.box.querySelector(`[data-key="${CSS.escape(key)}"]`);
    button?.click();
    return Boolean(button);
  }
}
