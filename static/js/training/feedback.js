// The feedback after an answer: right or not, the right level, why, and where the guidelines say so.

export class Feedback {
  constructor(root, levels) {
    this.root = root;
    this.levels = levels;
    const find = (id) => document.getElementById(id);
    this.box = find("told");
    this.title = find("told-title");
    this.sentence = find("told-levels");
    this.why = find("told-why");
    this.passage = find("told-place");
    this.next = find("told-next");
    this.drawer = find("guidelines");
    this.heading = null;
  }

  get isShown() {
    return !this.box.hidden;
  }

  name(grade) {
    return this.levels.find((level) => level.grade === grade)?.name ?? String(grade);
  }

  /** @param {{given, right, why, anchor}} feedback  @param {boolean} isLast no pair comes after it */
  show({ given: grade, right, why, anchor }, isLast) {
    const isRight = grade === right;
    this.root.classList.add("is-told");
    this.box.classList.toggle("is-right", isRight);
    for (const button of this.root.querySelectorAll(".level")) {
      button.classList.toggle("is-right-level", Number(button.dataset.grade) === right);
    }
    this.heading = anchor ? document.getElementById(`g-${anchor}`) : null;
    this.box.hidden = this.next.hidden = false;
    // filled while it is there: a live region says what changes in it
    this.title.textContent = isRight ? "Right" : "Not quite";
    this.sentence.textContent = isRight ? `It is “${this.name(right)}”.` : `It is “${this.name(right)}”; you said “${this.name(grade)}”.`;
    this.why.textContent = why;
    this.why.hidden = !why;
    this.passage.hidden = !this.heading;
    if (this.heading) this.passage.querySelector("button").textContent = `Guidelines: ${this.heading.textContent}`;
    this.next.firstChild.textContent = isLast ? "See the result " : "Next pair ";
    this.next.focus();
  }

  hide() {
    this.root.classList.remove("is-told");
    this.box.hidden = this.next.hidden = true;
    for (const button of this.root.querySelectorAll(".is-right-level")) button.classList.remove("is-right-level");
    for (const part of [this.title, this.sentence, this.why]) part.textContent = "";
  }

  /** The guidelines beside the work, at the heading that decides this pair. */
  openPassage() {
    if (!this.heading) return;
    if (!this.drawer.open) this.drawer.show();
    this.heading.scrollIntoView({ block: "start" });
  }
}
