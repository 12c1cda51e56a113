const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const BARS = 20;

/** A histogram in words: for screen readers and as a title. */
function histogramText(bars) {
  const total = bars.reduce((sum, pages) => sum + pages, 0);
  if (!total) return "no page was measured";
  return bars
    .map((pages, i) => (pages ? `${5 * i} to ${5 * i + 5} % removed: ${plural(pages, "page")}` : null))
    .filter(Boolean)
    .join("; ");
}

/** Pages by share of the removed nodes, 0 % on the left, 100 % on the right. */
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
/** Columns of selectors and of fields: label, place in the row, and how the value is written. */
const COVERAGE = {
  selectors: [["Selector", 2, "code"], ["State", 12, "state"], ["Callback", 1], ["Site", 0], ["Asked", 3, "number"], ["Found", 4, "number"],
    ["Original only", 5, "number"], ["Partly", 6, "number"], ["Nothing", 7, "number"], ["Pages", 8, "number"],
    ["Pages since found", 10, "number"], ["Last found", 11, "time"]],
  fields: [["Field", 3, "code"], ["State", 12, "state"], ["Item", 2], ["Callback", 1], ["Site", 0], ["Items", 4, "number"], ["Filled", 5, "number"],
    ["Share", 6, "share"], ["Values (approx.)", 7, "number"], ["Pages", 8, "number"], ["Pages since filled", 10, "number"], ["Last filled", 11, "time"]],
};

/** The selectors, or the fields, of one crawl as a table that can be searched: those that look wrong first. */
class CoverageTable {
  constructor(kind) {
    this.columns = COVERAGE[kind];
    this.section = $(`#of-${kind}`);
    this.filter = $("form", this.section);
    this.filter.addEventListener("submit", (event) => event.preventDefault());
    this.filter.addEventListener("input", () => this.list());
    $("thead", this.section).append(make("tr", { role: "row" }, ...this.columns.map(([head, , kind]) =>
      make("th", { scope: "col", role: "columnheader", class: ["number", "share"].includes(kind) && "number" }, head))));
  }

  show(rows) {
    this.rows = rows;
    this.section.hidden = !rows.length;
    this.list();
  }

  list() {
    const wanted = this.filter.elements.words.value.trim().toLowerCase();
    const wrong = this.filter.elements.wrong.checked;
    const chosen = this.rows.filter((row) => (!wrong || row.at(-1))
      && row.slice(0, 4).some((text) => String(text).toLowerCase().includes(wanted)));
    const shown = chosen.slice(0, CoverageTable.ROWS);
    const more = chosen.length > shown.length ? `, the first ${number(shown.length)} shown` : "";
    $("[role=status]", this.section).textContent = `${number(chosen.length)} of ${number(this.rows.length)}${more}`;
    $("tbody", this.section).replaceChildren(...shown.map((row) => make("tr", { role: "row", "data-wrong": row.at(-1) },
      ...this.columns.map(([head, place, kind]) => this.cell(row[place], head, kind)))));
  }

  cell(value, label, kind) {
    if (kind === "code") return make("th", { scope: "row", role: "rowheader" }, make("code", {}, value || "(items)"));
    const written = value == null ? "–" : kind === "number" ? number(value) : kind === "share" ? percent(value)
      : kind === "time" ? ago(value) : short(value);
    const name = kind === "state" ? "words state" : kind ? "number" : "words";
    return make("td", { class: name, role: "cell", "data-label": label, title: written !== value && !kind || kind === "time" ? value : null }, written);
  }
}

CoverageTable.ROWS = 300;
const share = (value) => (value == null ? "–" : percent(value));
const count = (value) => (value == null ? "–" : number(value));
const decimal = (value) => (value == null ? "–" : value < 10 ? value.toFixed(2) : number(Math.round(value)));
const time = (value) => (value == null ? "–" : seconds(value / 1000));
const over = (part, whole) => (whole ? part / whole : null);
const sum = (tally = {}) => Object.values(tally).reduce((total, value) => total + value, 0);

const tallied = (tally = {}) => Object.entries(tally).map(([name, pages]) => `${name} ${number(pages)}`).join(", ");
/** Why a site looks wrong, one reason a line, or null. */
const reasons = (warnings) => (warnings ? make("ul", { class: "reasons" }, ...warnings.map((warning) => make("li", {}, warning))) : null);

/** Every measure once: its label, value and format; `tile` is its place among the tiles. */
const MEASURES = [
  { key: "pages", label: "Pages", value: (one) => one.pages, text: count, tile: 3 },
  { key: "pruned", label: "Pruned", value: (one) => over(one.pruned, one.pages), text: share },
  { key: "mean", label: "Reduction, mean", value: (one) => one.reduction, text: share, tile: 4 },
  { key: "bars", label: "Distribution", value: (one) => one.reduction, chart: (one) => histogram(one.bars, { width: 70, height: 22 }) },
  { key: "each", label: "Time a page", value: (one) => one.ms_per_page, text: time, tile: 5 },
  { key: "items", label: "Items a page", value: (one) => over(one.items, one.pages), text: decimal, tile: 1 },
  { key: "silent", label: "No output", value: (one) => one.pages_without_output, text: count, tile: 2 },
];
const COLUMNS = MEASURES.map((measure) => ({
  key: measure.key, label: measure.label,
  value: (row) => measure.value(row.figures),
  cell: (row) => measure.chart?.(row.figures) ?? measure.text(measure.value(row.figures)),
})).concat({
  key: "whole", label: "Not pruned", words: true,
  value: (row) => sum(row.figures.not_pruned), cell: (row) => tallied(row.figures.not_pruned),
}, {
  key: "warnings", label: "Looks wrong", words: true,
  value: (row) => row.figures.looks_wrong?.length ?? 0, cell: (row) => reasons(row.figures.looks_wrong) ?? "",
});

class ReportPage {
  constructor({ title, summary, total, sites, ...coverage }) {
    this.title = title;
    this.total = total;
    this.order = { key: "pages", down: true };
    this.first = 0;
    this.open = new Set();
    this.filters = $("#filters");
    this.rows = sites.map(([site, figures]) => ({ site, figures }));
    this.controls();
    this.summarise(summary);
    this.overview();
    this.list();
    for (const kind of ["fields", "selectors"]) new CoverageTable(kind).show(coverage[kind]);
  }

  controls() {
    const outcomes = Object.keys(this.total.outcomes ?? {}).sort();
    this.filters.elements.outcome.append(...outcomes.map((name) => make("option", {}, name)));
    this.filters.addEventListener("submit", (event) => event.preventDefault());
    this.filters.addEventListener("input", () => { this.first = 0; this.list(); });
    for (const button of $$("#pager button")) {
      button.addEventListener("click", () => {
        this.first += Number(button.dataset.page) * ReportPage.ROWS;
        this.list();
        $(".scrolled").scrollTop = 0;
      });
    }
  }

  /** No findings, or the findings, worst first: shown by a sign and words, with colour in addition. */
  summarise(summary) {
    const section = $("#summary");
    section.dataset.state = summary.state;
    const sign = { clean: "✓", findings: "!", empty: "–" }[summary.state];
    section.replaceChildren(
      make("h2", { id: "summary-heading" }, make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", {}, summary.findings.length > 1 ? `${summary.findings.length} findings, worst first` : summary.headline)),
      summary.findings.length && make("ol", {}, ...summary.findings.map((finding) => make("li", {},
        summary.findings.length > 1 && make("p", { class: "what" }, `${finding.text}.`),
        make("p", {}, finding.advice),
        finding.paste && make("pre", { tabindex: "0" }, make("code", {}, finding.paste))))) || "",
      ...summary.notes.map((note) => make("p", { class: "quiet" }, note)));
  }

  overview() {
    const tiles = MEASURES.filter((measure) => measure.tile).sort((one, other) => one.tile - other.tile);
    const cards = tiles.map((measure) => [measure.label, measure.text(measure.value(this.total))]);
    cards.push(["Sites", number(this.rows.length)]);
    $("#figures").replaceChildren(...cards.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))));
    $("#overview").replaceChildren(make("div", {},
      make("div", {}, make("p", {}, "Pages by share of the removed nodes"),
        histogram(this.total.bars, { width: 330, height: 110, axis: true })),
      tallyTable(this.total.outcomes),
      this.total.alarms ? tallyTable(this.total.alarms, "Alarm") : ""));
  }

  chosen() {
    const { name, pages, outcome, wrong } = this.filters.elements;
    const wanted = name.value.trim().toLowerCase();
    const least = Number(pages.value) || 0;
    return this.rows.filter(({ site, figures }) => site.toLowerCase().includes(wanted)
      && figures.pages >= least
      && (!outcome.value || figures.outcomes?.[outcome.value])
      && (!wrong.checked || figures.looks_wrong?.length));
  }

  sorted(rows) {
    const sign = this.order.down ? -1 : 1;
    const column = COLUMNS.find((one) => one.key === this.order.key);
    const value = column ? column.value : (row) => row.site;
    const keyed = rows.map((row) => [value(row), row]);
    keyed.sort(([a, one], [b, other]) => {
      if (a == null || b == null) return (a == null) - (b == null) || (one.site < other.site ? -1 : 1); // nothing comes last
      if (a === b) return one.site < other.site ? -1 : 1;
      return (a < b ? -1 : 1) * sign;
    });
    return keyed.map(([, row]) => row);
  }

  list() {
    const rows = this.sorted(this.chosen());
    this.first = Math.max(0, Math.min(this.first, Math.floor((rows.length - 1) / ReportPage.ROWS) * ReportPage.ROWS));
    const shown = rows.slice(this.first, this.first + ReportPage.ROWS);
    $("#count").textContent = rows.length
      ? `${plural(rows.length, "site")}, shown ${number(this.first + 1)} to ${number(this.first + shown.length)}`
      : "No site matches.";
    const [back, on] = $$("#pager button");
    $("#pager").hidden = rows.length <= ReportPage.ROWS;
    back.disabled = !this.first;
    on.disabled = this.first + ReportPage.ROWS >= rows.length;
    $("#sites thead").replaceChildren(make("tr", { role: "row" }, this.head({ key: "site", label: "Site", words: true }), ...COLUMNS.map((one) => this.head(one))));
    $("#sites tbody").replaceChildren(...shown.flatMap((row) => this.row(row)));
  }

  head(column) {
    const own = column.key === this.order.key;
    const button = make("button", { type: "button", "data-sort": column.key }, column.label);
    button.addEventListener("click", () => {
      this.order = { key: column.key, down: own ? !this.order.down : column.key !== "site" };
      this.first = 0;
      this.list();
      $(`[data-sort="${column.key}"]`).focus();
    });
    const sort = own ? (this.order.down ? "descending" : "ascending") : "none";
    return make("th", { scope: "col", role: "columnheader", class: column.words ? "words" : "number", "aria-sort": sort }, button);
  }

  row(row) {
    const button = make("button", { type: "button", "aria-expanded": String(this.open.has(row)), title: short(row.site) === row.site ? null : row.site }, short(row.site));
    const line = make("tr", { role: "row" }, make("th", { scope: "row", role: "rowheader" }, button), ...COLUMNS.map((column) => {
      const cell = column.cell(row);
      return make("td", { class: column.words ? "words" : "number", role: "cell", "data-label": column.label, "data-empty": cell === "" }, cell);
    }));
    button.addEventListener("click", () => {
      if (this.open.delete(row)) line.nextElementSibling.remove();
      else {
        this.open.add(row);
        line.after(this.details(row));
      }
      button.setAttribute("aria-expanded", String(this.open.has(row)));
    });
    return this.open.has(row) ? [line, this.details(row)] : [line];
  }

  details({ figures }) {
    const parts = [make("div", {}, make("strong", {}, this.title),
      histogram(figures.bars, { width: 300, height: 60, axis: true }),
      tallyTable(figures.outcomes),
      figures.strategies && tallyTable(figures.strategies, "Strategy"),
      figures.alarms && tallyTable(figures.alarms, "Alarm"),
      make("p", { class: "quiet" },
        `${count(figures.nodes_before)} nodes before, ${count(figures.nodes_after)} after; ` +
        `${count(figures.chars_before)} characters before, ${count(figures.chars_after)} after; ${plural(figures.items, "item")}.`))];
    return make("tr", { class: "details", role: "row" }, make("td", { role: "cell", colspan: COLUMNS.length + 1 }, make("div", { class: "row" }, ...parts.filter(Boolean))));
  }
}
ReportPage.ROWS = 200; // sites that are table rows at a time

new ReportPage(JSON.parse($("#tps-data").textContent));
document.documentElement.dataset.ready = "true";
