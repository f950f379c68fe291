// What the judge screen keeps on this device: what waits to be sent, and what was refused.

const KEY = /^assayer\.(outbox|aside)\.([\w-]+)\.(\d+)\.(\d+)$/;

/** What is kept, by collection and person: the keys of what waits and of what was refused, and the age of the oldest. */
export function piles() {
  const found = new Map();
  try {
    for (const key of Object.keys(localStorage).sort()) {
      const [, kind, slug, owner, moment] = KEY.exec(key) ?? [];
      if (!kind) continue;
      const pile = found.get(`${slug} ${owner}`) ?? { slug, owner, outbox: [], aside: [], age: 0 };
      if (kind === "outbox" && !pile.outbox.length) pile.age = Math.abs(Date.now() - Number(moment) / 1000); // a clock may have been set back
      pile[kind].push(key);
      found.set(`${slug} ${owner}`, pile);
    }
  } catch {
    // storage is switched off: nothing is kept there
  }
  return [...found.values()];
}
