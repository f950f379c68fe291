// Scripts against the floor: the plugin knows names of the browser's own, our own rule by MDN's data methods of anything.
import compat from "eslint-plugin-compat";
import { byName, data, lacking } from "./floor.mjs";

const { api, javascript } = data;
// an object, what it has, and of Intl what its objects have
const members = byName({ api, builtins: javascript.builtins, intl: javascript.builtins.Intl }, 2);

// words of objects of ours and of htmx, which some young object of a browser happens to have too
const OURS = new Set(
  "actions address blue bytes changed check config details drop last level move range reasons retry run seek sourceElement take to turn".split(" "),
);

/** A name that every object of the floor lacks, whatever it is asked of: who has `map` is not to be told from a text. */
const floor = {
  meta: { type: "problem", schema: [], messages: { lacks: "{{ browsers }}: no {{ what }}" } },
  create(context) {
    const check = (node, what, features) => {
      const browsers = lacking(features);
      if (browsers) context.report({ node, messageId: "lacks", data: { what, browsers } });
    };
    return {
      MemberExpression({ object, property, computed }) {
        if (computed || property.type !== "Identifier") return;
        const { name } = property;
        const own = [api, javascript.builtins].flatMap((part) => [part[object.name]?.[`${name}_static`], part[object.name]?.[name]]);
        if (own.some(Boolean)) check(property, name, own);
        else if (!OURS.has(name)) check(property, name, members.get(name) ?? []);
      },
      AwaitExpression(node) {
        if (!context.sourceCode.getAncestors(node).some((one) => /Function/.test(one.type))) {
          check(node, "await in a module", [javascript.operators.await.top_level]);
        }
      },
      "Program:exit"(node) {
        for (const { identifier } of context.sourceCode.getScope(node).through) {
          const { name } = identifier;
          check(identifier, name, [api[name], api.Window[name], javascript.builtins[name]]);
        }
      },
    };
  },
};

export default [
  {
    files: ["**/*.js"],
    // what ECMAScript 2022 does not know is a mistake: the floor knows all of it
    languageOptions: { ecmaVersion: 2022, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { compat, assayer: { rules: { floor } } },
    rules: { "compat/compat": "error", "assayer/floor": "error" },
  },
  {
    // libraries have too many words of their own; htmx asks for the history of the Navigation API before it uses it
    files: ["vendor/**/*.js"],
    settings: { polyfills: ["Navigation"] },
    rules: { "assayer/floor": "off" },
  },
];
