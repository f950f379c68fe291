// What the judge screen keeps on this device: a backlog of what waits to be sent, and of what was refused.

const KEY = /^assayer\.(outbox|aside)\.([\w-]+)\.(\d+)\.(\d+)$/;

/** What is kept, by collection and person: the keys of what waits and of what was refused, and the age of the oldest. */
export function backlogs() {
  const byOwner = new Map();
  try {
    for (const key of Object.keys(localStorage).sort()) {
      const [, kind, slug, owner, moment] = KEY.exec(key) ?? [];
      if (!kind) continue;
      const backlog = byOwner.get(`${slug} ${owner}`) ?? { slug, owner, outbox: [], aside: [], age: 0 };
      if (kind === "outbox" && !backlog.outbox.length) backlog.age = Math.abs(Date.now() - Number(moment) / 1000); // a clock may have been set back
      backlog[kind].push(key);
      byOwner.set(`${slug} ${owner}`, backlog);
    }
  } catch {
    // storage is switched off: nothing is kept there
  }
  return [...byOwner.values()];
}
