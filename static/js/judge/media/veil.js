// A content warning, and what it covers until somebody wants to see it.
import { fromTemplate } from "../templates.js";

/** Cover an item. @returns {() => void} what lifts the cover */
export function veil(item, element) {
  const cover = fromTemplate("veil");
  const body = element.querySelector(".item-body");
  cover.querySelector("[data-warning]").textContent = item.warning;
  element.classList.add("is-veiled");
  body.inert = true;
  element.append(cover);
  return () => {
    cover.remove();
    body.inert = false;
    element.classList.remove("is-veiled");
  };
}
