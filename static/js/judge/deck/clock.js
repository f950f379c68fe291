// Active time on one card: a monotonic clock that stops after 30 s without input (unless media plays) and while hidden.

const IDLE_AFTER = 30_000;
const INPUTS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchmove"];

export class Clock {
  /** @param {() => boolean} mediaPlays */
  constructor(mediaPlays) {
    this.mediaPlays = mediaPlays;
    this.total = 0;
    this.countedTo = 0;
    this.lastInput = 0;
    this.hidden = document.hidden;
    for (const name of INPUTS) addEventListener(name, () => this.input(), { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => this.count());
    // while media plays nobody needs to move; counting each second notices when it ends
    setInterval(() => this.count(), 1000);
  }

  start() {
    this.total = 0;
    this.countedTo = this.lastInput = performance.now();
    this.hidden = document.hidden;
  }

  input() {
    this.count();
    this.lastInput = performance.now();
  }

  /** Add the time since the last count, as far as it was active. */
  count() {
    const now = performance.now();
    if (!this.hidden) {
      if (this.mediaPlays()) this.lastInput = now;
      this.total += Math.max(0, Math.min(now, this.lastInput + IDLE_AFTER) - this.countedTo);
    }
    this.countedTo = now;
    this.hidden = document.hidden;
  }

  read() {
    this.count();
    return Math.round(this.total);
  }
}
