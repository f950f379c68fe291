// One chart into one element, with the page's colours and without anything a strict CSP refuses.
import { fillColours, themeConfig } from "./theme.js";

/** What is embedded: our theme beneath, the page's own config above, palette names turned into colours. */
export function themedSpec(spec, scheme, pixels) {
  const config = themeConfig(scheme, pixels);
  return fillColours({ width: "container", ...spec, config: { ...config, ...spec.config } }, scheme);
}

const OPTIONS = {
  actions: false,
  ast: true,
  defaultStyle: false,
  logLevel: 1,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

export async function embed(target, spec, scheme) {
  return window.vegaEmbed(target, themedSpec(spec, scheme, target.clientWidth), OPTIONS);
}
