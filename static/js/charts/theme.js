// Palette names ("@blue") in a spec as the page's colours, and the config of all charts, which the page brings (metrics/charts/theme.py).

const THEME = JSON.parse(document.getElementById("chart-theme").textContent);

/** Colours as the browser resolves them inside `scope` (an element whose color-scheme decides light or dark). */
export function colours(scope) {
  const probe = document.createElement("span");
  probe.hidden = true;
  (scope === document.documentElement ? document.body : scope).append(probe);
  const byName = {};
  for (const name of THEME.colours) {
    probe.style.color = `var(--${name})`;
    byName[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return byName;
}

/** Every string "@name" of the spec, at any depth, becomes that colour, "@plot", "@whole" and the others the width of a plot with that room beside it, "@text" that of a name in it. */
export function fillNames(spec, scope, pixels) {
  const widths = Object.entries(THEME.rooms).map(([name, room]) => [name, Math.max(THEME.leastPlot, pixels - room)]);
  const text = Math.max(THEME.leastText, Math.floor(pixels / THEME.textPart));
  const table = { ...colours(scope), ...Object.fromEntries(widths), text };
  const fill = (value) => {
    if (typeof value === "string") return value.startsWith("@") ? (table[value.slice(1)] ?? value) : value;
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== "object") return value;
    // data are data: a run may be called "@blue"
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, key === "values" ? child : fill(child)]));
  };
  return fill(spec);
}

/** `pixels`: the width of the element that is drawn into, so that a legend of many names wraps instead of being cut. */
export function themeConfig(pixels) {
  const columns = Math.max(1, Math.floor(pixels / THEME.legendColumn));
  const labelLimit = Math.min(THEME.legendLabel, Math.max(THEME.leastPlot, pixels) - THEME.legendRoom);
  return { ...THEME.config, legend: { ...THEME.config.legend, columns, labelLimit } };
}
