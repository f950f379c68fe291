// The answers: one button a level, and the reasons a level may ask for.

const CHIP_KEYS = "adfhjkbnyu";

export class Panel {
  /** @param {(answer: {grade, reasons}) => void} onAnswer called once the answer is complete */
  constructor(root, levels, onAnswer) {
    this.root = root;
    this.levels = levels;
    this.onAnswer = onAnswer;
    this.buttons = [...root.querySelectorAll(".level")];
    this.reasons = root.querySelector("#reasons");
    this.chips = root.querySelector("#chips");
    this.save = root.querySelector("#reasons-save");
    this.chosen = null;
    for (const button of this.buttons) button.addEventListener("click", () => this.choose(Number(button.dataset.grade)));
    this.save.addEventListener("click", () => this.complete());
    root.querySelector(".levels").addEventListener("keydown", (event) => this.move(event));
  }

  level(grade) {
    return this.levels.find((level) => level.grade === grade);
  }

  /** Arrow keys walk through the answers without giving one; Space or Enter gives it. */
  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.buttons.indexOf(document.activeElement);
    this.buttons[(at + step + this.buttons.length) % this.buttons.length].focus();
  }

  choose(grade) {
    if (this.root.matches(".is-empty, .is-loading")) return;
    const level = this.level(grade);
    this.check(grade);
    if (!level.reasons?.length) return this.onAnswer({ grade, reasons: [] });
    this.openReasons(level);
  }

  check(grade) {
    this.chosen = grade;
    for (const button of this.buttons) button.setAttribute("aria-checked", String(Number(button.dataset.grade) === grade));
  }

  openReasons(level) {
    this.chips.replaceChildren(
      ...level.reasons.map((reason, index) => {
        const chip = document.getElementById("tpl-chip").content.firstElementChild.cloneNode(true);
        const key = CHIP_KEYS[index] ?? "";
        chip.dataset.reason = reason.key ?? reason;
        chip.dataset.key = key;
        chip.querySelector("kbd").textContent = key;
        chip.querySelector("kbd").hidden = !key;
        chip.querySelector("span").textContent = reason.label ?? reason;
        chip.addEventListener("click", () => this.toggle(chip));
        return chip;
      }),
    );
    this.optional = level.reasons_optional === true;
    this.reasons.hidden = false;
    this.reasons.scrollIntoView({ block: "nearest" });
    this.allowSave();
    this.chips.firstElementChild.focus();
  }

  toggle(chip) {
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    this.allowSave();
  }

  get given() {
    return [...this.chips.querySelectorAll("[aria-pressed=true]")].map((chip) => chip.dataset.reason);
  }

  allowSave() {
    this.save.disabled = !this.optional && !this.given.length;
  }

  /** A key while the reasons are open: a chip's letter, or Enter to save. True when it meant something. */
  key(key) {
    if (this.reasons.hidden) return false;
    if (key === "Escape") this.reset();
    else if (key === "Enter") this.complete();
    else {
      const chip = this.chips.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (!chip) return false;
      this.toggle(chip);
    }
    return true;
  }

  complete() {
    if (!this.save.disabled) this.onAnswer({ grade: this.chosen, reasons: this.given });
  }

  /** The answer just given glows for a moment, so that a slip is seen. */
  glow(grade) {
    const button = this.buttons.find((other) => Number(other.dataset.grade) === grade);
    // without a layout in between, the same class put back would not start the animation again
    void button?.offsetWidth;
    button?.classList.add("just-given");
  }

  /** Fresh for the next card. */
  reset() {
    for (const button of this.buttons) {
      button.classList.remove("just-given");
      button.setAttribute("aria-checked", "false");
    }
    this.chosen = null;
    this.reasons.hidden = true;
    this.chips.replaceChildren();
  }
}
