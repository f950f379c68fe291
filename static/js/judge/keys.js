// Single keys: levels first, then actions. Off while typing, with a modifier held, or when the person switched them off.
import { recall } from "./prefs.js";

const TYPING = "input:not([type=range], [type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const PRESSABLE = "button, a, summary, input";

export class Keys {
  /**
   * @param {{levels, panel, actions: Object<string, () => void>}} parts
   *   actions: by KeyboardEvent.key; one that returns false had nothing to do
   */
  constructor({ levels, panel, actions, owner }) {
    Object.assign(this, { levels, panel, actions, owner });
    this.readMap();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** The level keys as remapped by this person, else as the scheme has them. */
  readMap() {
    const own = recall(`keys.${this.owner}`, {});
    this.byKey = new Map(this.levels.map((level) => [own[level.grade] ?? level.key, level.grade]));
    for (const [key, grade] of this.byKey) {
      for (const cap of document.querySelectorAll(`[data-key-of="${grade}"]`)) cap.textContent = key;
    }
    const on = recall("keysOn", true);
    document.getElementById("judge").classList.toggle("keys-off", !on);
    this.on = on;
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, key } = event;
    if (target.closest(TYPING)) {
      // the one key that leaves the comment
      if (key === "Escape") target.blur();
      return;
    }
    if (target.closest("dialog:modal") || document.querySelector("dialog:modal")) return;
    if (key === "Escape" && document.querySelector("dialog[open]")) return this.run("Escape", event);
    if (!this.on) return;
    if ((key === " " || key === "Enter") && target.closest(PRESSABLE) && !target.closest("#reasons")) return;
    if (key.startsWith("Arrow") && target.closest("input, .levels, [data-zoom] .frame, .prose")) return;
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
