// The dialogs over the screen: cannot judge, escalate, signed out.
import { SignedOut } from "../sending/api.js";

function find(id) {
  return document.getElementById(id);
}

/** A form dialog: opens clean, hands its fields over when sent, and stays as it is where they are not taken. */
function formDialog(id, onSend) {
  const dialog = find(id);
  const form = dialog.querySelector("form");
  form.addEventListener("submit", (event) => {
    const fields = new FormData(form);
    const isTaken = onSend({ reason: fields.get("reason") ?? "", note: (fields.get("note") ?? "").trim() });
    if (isTaken === false) event.preventDefault();
  });
  return () => {
    form.reset();
    dialog.showModal();
  };
}

export function initClosing() {
  for (const button of document.querySelectorAll("dialog [data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
}

/** The drawer opens beside the work, which makes room for it. */
export function makeRoom() {
  const drawer = find("guidelines");
  const watch = new MutationObserver(() => find("judge").classList.toggle("is-beside", drawer.open));
  watch.observe(drawer, { attributeFilter: ["open"] });
}

export function reportDialogs(report) {
  return {
    cannot: formDialog("dialog-cannot", (fields) => report("cannot_judge", fields)),
    escalate: formDialog("dialog-escalate", (fields) => report("escalated", fields)),
  };
}

/** Over the page, never instead of it: what waits stays, and goes out after the person has signed in elsewhere. */
export class SignInDialog {
  /** @param {{resume: () => Promise<void>, isNeeded: () => boolean}} parts isNeeded: nobody is signed in, open or not */
  constructor({ resume, isNeeded }) {
    this.resume = resume;
    this.dialog = find("dialog-signin");
    find("signin-again").addEventListener("click", () => this.check(true));
    // coming back from the tab one signed in with, even where the dialog was closed before
    const goOn = () => isNeeded() && this.check(false);
    addEventListener("focus", goOn);
    // and before that, as soon as that tab says so (static/js/signed-in.js)
    new BroadcastChannel("assayer.signed-in").addEventListener("message", goOn);
  }

  open(address, nWaiting) {
    find("signin-link").href = address;
    find("signin-waiting").textContent = nWaiting ? `Waiting: ${nWaiting}.` : "";
    find("signin-state").textContent = "";
    if (!this.dialog.open) this.dialog.showModal();
  }

  async check(isClick) {
    try {
      await this.resume();
      this.dialog.close();
    } catch (error) {
      if (!isClick) return;
      find("signin-state").textContent =
        error instanceof SignedOut ? "Not signed in yet. Sign in in the other tab, then come back." : "The server cannot be reached. Try again in a moment.";
    }
  }
}
