// Whether the card on screen was seen: its media shown, all of it painted, for a moment. Until then its levels sleep,
// so that a key pressed twice, or too soon, labels nothing that nobody looked at.

const MOMENT = 250;

/** When what was changed until now is on screen; never while the page is hidden. */
function nextPaint() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

export class AnswerGuard {
  constructor(root) {
    this.root = root;
    this.look = null;
    this.levels = root.querySelector(".levels");
    // what nobody could see was not seen
    document.addEventListener("visibilitychange", () => this.look && this.begin(this.look.media));
  }

  /** Something else comes into view. @param {Promise} media when they are there */
  async begin(media) {
    const look = { media };
    this.look = look;
    this.sleep(true);
    await media;
    await nextPaint();
    setTimeout(() => this.look === look && this.sleep(false), MOMENT);
  }

  /** Nothing is in view. */
  end() {
    this.look = null;
    this.sleep(false);
  }

  sleep(isAsleep) {
    this.root.classList.toggle("is-asleep", isAsleep);
    this.levels.setAttribute("aria-disabled", String(isAsleep));
  }
}
