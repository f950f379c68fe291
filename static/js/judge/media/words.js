// Marking the query's words in a text or a page, on demand. Text nodes and <mark> only; the words stay as they were.

const SHORT = 3;

/** A text's words, each with and without what may be a plural's ending: "boxes" finds "box", "circle" finds "circles". */
function forms(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  // words of one or two letters would mark everything
  const long = words.filter((word) => word.length >= SHORT);
  return new Set(long.flatMap((word) => [word, word.replace(/s$/u, ""), word.replace(/es$/u, "")]));
}

function markedPieces(text, queryForms) {
  return text.split(/([\p{L}\p{N}]+)/u).map((piece) => {
    if (piece.length < SHORT || ![...forms(piece)].some((form) => queryForms.has(form))) return piece;
    return Object.assign(document.createElement("mark"), { textContent: piece });
  });
}

/** Mark the words of `query` in all text below an element; marks of before are taken away. */
export function markWords(element, query) {
  for (const mark of element.querySelectorAll("mark")) mark.replaceWith(mark.textContent);
  element.normalize();
  const queryForms = forms(query);
  if (!queryForms.size) return;
  const nodes = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  for (const node of nodes) node.replaceWith(...markedPieces(node.data, queryForms));
}
