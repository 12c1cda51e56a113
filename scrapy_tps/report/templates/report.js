const share = (value) => (value == null ? "–" : percent(value));
const count = (value) => (value == null ? "–" : number(value));
const decimal = (value) => (value == null ? "–" : value < 10 ? value.toFixed(2) : number(Math.round(value)));
const time = (value) => (value == null ? "–" : seconds(value));
const over = (part, whole) => (whole ? part / whole : null);
const saved = ([before, after] = [0, 0]) => before - after;
const sum = (tally = {}) => Object.values(tally).reduce((total, value) => total + value, 0);

const tallied = (tally = {}) => Object.entries(tally).map(([name, pages]) => `${name} ${number(pages)}`).join(", ");
/** Why a site looks wrong, one reason a line, or null. */
const reasons = (doubts) => (doubts ? make("ul", { class: "reasons" }, ...doubts.map((doubt) => make("li", {}, doubt))) : null);

/**
 * Every measure once: what it is called, its value, how it is written, and which way is good.
 * Where: in the table, unless `only` says "compare" or "one" (crawl); and on a tile, in the order of these numbers.
 */
const MEASURES = [
  { key: "pages", label: "Pages", value: (one) => one.pages, text: count, tile: 3 },
  { key: "pruned", label: "Pruned", value: (one) => over(one.pruned, one.pages), text: share, better: 1 },
  { key: "mean", label: "Reduction, mean", value: (one) => one.mean ?? null, text: share, better: 1, tile: 4 },
  { key: "median", label: "Median", value: (one) => one.quantiles?.[1] ?? null, text: share, better: 1 },
  { key: "low", label: "10th percentile", value: (one) => one.quantiles?.[0] ?? null, text: share, better: 1, only: "compare" },
  { key: "high", label: "90th percentile", value: (one) => one.quantiles?.[2] ?? null, text: share, better: 1, only: "compare" },
  { key: "bars", label: "Distribution", value: (one) => one.mean ?? null, chart: (one) => histogram(one.bars, { width: 70, height: 22 }), only: "one" },
  { key: "nodes", label: "Nodes saved", value: (one) => saved(one.nodes), text: count, better: 1, only: "compare" },
  { key: "chars", label: "Characters saved", value: (one) => saved(one.chars), text: count, better: 1, only: "compare" },
  { key: "seconds", label: "Time spent", value: (one) => one.seconds, text: time, better: -1, only: "compare" },
  { key: "each", label: "Time a page", value: (one) => over(one.seconds, one.pages), text: time, better: -1, tile: 5 },
  { key: "items", label: "Items a page", value: (one) => over(one.items, one.pages), text: decimal, better: 1, tile: 1 },
  { key: "silent", label: "No output", value: (one) => one.silent, text: count, better: -1, tile: 2 },
  { key: "links", label: "Links gone", value: (one) => one.links, text: count },
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
    this.verdict();
    this.overview();
    this.list();
    for (const [kind, table] of Object.entries(this.tables)) table.show(this.crawls.at(which)[kind]);
  }

  /** All well, or what to look at, worst first: said by a sign and words, and only then by colour. */
  verdict() {
    const compared = this.crawl < 0;
    const verdict = compared ? this.comparison : this.crawls[this.crawl].verdict;
    const section = $("#verdict");
    section.dataset.state = verdict.state;
    const sign = { well: "✓", look: "!", empty: "–" }[verdict.state];
    section.replaceChildren(
      make("h2", { id: "verdict-heading" }, make("span", { class: "sign", "aria-hidden": "true" }, sign), make("span", {}, verdict.title)),
      verdict.findings.length && make("ol", {}, ...verdict.findings.map((finding) => make("li", {},
        verdict.findings.length > 1 && make("p", { class: "what" }, `${finding.text}.`),
        make("p", {}, finding.advice),
        finding.paste && make("pre", { tabindex: "0" }, make("code", {}, finding.paste))))) || "",
      ...verdict.notes.map((note) => make("p", { class: "quiet" }, note)),
      ...(compared ? this.crawls.map((crawl) => make("p", {}, `${crawl.title}: ${crawl.verdict.headline}`)) : []));
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
        value: (row) => sum(own(row).whole), cell: (row) => tallied(own(row).whole),
      }, {
        key: "doubts", label: "Looks wrong", words: true,
        value: (row) => own(row).doubts?.length ?? 0, cell: (row) => reasons(own(row).doubts) ?? "",
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
      value: (row) => row.figures.at(-1)?.doubts?.length ?? 0, cell: (row) => reasons(row.figures.at(-1)?.doubts) ?? "",
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
        && (!wrong.checked || figures.some((one) => one.doubts?.length));
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
        this.crawl < 0 && reasons(one.doubts),
        histogram(one.bars, { width: 300, height: 60, axis: true }),
        tallyTable(one.outcomes),
        one.strategies && tallyTable(one.strategies, "Strategy"),
        one.alarms && tallyTable(one.alarms, "Alarm"),
        make("p", { class: "quiet" },
          `${count(one.nodes?.[0])} nodes before, ${count(one.nodes?.[1])} after; ` +
          `${count(one.chars?.[0])} characters before, ${count(one.chars?.[1])} after; ${plural(one.items, "item")}.`));
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

  /** Pages of a site that were kept, the worst first, each with a way to its view. */
  kept(site) {
    const samples = this.samples[site];
    if (!samples) return null;
    return make("div", {}, make("strong", {}, "Pages that were kept, the worst first"), make("ul", {}, ...samples.map(([which, url, outcome, badness, taken, link]) =>
      make("li", {},
        link ? make("a", { href: link, target: "_blank", rel: "noopener" }, url) : make("span", { class: "path" }, url),
        ` ${outcome}, ${percent(Math.min(1, badness))} of the text went, ${taken} `,
        !link && make("code", {}, `scrapy tps-view sample:${which}`)))));
  }
}
ReportPage.ROWS = 200; // sites that are table rows at a time

new ReportPage(JSON.parse($("#tps-data").textContent));
document.documentElement.dataset.ready = "true";
