// The last answers and reports, each of which can be changed.
import { pictureOf, showFrames } from "../../items/pictures.js";
import { get } from "../sending/api.js";
import { fromTemplate } from "../templates.js";

/** A moment in UTC, as in the titles of times that the server tells. */
function utcText(at) {
  const [, day, month, year, clock] = at.toUTCString().split(" ");
  return `${Number(day)} ${month} ${year} ${clock} UTC`;
}

function row(judgment, levels, onChange) {
  const item = fromTemplate("recent");
  const level = levels.find((other) => other.grade === judgment.grade);
  const pictures = [judgment.query_picture, judgment.document_picture].filter(Boolean);
  item.querySelector("[data-pictures]").append(...pictures.map(pictureOf));
  item.querySelector("[data-query]").textContent = judgment.query_text;
  item.querySelector("[data-document]").textContent = judgment.document_text;
  item.querySelector("[data-level]").textContent = judgment.report || (level?.name ?? judgment.grade);
  item.querySelector("[data-level]").classList.toggle("badge-warn", Boolean(judgment.report));
  item.querySelector("[data-at]").textContent = new Date(judgment.at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  item.querySelector("[data-at]").title = utcText(new Date(judgment.at));
  item.querySelector("[data-change]").addEventListener("click", () => onChange(judgment.hand_out));
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
    const { judged: judgments } = await get(url);
    state.textContent = judgments.length ? "" : "There is nothing to change: you have not judged yet, or your batches are settled.";
    list.replaceChildren(
      ...judgments.map((judgment) =>
        row(judgment, levels, (handOut) => {
          dialog.close();
          onChange(handOut);
        }),
      ),
    );
    showFrames(list);
  } catch {
    state.textContent = "The list cannot be loaded right now.";
  }
}
