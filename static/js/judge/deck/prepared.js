// What comes next, built and so loading behind the scenes: the next two cards, as far as their files fit into a budget.
// Files beyond it load when their card comes up, for one that is loading takes the network from the card on screen.
import { ItemView } from "../media/card.js";

const N_CARDS = 2;
const MOST_BYTES = 20_000_000;

/** Two cards are of one query when they show the same of it. */
export function queryKey(card) {
  return JSON.stringify(card.query);
}

/** The bytes of an item's files, as far as the server knows them. */
function bytesOf(item) {
  return item.parts.reduce((sum, { n_bytes }) => sum + (n_bytes ?? 0), 0);
}

/** A view of each item, by key: the one there was before, or else a new one. Others that there were are dropped. */
function viewsOf(items, before) {
  const views = new Map();
  for (const [key, item] of items) views.set(key, before.get(key) ?? new ItemView(item, { isAhead: true }));
  for (const [key, view] of before) if (!views.has(key)) view.drop();
  return views;
}

function take(views, key, item) {
  const view = views.get(key) ?? new ItemView(item);
  views.delete(key);
  view.loadWhole();
  return view;
}

export class PreparedViews {
  constructor() {
    this.documents = new Map();
    this.queries = new Map();
  }

  get all() {
    return [...this.documents.values(), ...this.queries.values()];
  }

  /** The view of a card's document, which is shown now. */
  document(card) {
    return take(this.documents, card.hand_out, card.document);
  }

  query(card) {
    return take(this.queries, queryKey(card), card.query);
  }

  /** Build the cards that come next, with their queries where these are others, and forget those that do not. */
  prepare(cards, keyOnScreen) {
    const [documents, queries] = [new Map(), new Map()];
    let bytesLeft = MOST_BYTES;
    for (const card of cards.slice(0, N_CARDS)) {
      const key = queryKey(card);
      const isNewQuery = key !== keyOnScreen && !queries.has(key);
      const bytes = bytesOf(card.document) + (isNewQuery ? bytesOf(card.query) : 0);
      if (bytes > bytesLeft) continue;
      bytesLeft -= bytes;
      documents.set(card.hand_out, card.document);
      if (isNewQuery) queries.set(key, card.query);
    }
    this.documents = viewsOf(documents, this.documents);
    this.queries = viewsOf(queries, this.queries);
  }
}
