// A pointer that rests where it answered the last card points at nothing of the next one, until it moves.

export class RestingPointer {
  /** @param {Element} root of the screen, which is marked meanwhile */
  constructor(root) {
    this.root = root;
    this.position = "";
    for (const name of ["pointermove", "pointerdown"]) addEventListener(name, (event) => this.follow(event), { passive: true });
  }

  /** Another card is shown: what is beneath the pointer now was not pointed at. */
  rest() {
    this.root.classList.add("is-resting");
  }

  /** Browsers report a move too where what is beneath the pointer has changed: one counts that went somewhere. */
  follow({ screenX, screenY }) {
    const position = `${screenX} ${screenY}`;
    if (position !== this.position) this.root.classList.remove("is-resting");
    this.position = position;
  }
}
