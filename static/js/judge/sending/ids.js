// Names for what is sent: one that rises, for the order in which it goes, and one that nothing else has.

let last = 0;

/** Rising even when two answers fall into one millisecond, and in step across tabs closely enough. */
export function nextKey() {
  last = Math.max(last + 1, Date.now() * 1000);
  return String(last).padStart(17, "0");
}

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // randomUUID is missing on plain http; getRandomValues is not
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
