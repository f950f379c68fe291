// Cards with the definition of a term: they open on hover, focus and tap, and close on leaving, Escape and scrolling.
const EDGE = 8;
let open = null;

function close() {
  if (open) open.hidden = true;
  open = null;
}

/** Under the word, or above it where there is no room; never beyond the edges of the window. */
function show(word) {
  const card = word.nextElementSibling;
  if (card === open) return;
  close();
  card.hidden = false;
  word.removeAttribute("title"); // which is for browsers without this script
  open = card;
  const [at, size] = [word.getBoundingClientRect(), card.getBoundingClientRect()];
  const { clientWidth, clientHeight } = document.documentElement;
  const x = Math.max(EDGE, Math.min(at.left, clientWidth - size.width - EDGE));
  const y = at.bottom + size.height > clientHeight - EDGE ? Math.max(EDGE, at.top - size.height) : at.bottom;
  card.style.left = `${x}px`;
  card.style.top = `${y}px`;
}

const wordOf = (event) => event.target.closest?.(".term-word");
const isBeyond = (event) => !event.relatedTarget?.closest?.(".term")?.contains(event.target);

/** For the whole document, parts that come later too. */
export function initTerms() {
  for (const kind of ["pointerover", "focusin", "click"])
    document.addEventListener(kind, (event) => {
      const word = wordOf(event);
      if (word && !(kind === "pointerover" && event.pointerType === "touch")) show(word);
      else if (kind === "click" && !event.target.closest?.(".term")) close();
    });
  document.addEventListener("pointerout", (event) => {
    const isOfTerm = event.pointerType !== "touch" && event.target.closest?.(".term");
    if (isOfTerm && isBeyond(event) && !isOfTerm.contains(document.activeElement)) close();
  });
  document.addEventListener("focusout", (event) => {
    if (wordOf(event)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  document.addEventListener("scroll", close, { capture: true, passive: true });
}
