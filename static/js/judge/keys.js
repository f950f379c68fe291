// Single keys: levels first, then actions. Off while typing, with a modifier held, or when the person switched them off.
import { recall, remember } from "./prefs.js";

const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const PRESSABLE = "button, a, summary, input";

export class Keys {
  /**
   * @param {{levels, panel, actions: Object<string, () => void>}} parts
   *   actions: by KeyboardEvent.key; one that returns false had nothing to do
   */
  constructor({ levels, panel, actions, owner }) {
    Object.assign(this, { levels, panel, actions, owner });
    this.name = `keys.${owner}`;
    this.readMap();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** The level keys as remapped by this person, else as the scheme has them. */
  readMap() {
    this.byKey = new Map(this.levels.map((level) => [this.keyOf(level), level.grade]));
    this.panel.takenKeys = [...this.byKey.keys()].join("");
    for (const [key, grade] of this.byKey) {
      for (const cap of document.querySelectorAll(`[data-key-of="${grade}"]`)) {
        cap.textContent = key;
        cap.closest("[aria-keyshortcuts]")?.setAttribute("aria-keyshortcuts", key);
      }
    }
    const on = recall("keysOn", true);
    document.getElementById("judge").classList.toggle("keys-off", !on);
    this.on = on;
  }

  keyOf(level) {
    return recall(this.name, {})[level.grade] ?? level.key.toLowerCase();
  }

  /** Give a level another key. False, and nothing changed, when the key means something else already. */
  remap(level, text) {
    const key = text.trim().toLowerCase();
    const usedBy = this.levels.find((other) => other !== level && this.keyOf(other) === key);
    if (!key || usedBy || key in this.actions) return false;
    remember(this.name, { ...recall(this.name, {}), [level.grade]: key });
    this.readMap();
    return true;
  }

  /** Back to the keys of the scheme. */
  reset() {
    remember(this.name, {});
    this.readMap();
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target } = event;
    // the same with Caps Lock on
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (target.closest(TYPING)) {
      // the one key that leaves the comment
      if (key === "Escape") target.blur();
      return;
    }
    if (target.closest("dialog:modal") || document.querySelector("dialog:modal")) return;
    if (key === "Escape" && document.querySelector("dialog[open]")) return this.run("Escape", event);
    if (!this.on && key !== "Escape") return;
    if ((key === " " || key === "Enter") && target.closest(PRESSABLE) && !target.closest("#reasons")) return;
    if (key.startsWith("Arrow") && target.closest("input, .levels, .is-zoomed .frame, .prose")) return;
    // a key held down must not answer one card after another
    if (event.repeat && !key.startsWith("Arrow") && key !== "," && key !== ".") return;
    if (key !== " " && this.panel.key(key)) return event.preventDefault();
    if (this.byKey.has(key)) {
      event.preventDefault();
      return this.panel.choose(this.byKey.get(key));
    }
    this.run(key, event);
  }

  run(key, event) {
    const action = this.actions[key];
    if (!action) return;
    // an action that has nothing to act on leaves the key to the browser: Space scrolls a long text
    if (action() !== false) event.preventDefault();
  }
}
