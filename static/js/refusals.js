// A page that answers a form which was refused: its first message comes into view, with the focus on the field that it is about.
const MESSAGES = [".field-error:not(:empty), [aria-invalid=true]", "form [role=alert]", "[role=alert]"];

/** The field that a message is about, or the message, which then takes the focus like a field. */
function focusable(message) {
  if (message.matches("[aria-invalid=true]")) return message;
  const field = message.closest(".field")?.querySelector("[aria-invalid=true]");
  if (!field) message.tabIndex = -1;
  return field ?? message;
}

/** Show the first message of a refused form to the eye, the keyboard and the screen reader, which reads it with its field. */
export function showRefusal(root) {
  const message = MESSAGES.map((selector) => root.querySelector(selector)).find(Boolean);
  if (!message) return;
  message.closest("details")?.setAttribute("open", "");
  const target = focusable(message);
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "center" });
}
