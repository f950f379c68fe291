// What waits on this device of one collection and person, sent from any page as the judge screen sends it.
import { Outbox } from "../judge/sending/outbox.js";
import { Store } from "../judge/sending/store.js";

/** @param {() => void} onChange something was sent, or was not  @returns {Outbox} which tries again by itself */
export function send({ slug, owner }, onChange) {
  const screen = `/c/${slug}/judge`;
  const urls = { owner, tokenUrl: `${screen}/token`, answerUrl: `${screen}/answer`, reportUrl: `${screen}/report`, undoUrl: `${screen}/undo` };
  const nothing = () => {};
  const outbox = new Outbox({
    store: new Store(`${slug}.${owner}`),
    urls,
    onState: onChange,
    onResult: nothing,
    onRefused: onChange,
    onSignedOut: nothing,
    onStopped: onChange,
    onCleared: nothing,
  });
  addEventListener("online", () => outbox.flush());
  outbox.flush();
  return outbox;
}
