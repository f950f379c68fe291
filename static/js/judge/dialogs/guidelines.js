// The guidelines beside the work, and the word that they have changed: once a person and version.
import { recall, remember } from "../prefs.js";

export class Guidelines {
  /** @param {{owner: string, version: number, focusBack: () => void}} parts version: the one this page shows */
  constructor({ owner, version, focusBack }) {
    this.name = `guidelines.${owner}`;
    this.version = version;
    this.focusBack = focusBack;
    this.drawer = document.getElementById("guidelines");
    this.changed = document.getElementById("guidelines-changed");
    this.changed.querySelector("[data-close]").addEventListener("click", () => this.markSeen());
    this.changed.querySelector("[data-read]").addEventListener("click", () => this.read());
    this.newest = version;
    // the server says so until something was judged under them; who closed the word is not told again
    if (recall(this.name, 0) >= version) this.changed.hidden = true;
    if (location.hash === "#guidelines") this.toggle();
  }

  toggle() {
    if (this.drawer.open) return this.close();
    // not modal: judging goes on beside it
    this.drawer.show();
    if (this.newest === this.version) this.markSeen();
  }

  /** True when there was something to close. */
  close() {
    const wasOpen = this.drawer.open;
    this.drawer.close();
    this.focusBack();
    return wasOpen;
  }

  markSeen() {
    this.changed.hidden = true;
    remember(this.name, this.newest);
  }

  /** The newest ones; a page that shows older ones is loaded anew, for the words on its buttons may have changed too. */
  read() {
    if (this.newest === this.version) return this.toggle();
    this.markSeen();
    location.hash = "guidelines";
    location.reload();
  }

  /** @param {{version: number, on: string}} now what the server says with every answer */
  hear(now) {
    if (!now || now.version <= this.newest) return;
    this.newest = now.version;
    this.changed.querySelector("[data-on]").textContent = now.on;
    this.changed.hidden = false;
  }
}
