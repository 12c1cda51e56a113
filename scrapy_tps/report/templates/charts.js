const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const BARS = 20;

/** What a histogram says, in words: for screen readers and as a title. */
function histogramText(bars) {
  const total = bars.reduce((sum, pages) => sum + pages, 0);
  if (!total) return "no page was measured";
  return bars
    .map((pages, i) => (pages ? `${5 * i} to ${5 * i + 5} % removed: ${plural(pages, "page")}` : null))
    .filter(Boolean)
    .join("; ");
}

/** Pages by share of the nodes that went, 0 % on the left, 100 % on the right. */
function histogram(bars = [], { width = 120, height = 28, axis = false } = {}) {
  const most = Math.max(1, ...bars);
  const step = width / BARS;
  const rects = bars.map((pages, i) => {
    const tall = pages ? Math.max(2, (pages / most) * height) : 0;
    return draw("rect", { x: i * step + 0.5, y: height - tall, width: step - 1, height: tall, class: "bar" });
  });
  const base = draw("line", { x1: 0, y1: height, x2: width, y2: height, class: "axis" });
  const labels = axis
    ? [0, 25, 50, 75, 100].map((share) => draw("text", {
      x: (share / 100) * width, y: height + 14, class: "label",
      "text-anchor": share === 0 ? "start" : share === 100 ? "end" : "middle",
    }, `${share} %`))
    : [];
  const full = height + (axis ? 20 : 1);
  return draw("svg", { viewBox: `0 0 ${width} ${full}`, width, height: full, role: "img", "aria-label": histogramText(bars) },
    draw("title", {}, histogramText(bars)), ...rects, base, ...labels);
}

/** Numbers of one crawl after the other as a small line, from 0 up; crawls without one leave a gap. */
function sparkline(values, label, text, { width = 46, height = 18 } = {}) {
  const most = Math.max(...values, 1e-9);
  const at = (value, i) => [2 + (i * (width - 4)) / Math.max(1, values.length - 1), height - 2 - (value / most) * (height - 4)];
  const points = values.map((value, i) => (value == null ? null : at(value, i))).filter(Boolean);
  const said = `${label}: ${values.map((value) => (value == null ? "–" : text(value))).join(", ")}`;
  const last = points.at(-1) ?? [0, 0];
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "trend", role: "img", "aria-label": said },
    draw("title", {}, said), draw("polyline", { points: points.map((point) => point.join()).join(" ") }),
    draw("circle", { cx: last[0], cy: last[1], r: 2 }));
}

/** Counts by name as bars, most first. */
function tallyTable(tally = {}, name = "Outcome") {
  const entries = Object.entries(tally).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const total = entries.reduce((sum, [, pages]) => sum + pages, 0);
  const rows = entries.map(([key, count]) => {
    const share = draw("svg", { viewBox: "0 0 100 8", width: 100, height: 8, "aria-hidden": "true" },
      draw("rect", { x: 0, y: 0, width: (100 * count) / total, height: 8, class: "bar" }));
    return make("tr", {}, make("th", { scope: "row" }, key), make("td", { class: "number" }, number(count)),
      make("td", { class: "number" }, percent(count / total)), make("td", {}, share));
  });
  return make("table", { class: "tally" }, make("thead", {}, make("tr", {},
    make("th", { scope: "col" }, name), make("th", { scope: "col", class: "number" }, "Count"),
    make("th", { scope: "col", class: "number" }, "Share"), make("td"))), make("tbody", {}, ...rows));
}
