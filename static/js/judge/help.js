// The list of keys: switch them off, or give a level another one.
import { recall, remember } from "./prefs.js";

const TAKEN = "zlxecgrwvsom?,.+- ";

export function initHelp(levels, keys, owner) {
  const name = `keys.${owner}`;
  const on = document.getElementById("keys-on");
  on.checked = recall("keysOn", true);
  on.addEventListener("change", () => {
    remember("keysOn", on.checked);
    keys.readMap();
  });
  const list = document.getElementById("key-levels");
  for (const level of levels) {
    const row = document.getElementById("tpl-key").content.firstElementChild.cloneNode(true);
    const input = row.querySelector("input");
    row.classList.add(`colour-${level.colour}`);
    row.querySelector("[data-name]").textContent = level.name;
    input.value = recall(name, {})[level.grade] ?? level.key;
    input.addEventListener("focus", () => input.select());
    input.addEventListener("input", () => take(input, level, levels, keys, name));
    list.append(row);
  }
}

function take(input, level, levels, keys, name) {
  const own = recall(name, {});
  const key = input.value.trim().toLowerCase();
  const used = levels.some((other) => other !== level && (own[other.grade] ?? other.key) === key);
  const bad = !key || used || (TAKEN.includes(key) && key !== level.key);
  input.setCustomValidity(bad ? "Choose a key that nothing else uses." : "");
  input.setAttribute("aria-invalid", String(bad));
  if (bad) return input.reportValidity();
  remember(name, { ...own, [level.grade]: key });
  keys.readMap();
}
