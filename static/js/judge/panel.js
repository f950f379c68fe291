// The answers: one button a level, and the reasons a level may ask for.
import { Reasons } from "./reasons.js";
import { RestingPointer } from "./resting-pointer.js";

export class Panel {
  /** @param {(answer: {grade, reasons, changes}) => void} onAnswer called once the answer is complete */
  constructor(root, levels, onAnswer) {
    this.root = root;
    this.levels = levels;
    this.onAnswer = onAnswer;
    this.buttons = [...root.querySelectorAll(".level")];
    this.reasons = new Reasons(root.querySelector("#reasons"));
    this.pointer = new RestingPointer(root);
    this.asksReasons = true;
    this.grade = null;
    this.changes = 0;
    for (const button of this.buttons) button.addEventListener("click", () => this.choose(Number(button.dataset.grade)));
    this.reasons.save.addEventListener("click", () => this.complete());
    root.querySelector(".levels").addEventListener("keydown", (event) => this.move(event));
  }

  level(grade) {
    return this.levels.find((level) => level.grade === grade);
  }

  /** Arrow keys walk through the answers without giving one; Space or Enter gives it. */
  move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = this.buttons.indexOf(document.activeElement);
    this.stop((at + step + this.buttons.length) % this.buttons.length).focus();
  }

  /** Of a radio group one button is a stop of the Tab key. */
  stop(index) {
    for (const [other, button] of this.buttons.entries()) button.tabIndex = other === index ? 0 : -1;
    return this.buttons[index];
  }

  choose(grade) {
    if (this.root.matches(".is-empty, .is-loading, .is-asleep")) return;
    // the level whose reasons are open gives way when it is pressed again
    if (this.reasons.isOpen && this.grade === grade) return this.withdraw();
    if (this.grade !== null && this.grade !== grade) this.changes += 1;
    this.check(grade);
    const { reasons } = this.level(grade);
    if (!this.asksReasons || !reasons?.length) return this.answer([]);
    const before = [this.word, this.earlier].find((answer) => answer?.grade === grade);
    this.reasons.open(reasons, this.takenKeys ?? "", before?.reasons);
  }

  check(grade) {
    this.grade = grade;
    this.mark(grade);
  }

  mark(grade) {
    for (const [index, button] of this.buttons.entries()) {
      const isChosen = Number(button.dataset.grade) === grade;
      button.setAttribute("aria-checked", String(isChosen));
      if (isChosen) this.stop(index);
    }
  }

  /** A key while the reasons are open: a chip's letter, or Enter to save. True when it meant something. */
  key(key) {
    if (!this.reasons.isOpen) return false;
    if (key === "Escape") this.withdraw();
    else if (key === "Enter") this.complete();
    else return this.reasons.key(key);
    return true;
  }

  /** No level is chosen any more, or the one that stands; another one is a change of mind all the same. */
  withdraw() {
    this.mark(this.word?.grade ?? null);
    this.reasons.close();
  }

  complete() {
    if (this.reasons.isComplete && !this.root.matches(".is-asleep, .is-empty")) this.answer(this.reasons.names);
  }

  answer(reasons) {
    this.onAnswer({ grade: this.grade, reasons, changes: this.changes });
  }

  /** The answer just given glows for a moment, so that a slip is seen. */
  glow(grade) {
    const button = this.buttons.find((other) => Number(other.dataset.grade) === grade);
    // without a layout in between, the same class put back would not start the animation again
    void button?.offsetWidth;
    button?.classList.add("just-given");
  }

  /** Fresh for the next card; of one that was answered, with the answer, or the one that was taken back. */
  reset(word = null, earlier = null) {
    for (const button of this.buttons) {
      button.classList.remove("just-given");
      const isEarlier = Number(button.dataset.grade) === earlier?.grade;
      button.classList.toggle("is-earlier", isEarlier);
      button.querySelector(".level-earlier").hidden = !isEarlier;
    }
    this.pointer.rest();
    this.word = word;
    this.earlier = earlier;
    this.grade = null;
    this.changes = 0;
    this.stop(0);
    this.withdraw();
  }
}
