// Whether the card on screen was seen: its media shown, all of it painted, for a moment. Until then its levels sleep,
// so that a key pressed twice, or too soon, labels nothing that nobody looked at.

const MOMENT = 250;

/** When what was changed until now is on screen; never while the page is hidden. */
function painted() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

export class Sight {
  constructor(root) {
    this.root = root;
    this.look = null;
    this.levels = root.querySelector(".levels");
    // what nobody could see was not seen
    document.addEventListener("visibilitychange", () => this.look && this.begin(this.look.shown));
  }

  /** Something else comes into view. @param {Promise} shown when its media are there */
  async begin(shown) {
    const look = { shown };
    this.look = look;
    this.sleep(true);
    await shown;
    await painted();
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
