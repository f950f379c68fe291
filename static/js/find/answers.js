// The answers to what is typed: asked for when the typing rests, and never an older one in place of a newer one.

const PAUSE = 120;
const UNREACHABLE = "The server could not be reached; type on to try again.";
const SIGNED_OUT = "You are signed out; sign in again in another tab, and type on.";

export class Answers {
  /** @param {{address: string, onAnswer: (html: string) => void, onTrouble: (sentence: string) => void}} parts */
  constructor(parts) {
    Object.assign(this, parts, { timer: 0, request: null });
  }

  /** True while what is shown answers something else than what is typed. */
  get isPending() {
    return Boolean(this.timer || this.request);
  }

  ask(text, pause = PAUSE) {
    this.stop();
    this.timer = setTimeout(() => this.send(text), pause);
  }

  stop() {
    clearTimeout(this.timer);
    this.request?.abort();
    Object.assign(this, { timer: 0, request: null });
  }

  async send(text) {
    const request = new AbortController();
    Object.assign(this, { timer: 0, request });
    const address = new URL(this.address, location.href);
    address.searchParams.set("q", text);
    let html = null;
    let trouble = UNREACHABLE;
    try {
      const response = await fetch(address, { signal: request.signal });
      if (response.redirected) trouble = SIGNED_OUT;
      else if (response.ok) html = await response.text();
      else trouble = `The server answered ${response.status}; type on to try again.`;
    } catch {
      // the trouble is told below; of one that was stopped nobody waits to hear
    }
    if (this.request !== request) return;
    this.request = null;
    if (html === null) this.onTrouble(trouble);
    else this.onAnswer(html);
  }
}
