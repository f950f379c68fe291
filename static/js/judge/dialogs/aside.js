// What the server refused for good: kept in this browser and shown, until the person says what becomes of it.
import { piece } from "../pieces.js";

export class Aside {
  /** @param {{store, outbox, levels, root, announce: (text: string) => void, onSentAgain: (entry) => void}} parts */
  constructor(parts) {
    Object.assign(this, parts);
    this.box = null;
  }

  /** Show what is kept; nothing where nothing is. */
  show() {
    this.box?.remove();
    const kept = this.store.aside();
    if (!kept.length) return;
    this.box = piece("aside");
    this.box.querySelector("[data-n]").textContent = kept.length === 1 ? "1 answer was" : `${kept.length} answers were`;
    this.box.querySelector("ul").replaceChildren(...kept.map(([, entry]) => this.line(entry)));
    this.box.querySelector("[data-again]").addEventListener("click", () => this.sendAgain());
    this.box.querySelector("[data-away]").addEventListener("click", () => this.throwAway());
    this.root.querySelector(".messages").append(this.box);
    this.announce(this.box.textContent);
  }

  line({ kind, body, reason }) {
    const level = this.levels.find((one) => one.grade === body.grade)?.name ?? `Grade ${body.grade}`;
    const what = kind === "answer" ? level : "A report";
    const words = body.comment || body.note;
    return Object.assign(document.createElement("li"), { textContent: `${what}${words ? ` (“${words}”)` : ""}: ${reason}` });
  }

  sendAgain() {
    for (const [key, entry] of this.store.aside()) {
      this.store.takeUp(key, entry);
      this.onSentAgain(entry);
    }
    this.box.remove();
    this.outbox.flush();
  }

  throwAway() {
    for (const [key] of this.store.aside()) this.store.remove(key);
    this.box.remove();
    this.outbox.show();
  }
}
