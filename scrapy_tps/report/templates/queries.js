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
