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
/** Columns of selectors and of fields: label, place in the row, and how the value is written. */
const COVERAGE = {
  queries: [["Selector", 2, "code"], ["State", 12, "state"], ["Callback", 1], ["Site", 0], ["Asked", 3, "number"], ["Found", 4, "number"],
    ["Original only", 5, "number"], ["Partly", 6, "number"], ["Nothing", 7, "number"], ["Pages", 8, "number"],
    ["Pages since found", 10, "number"], ["Last found", 11]],
  fields: [["Field", 3, "code"], ["State", 12, "state"], ["Item", 2], ["Callback", 1], ["Site", 0], ["Items", 4, "number"], ["Filled", 5, "number"],
    ["Share", 6, "share"], ["Values, about", 7, "number"], ["Pages", 8, "number"], ["Pages since filled", 10, "number"], ["Last filled", 11]],
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
    const written = value == null ? "–" : kind === "number" ? number(value) : kind === "share" ? percent(value) : value;
    const name = kind === "state" ? "words state" : kind ? "number" : "words";
    return make("td", { class: name, role: "cell", "data-label": label }, written);
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

/**
 * Every measure once: what it is called, its value, how it is written, and which way is good.
 * Where: in the table, unless `only` says "compare" or "one" (crawl); and on a tile, in the order of these numbers.
 */
const MEASURES = [
  { key: "pages", label: "Pages", value: (one) => one.pages, text: count, tile: 3 },
  { key: "pruned", label: "Pruned", value: (one) => over(one.pruned, one.pages), text: share, better: 1 },
  { key: "mean", label: "Reduction, mean", value: (one) => one.reduction ?? null, text: share, better: 1, tile: 4 },
  { key: "median", label: "Median", value: (one) => one.reduction_median ?? null, text: share, better: 1 },
  { key: "high", label: "90th percentile", value: (one) => one.reduction_p90 ?? null, text: share, better: 1, only: "compare" },
  { key: "bars", label: "Distribution", value: (one) => one.reduction ?? null, chart: (one) => histogram(one.bars, { width: 70, height: 22 }), only: "one" },
  { key: "nodes", label: "Nodes saved", value: (one) => one.nodes_before - one.nodes_after, text: count, better: 1, only: "compare" },
  { key: "chars", label: "Characters saved", value: (one) => one.chars_before - one.chars_after, text: count, better: 1, only: "compare" },
  { key: "each", label: "Time a page", value: (one) => one.ms_per_page ?? null, text: time, better: -1, tile: 5 },
  { key: "items", label: "Items a page", value: (one) => over(one.items, one.pages), text: decimal, better: 1, tile: 1 },
  { key: "silent", label: "No output", value: (one) => one.pages_without_output, text: count, better: -1, tile: 2 },
  { key: "links", label: "Links gone", value: (one) => one.original_links, text: count },
  { key: "alarms", label: "Alarms", value: (one) => sum(one.alarms), text: count, better: -1, only: "compare" },
];

class ReportPage {
  constructor({ crawls, comparison, samples }) {
    this.crawls = crawls;
    this.comparison = comparison;
    this.samples = samples;
    this.crawl = 0; // number of the crawl, or -1: all of them side by side
    this.order = { key: "pages", down: true };
    this.first = 0;
    this.open = new Set();
    this.tables = { fields: new CoverageTable("fields"), queries: new CoverageTable("queries") };
    this.filters = $("#filters");
    this.rows = this.lineUp();
    this.controls();
    this.show(crawls.length > 1 ? -1 : 0);
  }

  /** One row a site: its figures in each crawl, or null. */
  lineUp() {
    const rows = new Map();
    this.crawls.forEach((crawl, i) => {
      for (const [site, figures] of crawl.sites) {
        if (!rows.has(site)) rows.set(site, { site, figures: this.crawls.map(() => null) });
        rows.get(site).figures[i] = figures;
      }
    });
    return [...rows.values()];
  }

  controls() {
    const names = this.crawls.map((crawl) => crawl.title);
    if (names.length > 1) names.push("Compare");
    names.forEach((name, i) => {
      const which = i < this.crawls.length ? i : -1;
      const button = make("button", { type: "button", "data-crawl": which }, name);
      button.addEventListener("click", () => this.show(which));
      $("#crawls").append(button);
    });
    const outcomes = new Set(this.crawls.flatMap((crawl) => Object.keys(crawl.total.outcomes ?? {})));
    this.filters.elements.outcome.append(...[...outcomes].sort().map((name) => make("option", {}, name)));
    const compared = MEASURES.filter((measure) => measure.only !== "one");
    this.filters.elements.measure.append(...compared.map((measure) => make("option", { value: measure.key }, measure.label)));
    this.filters.elements.measure.value = "items";
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

  show(which) {
    this.crawl = which;
    this.first = 0;
    this.order = which < 0 ? { key: "change", down: false } : { key: "pages", down: true };
    for (const button of $$("#crawls button")) button.setAttribute("aria-pressed", String(Number(button.dataset.crawl) === which));
    $("#measures").hidden = which >= 0;
    this.summary();
    this.overview();
    this.list();
    for (const [kind, table] of Object.entries(this.tables)) table.show(this.crawls.at(which)[kind]);
  }

  /** All well, or what to look at, worst first: said by a sign and words, and only then by colour. */
  summary() {
    const compared = this.crawl < 0;
    const summary = compared ? this.comparison : this.crawls[this.crawl].summary;
    const section = $("#summary");
    section.dataset.state = summary.state;
    const sign = { well: "✓", look: "!", empty: "–" }[summary.state];
    section.replaceChildren(
      make("h2", { id: "summary-heading" }, make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", {}, summary.title)),
      summary.findings.length && make("ol", {}, ...summary.findings.map((finding) => make("li", {},
        summary.findings.length > 1 && make("p", { class: "what" }, `${finding.text}.`),
        make("p", {}, finding.advice),
        finding.paste && make("pre", { tabindex: "0" }, make("code", {}, finding.paste))))) || "",
      ...summary.notes.map((note) => make("p", { class: "quiet" }, note)),
      ...(compared ? this.crawls.map((crawl) => make("p", {}, `${crawl.title}: ${crawl.summary.headline}`)) : []));
  }

  overview() {
    const shown = this.crawl < 0 ? this.crawls : [this.crawls[this.crawl]];
    const tiles = MEASURES.filter((measure) => measure.tile).sort((one, other) => one.tile - other.tile);
    const cards = tiles.map((measure) => [measure.label, (crawl) => measure.text(measure.value(crawl.total))]);
    cards.push(["Sites", (crawl) => number(crawl.sites.length)]);
    $("#figures").replaceChildren(...cards.map(([label, value]) =>
      make("div", {}, make("dt", {}, label), make("dd", {}, shown.map(value).join(" → ")))));
    $("#overview").replaceChildren(...shown.map((crawl) => make("div", {},
      shown.length > 1 && make("h3", {}, crawl.title),
      make("div", {}, make("p", {}, "Pages by share of the nodes that went"),
        histogram(crawl.total.bars, { width: 330, height: 110, axis: true })),
      tallyTable(crawl.total.outcomes),
      crawl.total.alarms && tallyTable(crawl.total.alarms, "Alarm"))));
  }

  measure() {
    return MEASURES.find((one) => one.key === this.filters.elements.measure.value);
  }

  columns() {
    if (this.crawl >= 0) {
      const own = (row) => row.figures[this.crawl];
      const trends = this.crawls[this.crawl].trends;
      return MEASURES.filter((one) => one.only !== "compare").map((measure) => ({
        key: measure.key, label: measure.label,
        value: (row) => measure.value(own(row)),
        cell: (row) => measure.chart?.(own(row)) ?? measure.text(measure.value(own(row))),
      })).concat({
        key: "whole", label: "Not pruned", words: true,
        value: (row) => sum(own(row).not_pruned), cell: (row) => tallied(own(row).not_pruned),
      }, {
        key: "doubts", label: "Looks wrong", words: true,
        value: (row) => own(row).looks_wrong?.length ?? 0, cell: (row) => reasons(own(row).looks_wrong) ?? "",
      }, ...(Object.keys(trends).length ? [{
        key: "trend", label: "Last crawls: items, fields filled, reduction", words: true,
        value: (row) => trends[row.site]?.length ?? 0, cell: (row) => this.trend(trends[row.site]) ?? "",
      }] : []));
    }
    const measure = this.measure();
    const value = (row, i) => (row.figures[i] ? measure.value(row.figures[i]) : null);
    const change = (row) => {
      const [before, after] = [value(row, 0), value(row, this.crawls.length - 1)];
      return before == null || after == null ? null : after - before;
    };
    const columns = this.crawls.map((crawl, i) => ({
      key: `crawl${i}`, label: `${measure.label}: ${crawl.title}`,
      value: (row) => value(row, i), cell: (row) => (row.figures[i] ? measure.text(value(row, i)) : "not seen"),
    }));
    return columns.concat({
      key: "change", label: "Change, last against first", value: change, colour: (row) => this.direction(measure, change(row)),
      cell: (row) => (change(row) == null ? "–" : `${change(row) > 0 ? "+" : change(row) < 0 ? "−" : ""}${measure.text(Math.abs(change(row)))}`),
    }, {
      key: "doubts", label: "Looks wrong in the last", words: true,
      value: (row) => row.figures.at(-1)?.looks_wrong?.length ?? 0, cell: (row) => reasons(row.figures.at(-1)?.looks_wrong) ?? "",
    });
  }

  direction(measure, change) {
    if (!measure.better || !change) return null;
    return change * measure.better > 0 ? "up" : "down";
  }

  chosen() {
    const { name, pages, outcome, wrong } = this.filters.elements;
    const wanted = name.value.trim().toLowerCase();
    const least = Number(pages.value) || 0;
    const among = this.crawl < 0 ? this.crawls.map((_, i) => i) : [this.crawl];
    return this.rows.filter((row) => {
      const figures = among.map((i) => row.figures[i]).filter(Boolean);
      return figures.length
        && row.site.toLowerCase().includes(wanted)
        && figures.some((one) => one.pages >= least)
        && (!outcome.value || figures.some((one) => one.outcomes?.[outcome.value]))
        && (!wrong.checked || figures.some((one) => one.looks_wrong?.length));
    });
  }

  sorted(rows, columns) {
    const sign = this.order.down ? -1 : 1;
    const column = columns.find((one) => one.key === this.order.key);
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
    const columns = this.columns();
    if (this.order.key !== "site" && !columns.some((one) => one.key === this.order.key)) this.order = { key: columns[0].key, down: true };
    const rows = this.sorted(this.chosen(), columns);
    this.first = Math.max(0, Math.min(this.first, Math.floor((rows.length - 1) / ReportPage.ROWS) * ReportPage.ROWS));
    const shown = rows.slice(this.first, this.first + ReportPage.ROWS);
    $("#count").textContent = rows.length
      ? `${plural(rows.length, "site")}, shown ${number(this.first + 1)} to ${number(this.first + shown.length)}`
      : "No site is like that.";
    const [back, on] = $$("#pager button");
    $("#pager").hidden = rows.length <= ReportPage.ROWS;
    back.disabled = !this.first;
    on.disabled = this.first + ReportPage.ROWS >= rows.length;
    $("#sites thead").replaceChildren(make("tr", { role: "row" }, this.head({ key: "site", label: "Site", words: true }), ...columns.map((one) => this.head(one))));
    $("#sites tbody").replaceChildren(...shown.flatMap((row) => this.row(row, columns)));
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

  row(row, columns) {
    const button = make("button", { type: "button", "aria-expanded": String(this.open.has(row)) }, row.site);
    const line = make("tr", { role: "row" }, make("th", { scope: "row", role: "rowheader" }, button), ...columns.map((column) => {
      const kinds = [column.words ? "words" : "number", column.colour?.(row)].filter(Boolean);
      const cell = column.cell(row);
      return make("td", { class: kinds.join(" "), role: "cell", "data-label": column.label, "data-empty": cell === "" }, cell);
    }));
    button.addEventListener("click", () => {
      if (this.open.delete(row)) line.nextElementSibling.remove();
      else {
        this.open.add(row);
        line.after(this.details(row, columns));
      }
      button.setAttribute("aria-expanded", String(this.open.has(row)));
    });
    return this.open.has(row) ? [line, this.details(row, columns)] : [line];
  }

  details(row, columns) {
    const among = this.crawl < 0 ? this.crawls.map((_, i) => i) : [this.crawl];
    const parts = among.filter((i) => row.figures[i]).map((i) => {
      const one = row.figures[i];
      return make("div", {}, make("strong", {}, this.crawls[i].title),
        this.crawl < 0 && reasons(one.looks_wrong),
        histogram(one.bars, { width: 300, height: 60, axis: true }),
        tallyTable(one.outcomes),
        one.strategies && tallyTable(one.strategies, "Strategy"),
        one.alarms && tallyTable(one.alarms, "Alarm"),
        make("p", { class: "quiet" },
          `${count(one.nodes_before)} nodes before, ${count(one.nodes_after)} after; ` +
          `${count(one.chars_before)} characters before, ${count(one.chars_after)} after; ${plural(one.items, "item")}.`));
    });
    parts.push(this.kept(row.site));
    return make("tr", { class: "details", role: "row" }, make("td", { role: "cell", colspan: columns.length + 1 }, make("div", { class: "row" }, ...parts.filter(Boolean))));
  }

  /** A site in the spider's last crawls, as small lines. */
  trend(points) {
    if (!points) return null;
    const plots = [["Items", "items", count], ["Fields filled", "filled", percent], ["Reduction", "reduction", percent]];
    return make("span", {}, ...plots.map(([label, name, text]) => sparkline(points.map((point) => point[name]), label, text)));
  }

  /** Pages of a site that were kept, the worst first, each with the command that shows it. */
  kept(site) {
    const samples = this.samples[site];
    if (!samples) return null;
    return make("div", {}, make("strong", {}, "Pages that were kept, the worst first"), make("ul", {}, ...samples.map(([which, url, outcome, badness, taken]) =>
      make("li", {},
        make("span", { class: "path" }, url),
        ` ${outcome}, ${percent(Math.min(1, badness))} of the text went, ${taken} `,
        make("code", {}, `scrapy tps-view sample:${which}`)))));
  }
}
ReportPage.ROWS = 200; // sites that are table rows at a time

new ReportPage(JSON.parse($("#tps-data").textContent));
document.documentElement.dataset.ready = "true";
