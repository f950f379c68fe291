// An image: fitted, or larger by key, button, double click or tap, the wheel with Ctrl, or two fingers, on the screen or
// on a trackpad; moved by dragging, scrolling or the arrow keys.

const LARGEST = 8;
const STEPS = [1, 2, 4];
const PAN = 80;
const DOUBLE_TAP = { within: 300, around: 30 }; // milliseconds, pixels

function between(first, second) {
  return {
    distance: Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY),
    at: { x: (first.clientX + second.clientX) / 2, y: (first.clientY + second.clientY) / 2 },
  };
}

function isNear(first, second) {
  return between(first, second).distance < DOUBLE_TAP.around;
}

export class Zoom {
  constructor(figure) {
    this.figure = figure;
    this.frame = figure.querySelector(".frame");
    this.scale = 1;
    const { frame } = this;
    figure.addEventListener("click", (event) => event.target.closest("[data-act=zoom]") && this.next());
    frame.addEventListener("dblclick", (event) => this.double(event));
    frame.addEventListener("pointerdown", (event) => this.touch(event));
    frame.addEventListener("pointerup", (event) => this.tap(event));
    frame.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    frame.addEventListener("pointerdown", (event) => this.grab(event));
    frame.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, () => (this.from = null));
    frame.addEventListener("touchstart", (event) => this.pinch(event), { passive: false });
    frame.addEventListener("touchmove", (event) => this.pinch(event), { passive: false });
    frame.addEventListener("touchend", () => (this.spread = null));
    for (const name of ["gesturestart", "gesturechange"]) frame.addEventListener(name, (event) => this.gesture(event));
  }

  get isZoomed() {
    return this.scale > 1;
  }

  next() {
    this.to(STEPS.find((step) => step > this.scale + 0.01) ?? 1);
  }

  by(steps) {
    this.to(this.scale * 2 ** steps);
  }

  /** @param {{x, y}} at the point of the window that stays where it is; the middle of the frame without one */
  to(factor, at = null) {
    const { frame } = this;
    const scale = Math.min(LARGEST, Math.max(1, factor));
    const box = frame.getBoundingClientRect();
    const x = at ? at.x - box.left : box.width / 2;
    const y = at ? at.y - box.top : box.height / 2;
    const part = [(frame.scrollLeft + x) / frame.scrollWidth, (frame.scrollTop + y) / frame.scrollHeight];
    this.scale = scale;
    frame.style.setProperty("--zoom", String(scale));
    this.figure.classList.toggle("is-zoomed", this.isZoomed);
    // what can be scrolled must be reachable by key
    if (this.isZoomed) frame.tabIndex = 0;
    else frame.removeAttribute("tabindex");
    frame.scrollLeft = part[0] * frame.scrollWidth - x;
    frame.scrollTop = part[1] * frame.scrollHeight - y;
    this.figure.querySelector("[data-zoom]").textContent = this.isZoomed ? `${Math.round(scale * 10) / 10}×` : "fit";
  }

  /** Move what is seen by steps. False when all of the image is in sight. */
  pan(right, down) {
    if (!this.isZoomed) return false;
    this.frame.scrollBy(right * PAN, down * PAN);
    return true;
  }

  double({ clientX: x, clientY: y }) {
    // some browsers make a double click of two taps, others do not
    if (performance.now() - (this.tapped?.at ?? -Infinity) > DOUBLE_TAP.within) this.to(this.isZoomed ? 1 : 2, { x, y });
  }

  touch(event) {
    if (event.pointerType !== "touch") return;
    // of two fingers none taps, wherever they are lifted
    this.touched = event.isPrimary ? event : null;
    if (!event.isPrimary) this.tapped = null;
  }

  tap(event) {
    const start = this.touched;
    this.touched = null;
    if (start?.pointerId !== event.pointerId || !isNear(start, event)) return;
    const last = this.tapped;
    const at = performance.now();
    const isSecond = last && isNear(last, event) && !last.wasSecond && at - last.at < DOUBLE_TAP.within;
    const { clientX, clientY } = event;
    this.tapped = { clientX, clientY, at, wasSecond: isSecond };
    if (isSecond) this.to(this.isZoomed ? 1 : 2, { x: clientX, y: clientY });
  }

  /** Two fingers on a Mac's trackpad, which Safari tells in its own way; on a screen they are touches too. */
  gesture(event) {
    event.preventDefault();
    if (this.spread) return;
    if (event.type === "gesturestart") this.before = this.scale;
    else this.to(this.before * event.scale, { x: event.clientX, y: event.clientY });
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.to(this.scale * Math.exp(-event.deltaY / 200), { x: event.clientX, y: event.clientY });
  }

  grab(event) {
    // fingers scroll by themselves
    if (!this.isZoomed || event.pointerType === "touch") return;
    event.preventDefault();
    this.frame.setPointerCapture(event.pointerId);
    this.from = { x: event.clientX + this.frame.scrollLeft, y: event.clientY + this.frame.scrollTop };
  }

  drag(event) {
    if (!this.from) return;
    this.frame.scrollLeft = this.from.x - event.clientX;
    this.frame.scrollTop = this.from.y - event.clientY;
  }

  pinch(event) {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const { distance, at } = between(...event.touches);
    if (event.type === "touchstart" || !this.spread) this.spread = { distance, scale: this.scale };
    else this.to((this.spread.scale * distance) / this.spread.distance, at);
  }
}
