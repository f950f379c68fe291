// On every page: that answers wait on this device, given on the judge screen and not sent yet; whose, and how to send them.

const KEY = /^assayer\.outbox\.([\w-]+)\.(\d+)\./;

/** How many answers wait, by the collection they are of and the person who gave them: [{ slug, owner, n }]. */
function waiting() {
  const found = new Map();
  try {
    for (const key of Object.keys(localStorage)) {
      const [, slug, owner] = KEY.exec(key) ?? [];
      if (slug) found.set(`${slug} ${owner}`, { slug, owner, n: (found.get(`${slug} ${owner}`)?.n ?? 0) + 1 });
    }
  } catch {
    // storage is switched off: nothing waits there
  }
  return [...found.values()];
}

function words({ slug, owner, n }, person) {
  const what = `${n} ${n === 1 ? "answer" : "answers"} in ${slug} ${n === 1 ? "waits" : "wait"} on this device, not sent yet`;
  if (owner === person) return `${what}.`;
  return person ? `${what}: of another account, sent once it is signed in.` : `${what}. Sign in to send ${n === 1 ? "it" : "them"}.`;
}

function line(one, person) {
  const box = document.createElement("div");
  box.className = "notice notice-warn";
  box.append(Object.assign(document.createElement("div"), { textContent: words(one, person) }));
  if (one.owner === person) {
    const link = { href: `/c/${one.slug}/judge/`, className: "button button-small", textContent: "Send" };
    box.append(Object.assign(document.createElement("a"), link));
  }
  return box;
}

/** Say so now, and anew whenever another tab gives, sends or takes back an answer. */
export function initWaiting() {
  const place = document.querySelector(".messages");
  if (!place) return;
  const person = document.body.dataset.person ?? "";
  // the judge screen says it of its own collection and person, and sends
  const here = document.querySelector("[data-undo-url]")?.dataset.collection;
  const isElsewhere = ({ slug, owner }) => slug !== here || owner !== person;
  const box = Object.assign(document.createElement("div"), { className: "stack-tight" });
  const show = () => {
    box.replaceChildren(...waiting().filter(isElsewhere).map((one) => line(one, person)));
    if (box.children.length) place.append(box);
    else box.remove();
  };
  show();
  addEventListener("storage", show);
}
