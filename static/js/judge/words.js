// Marking the query's words in a text, on demand. Text nodes and <mark> only; the text itself stays as it was.

const SHORT = 3;

function stems(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  // "dogs" finds "dog" and the other way round; words of one or two letters would mark everything
  return new Set(words.filter((word) => word.length >= SHORT).map((word) => word.replace(/(es|s)$/u, "")));
}

export function markWords(element, query) {
  const text = element.textContent;
  const wanted = stems(query);
  if (!wanted.size) {
    element.textContent = text;
    return;
  }
  const pieces = text.split(/([\p{L}\p{N}]+)/u).map((piece) => {
    if (piece.length < SHORT || ![...stems(piece)].some((stem) => wanted.has(stem))) return piece;
    return Object.assign(document.createElement("mark"), { textContent: piece });
  });
  element.replaceChildren(...pieces);
}
