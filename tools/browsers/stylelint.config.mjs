// Styles against the floor: the plugin reads caniuse, our own rule MDN's data, which know functions, units and values.
import stylelint from "stylelint";
import valueParser from "postcss-value-parser";
import { byName, data, lacking } from "./floor.mjs";

const RULE = "assayer/floor";
const { "at-rules": atRules, properties, selectors, types } = data.css;
const typeNames = byName(types, 2);
const pseudo = byName(selectors, 0);
const VIEWPORT = { s: "small", l: "large", d: "dynamic" };
// what some devices have no use for: pointers, fields dragged larger, fingers, text that a phone enlarges
const MEANT_FOR_OTHERS = ["css3-cursors", "css3-cursors-grab", "css3-cursors-newer", "css-resize", "css-touch-action", "text-size-adjust"];
const messages = stylelint.utils.ruleMessages(RULE, { lacks: (what, browsers) => `${browsers}: no ${what}` });

/** Each name in a value that the data may know: [as written, features]. */
function* inValue(property, value) {
  const found = [];
  valueParser(value).walk((node) => {
    const unit = node.type === "word" && valueParser.unit(node.value);
    const viewport = unit && unit.unit.match(/^([sld])v(?:w|h|i|b|min|max)$/);
    if (node.type === "function") found.push([`${node.value}()`, [properties[property]?.[node.value], ...(typeNames.get(node.value) ?? [])]]);
    else if (viewport) found.push([unit.unit, [types.length[`viewport_percentage_units_${VIEWPORT[viewport[1]]}`]]]);
    else if (unit) found.push([unit.unit, [types.length[unit.unit], types.angle[unit.unit], types.time[unit.unit]]]);
    else if (node.type === "word") found.push([node.value, [properties[property]?.[node.value]]]);
  });
  yield* found;
}

function* inDeclaration({ prop, value, parent }) {
  if (prop.startsWith("-") && !prop.startsWith("--")) return;
  const prefixes = parent.nodes.filter((node) => node.prop?.endsWith(prop)).map((node) => node.prop.slice(0, -prop.length)).filter(Boolean);
  yield [prop, [properties[prop]], prefixes];
  yield* inValue(prop, value);
}

function* inAtRule({ name, params }) {
  yield [`@${name}`, [atRules[name]]];
  if (name !== "media") return;
  if (/[<>]/.test(params)) yield ["range in @media", [atRules.media.range_syntax]];
  for (const [, feature] of params.matchAll(/\(\s*([a-z-]+)/g)) yield [feature, [atRules.media[feature.replace(/^(?:min|max)-/, "")]]];
}

function* inRule({ selector, parent }) {
  if (parent.type === "atrule" && parent.name.endsWith("keyframes")) return;
  if (parent.type === "rule" || selector.includes("&")) yield ["nesting", [selectors.nesting]];
  for (const [name, bare] of selector.replace(/\[[^\]]*\]/g, "").matchAll(/::?([a-z][\w-]*)/g)) yield [name, pseudo.get(bare) ?? []];
}

/** Inside an @supports that asks for the very thing. */
function isAsked(node, what) {
  for (let at = node.parent; at; at = at.parent) {
    if (at.name === "supports" && !at.params.startsWith("not") && at.params.includes(what.replace("()", "("))) return true;
  }
  return false;
}

const inNode = { decl: inDeclaration, atrule: inAtRule, rule: inRule };
const rule = () => (root, result) => {
  root.walk((node) => {
    for (const [what, features, prefixes] of inNode[node.type]?.(node) ?? []) {
      const browsers = lacking(features, prefixes);
      if (browsers && !isAsked(node, what)) stylelint.utils.report({ ruleName: RULE, result, node, word: what.replace("()", ""), message: messages.lacks(what, browsers) });
    }
  });
};

export default {
  plugins: [stylelint.createPlugin(RULE, rule), "stylelint-no-unsupported-browser-features"],
  reportNeedlessDisables: true,
  reportDescriptionlessDisables: true,
  rules: {
    [RULE]: true,
    "plugin/no-unsupported-browser-features": [true, { ignorePartialSupport: true, ignore: MEANT_FOR_OTHERS }],
  },
};
