// An image: fitted, or larger and moved with the pointer, the wheel's scrolling or the arrow keys of its frame.

const STEPS = ["fit", "2×", "4×"];

export class Zoom {
  constructor(figure) {
    this.figure = figure;
    this.frame = figure.querySelector(".frame");
    this.level = 0;
    figure.addEventListener("click", (event) => event.target.closest("[data-act=zoom]") && this.step((this.level + 1) % STEPS.length));
    this.frame.addEventListener("dblclick", () => this.step(this.level ? 0 : 1));
    this.frame.addEventListener("pointerdown", (event) => this.grab(event));
    this.frame.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) this.frame.addEventListener(name, () => (this.from = null));
  }

  by(steps) {
    this.step(Math.min(STEPS.length - 1, Math.max(0, this.level + steps)));
  }

  step(level) {
    const { frame } = this;
    const middle = [(frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth, (frame.scrollTop + frame.clientHeight / 2) / frame.scrollHeight];
    this.level = level;
    this.figure.dataset.zoom = String(level);
    // what can be scrolled must be reachable by key
    if (level) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
    frame.scrollLeft = middle[0] * frame.scrollWidth - frame.clientWidth / 2;
    frame.scrollTop = middle[1] * frame.scrollHeight - frame.clientHeight / 2;
    this.figure.querySelector("[data-zoom]").textContent = STEPS[level];
  }

  grab(event) {
    // fingers scroll by themselves
    if (!this.level || event.pointerType === "touch") return;
    event.preventDefault();
    this.frame.setPointerCapture(event.pointerId);
    this.from = { x: event.clientX + this.frame.scrollLeft, y: event.clientY + this.frame.scrollTop };
  }

  drag(event) {
    if (!this.from) return;
    this.frame.scrollLeft = this.from.x - event.clientX;
    this.frame.scrollTop = this.from.y - event.clientY;
  }
}
