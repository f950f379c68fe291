// The page's tokens as a Vega-Lite config, and palette names ("@blue") in a spec as colours.

export const CATEGORIES = ["blue", "amber", "teal", "violet", "slate", "red", "green"];
const NAMES = [...CATEGORIES, "ink", "ink-2", "ink-3", "line", "line-strong", "surface", "ground", "accent", "ramp-low", "ramp-high"];

/** Colours as the browser resolves them inside `scope` (an element whose color-scheme decides light or dark). */
export function colours(scope) {
  const probe = document.createElement("span");
  probe.hidden = true;
  (scope === document.documentElement ? document.body : scope).append(probe);
  const byName = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    byName[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return byName;
}

/** Every string "@name" of the spec, at any depth, becomes that colour. */
export function fillColours(spec, scope) {
  const table = colours(scope);
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
export function themeConfig(scope, pixels) {
  const c = colours(scope);
  const ramp = [c["ramp-low"], c["ramp-high"]];
  const font = "Inter, system-ui, sans-serif";
  const text = { labelColor: c["ink-2"], titleColor: c["ink-2"], labelFont: font, titleFont: font, labelFontSize: 11.5, titleFontSize: 11.5, titleFontWeight: 500 };
  return {
    background: "transparent",
    font,
    autosize: { type: "fit-x", contains: "padding" },
    view: { stroke: null },
    range: { category: CATEGORIES.map((name) => c[name]), ordinal: ramp, heatmap: ramp, ramp },
    axis: { ...text, grid: true, gridColor: c.line, domain: false, ticks: false, labelPadding: 8, titlePadding: 10 },
    axisQuantitative: { tickCount: 6 },
    axisBand: { grid: false },
    legend: { ...text, orient: "top", title: null, symbolType: "square", symbolSize: 90, offset: 12, columnPadding: 16, labelLimit: 260, columns: Math.max(1, Math.floor(pixels / 180)) },
    header: { ...text },
    title: { color: c.ink, font, fontSize: 13, fontWeight: 600, anchor: "start" },
    mark: { color: c.blue, tooltip: true },
    bar: { cornerRadiusEnd: 2 },
    line: { strokeWidth: 2 },
    area: { opacity: 0.16 },
    point: { filled: true, size: 50 },
    rule: { color: c["ink-3"] },
    text: { color: c.ink, font, fontSize: 11.5 },
    errorbar: { color: c.ink, ticks: true, size: 6 },
  };
}
