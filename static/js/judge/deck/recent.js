// The last answers and reports, each of which can be changed.
import { get } from "../sending/api.js";
import { piece } from "../pieces.js";

function row(judged, levels, onChange) {
  const item = piece("recent");
  const level = levels.find((other) => other.grade === judged.grade);
  item.querySelector("[data-query]").textContent = judged.query_text;
  item.querySelector("[data-document]").textContent = judged.document_text;
  item.querySelector("[data-level]").textContent = judged.report || (level?.name ?? judged.grade);
  item.querySelector("[data-level]").classList.toggle("badge-warn", Boolean(judged.report));
  item.querySelector("[data-at]").textContent = new Date(judged.at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  item.querySelector("[data-change]").addEventListener("click", () => onChange(judged.hand_out));
  return item;
}

/** Open the list; `onChange(handOut)` is called with the one to say anew. */
export async function openRecent(url, levels, onChange) {
  const dialog = document.getElementById("dialog-recent");
  const state = document.getElementById("recent-state");
  const list = document.getElementById("recent-list");
  list.replaceChildren();
  state.textContent = "Loading…";
  dialog.showModal();
  try {
    const { judged } = await get(url);
    state.textContent = judged.length ? "" : "There is nothing to change: you have not judged yet, or your batches are settled.";
    list.replaceChildren(
      ...judged.map((one) =>
        row(one, levels, (handOut) => {
          dialog.close();
          onChange(handOut);
        }),
      ),
    );
  } catch {
    state.textContent = "The list cannot be loaded right now.";
  }
}
