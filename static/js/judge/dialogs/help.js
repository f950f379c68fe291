// The list of keys: switch them off, give a level another one, or go back to those of the scheme.
import { fromTemplate } from "../templates.js";
import { recall, remember } from "../prefs.js";

function say(input, fault) {
  input.setCustomValidity(fault);
  input.setAttribute("aria-invalid", String(Boolean(fault)));
  if (fault) input.reportValidity();
}

function row(level, keys) {
  const element = fromTemplate("key");
  const input = element.querySelector("input");
  element.classList.add(`colour-${level.colour}`);
  element.querySelector("[data-name]").textContent = level.name;
  input.value = keys.keyOf(level);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("input", () => say(input, keys.remap(level, input.value) ? "" : "Choose a key that nothing else uses."));
  // what was refused is not in force, so it does not stay there either
  input.addEventListener("blur", () => {
    say(input, "");
    input.value = keys.keyOf(level);
  });
  return element;
}

/** @param {Keys} keys */
export function initHelp(levels, keys) {
  const on = document.getElementById("keys-on");
  const list = document.getElementById("key-levels");
  const fill = () => list.replaceChildren(...levels.map((level) => row(level, keys)));
  on.checked = recall("keysOn", true);
  on.addEventListener("change", () => {
    remember("keysOn", on.checked);
    keys.readMap();
  });
  document.getElementById("keys-reset").addEventListener("click", () => {
    keys.reset();
    fill();
  });
  fill();
}
