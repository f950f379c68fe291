// One chart into one element, with the page's colours and without anything a strict CSP refuses.
import { fillNames, themeConfig } from "./theme.js";

/** Plots side by side have widths of their own ("@plot"): Vega-Lite fits single plots alone into what contains them. */
function isConcatenation(spec) {
  return ["concat", "hconcat", "vconcat"].some((kind) => kind in spec);
}

/** What is embedded: our theme beneath, the page's own config above, palette names turned into colours. */
export function themedSpec(spec, scope, pixels, width = "container") {
  const config = themeConfig(pixels);
  const base = isConcatenation(spec) ? {} : { width };
  if (isConcatenation(spec)) delete config.autosize;
  return fillNames({ ...base, ...spec, config: { ...config, ...spec.config } }, scope, pixels);
}

const OPTIONS = {
  actions: false,
  ast: true,
  defaultStyle: false,
  logLevel: 1,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

/** `pixels`: the width of a picture; without, that of the target, which is filled. */
export async function embed(target, spec, scope, pixels) {
  return window.vegaEmbed(target, themedSpec(spec, scope, pixels ?? target.clientWidth, pixels), OPTIONS);
}
