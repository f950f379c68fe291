// The comment, which grows as it is written in: on a phone the answers stick to the bottom of the window, over its end.

/** Bring the whole comment above what sticks below it. */
function rise(comment, panel) {
  if (getComputedStyle(panel).position !== "sticky") return;
  const overlap = comment.getBoundingClientRect().bottom - panel.getBoundingClientRect().top;
  if (overlap > 0) scrollBy(0, overlap + 8);
}

export function keepInSight(comment, panel) {
  const look = () => requestAnimationFrame(() => rise(comment, panel));
  for (const name of ["focus", "input"]) comment.addEventListener(name, look);
}
