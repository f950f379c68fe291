// What the oldest browsers of package.json lack, by MDN's compatibility data.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export const data = createRequire(import.meta.url)("@mdn/browser-compat-data");
const { browserslist } = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
const NAMES = { ios_saf: "safari_ios" };
const FLOOR = browserslist.map((line) => {
  const [, name, version] = line.match(/^(\w+) >= ([\d.]+)$/);
  return [NAMES[name] ?? name, version];
});

/** Whether a version that MDN's data name ("16.4", "≤79", "preview", false) is there at the floor. */
function isBy(version, floor) {
  const [one, other] = [version, floor].map((text) => String(text || "").replace("≤", "").split(".").map(Number));
  for (const [at, part] of one.entries()) if (part !== (other[at] ?? 0)) return part < (other[at] ?? 0);
  return typeof version === "string";
}

/** Without a switch, under its own name or a prefix of `prefixes`; in part only where no later version has the whole. */
function works(statement, floor, prefixes, all) {
  const { version_added, version_removed, partial_implementation, flags, alternative_name, prefix } = statement;
  if (flags || alternative_name || (prefix && !prefixes.includes(prefix))) return false;
  if (partial_implementation && !all.every((one) => one.partial_implementation)) return false;
  return isBy(version_added, floor) && !(version_removed && isBy(version_removed, floor));
}

/** The browsers that lack a feature, "" where none does; of several features with one name the best known counts. */
export function lacking(features, prefixes = []) {
  const compats = features.map((feature) => feature?.__compat).filter(Boolean);
  const lists = compats.map(({ support }) =>
    FLOOR.filter(([name, floor]) => {
      const all = [support[name] ?? []].flat();
      return all.length && !all.some((one) => works(one, floor, prefixes, all));
    }),
  );
  const [best = []] = lists.sort((one, other) => one.length - other.length);
  return best.map(([name, floor]) => `${data.browsers[name].name} ${floor}`).join(", ");
}

/** Features by their last name: those of a part of the data, and those `depth` steps further down. */
export function byName(part, depth) {
  const index = new Map();
  const walk = (one, left) => {
    for (const [key, child] of Object.entries(one)) {
      if (key === "__compat") continue;
      const name = key.replace(/_static$/, "");
      index.set(name, [...(index.get(name) ?? []), child]);
      if (left) walk(child, left - 1);
    }
  };
  walk(part, depth);
  return index;
}
