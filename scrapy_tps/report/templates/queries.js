/** A row of queries: [site, callback, query, asked, found, original, partly, nothing, pages, found_pages, dry, last, state]. */
const QUERY_HEADS = ["Site", "Callback", "Selector", "Asked", "Found", "Original only", "Partly", "Nothing", "Pages", "Pages since found", "Last found", "State"];

/** The queries of one crawl as a table that can be searched: those first that have found nothing for longest. */
class QueryTable {
  constructor() {
    this.rows = [];
    this.filter = $("#query-filter");
    this.filter.addEventListener("submit", (event) => event.preventDefault());
    this.filter.addEventListener("input", () => this.list());
    $("#queries > thead").append(make("tr", {}, ...QUERY_HEADS.map((head) => make("th", { scope: "col" }, head))));
  }

  show(rows) {
    this.rows = rows;
    $("#selectors").hidden = !rows.length;
    this.list();
  }

  list() {
    const wanted = this.filter.elements.words.value.trim().toLowerCase();
    const stopped = this.filter.elements.stopped.checked;
    const chosen = this.rows.filter((row) => (!stopped || row.at(-1) === "finds nothing any more")
      && row.slice(0, 3).some((text) => text.toLowerCase().includes(wanted)));
    const shown = chosen.slice(0, QueryTable.ROWS);
    $("#query-count").textContent = `${plural(chosen.length, "selector")}${chosen.length > shown.length ? `, the first ${number(shown.length)} shown` : ""}`;
    $("#queries > tbody").replaceChildren(...shown.map((row) => {
      const [site, callback, query, asked, found, original, partly, nothing, pages, , dry, last, state] = row;
      const numbers = [asked, found, original, partly, nothing, pages, dry].map((value) => make("td", { class: "number" }, number(value)));
      return make("tr", { "data-state": state }, make("td", {}, site), make("td", {}, callback), make("th", { scope: "row" }, make("code", {}, query)),
        ...numbers, make("td", {}, last ?? "never"), make("td", { class: "words" }, state));
    }));
  }
}

QueryTable.ROWS = 300;
