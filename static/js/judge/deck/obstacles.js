// Why no card can be shown, as far as that is known without asking the server.

export const NOT_HERE = "You are not among the annotators of this collection any more. Ask its lead.";

/** What waits here, and until when; nothing where nothing waits. */
function waitingWords({ size }, until) {
  if (!size) return "";
  return `${size === 1 ? "1 answer is" : `${size} answers are`} kept in this browser and sent ${until}.`;
}

/** @param {Screen} screen  @returns {{reason, message} | null} null where the server is to be asked */
export function obstacle({ outbox, empty }) {
  if (outbox.paused) return { reason: "signed_out", message: waitingWords(outbox, "once you are signed in again") };
  if (outbox.isKeptOut) return { reason: "kept_out", message: `${NOT_HERE} ${waitingWords(outbox, "once you may judge here again")}` };
  if (outbox.tries) return { reason: "waiting", message: waitingWords(outbox, "as soon as the server can be reached") };
  if (outbox.size) return { reason: "saving" };
  // the next batch is asked for at once: its first card stands there with the figures of the last one
  return empty?.reason === "batch_done" ? null : empty;
}
