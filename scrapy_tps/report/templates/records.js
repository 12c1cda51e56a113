/** Lists of records: one table each; the records and columns of the chosen one are marked in the page. */
class Records {
  constructor(view, regions) {
    this.view = view;
    this.regions = regions;
    this.current = regions[0] ?? null;
    const section = $("#records");
    section.hidden = false;
    const holder = $("div", section);
    if (!regions.length) holder.append(make("p", { class: "quiet" }, "No list of records was found."));
    regions.forEach((region, i) => {
      const title = `List ${i + 1}: ${plural(region.count, "record")}, confidence ${percent(region.confidence)}`;
      const button = make("button", { type: "button", "aria-pressed": String(!i) }, title);
      button.addEventListener("click", () => this.choose(region));
      holder.append(make("p", {}, button, make("span", { class: "path" }, ` ${region.xpath}`)), make("div", { class: "scroll", hidden: i > 0, tabindex: "0", role: "region", "aria-label": `List ${i + 1}` }));
    });
    if (this.current) this.fill();
  }

  choose(region) {
    this.current = region === this.current ? null : region;
    const which = this.regions.indexOf(this.current);
    $$("#records button[aria-pressed]").forEach((button, i) => button.setAttribute("aria-pressed", String(i === which)));
    $$("#records .scroll").forEach((holder, i) => { holder.hidden = i !== which; });
    if (this.current) this.fill();
    for (const pane of this.view.shown()) pane.measure();
    const first = this.current?.records[0]?.spans[0];
    if (first) this.view.choose(first[0], true);
  }

  fill() {
    const holder = $$("#records .scroll")[this.regions.indexOf(this.current)];
    if (holder.childElementCount) return;
    const { columns, records, count } = this.current;
    const rows = records.slice(0, 50).map((record, i) => {
      const button = make("button", { type: "button" }, String(i + 1));
      button.addEventListener("click", () => record.spans.length && this.view.choose(record.spans[0][0], true));
      return make("tr", {}, make("td", {}, button), ...record.fields.map((value) => make("td", {}, value ?? "–")));
    });
    const heads = columns.map((column) => make("th", { scope: "col" }, column.name, make("span", { class: "quiet" }, ` ${column.type}`)));
    holder.append(make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Record"), ...heads)), make("tbody", {}, ...rows)));
    if (count > rows.length) holder.append(make("p", { class: "quiet" }, `… and ${number(count - rows.length)} more`));
  }

  /** Boxes over the page, and the numbers beside it. */
  marks(pane) {
    const boxes = [];
    const badges = [];
    this.current?.records.slice(0, Pane.MOST).forEach((record, i) => {
      const rect = Pane.union(record.spans.map(([start, end]) => pane.around(start, end)).filter(Boolean));
      boxes.push(pane.box(rect, "record"));
      if (rect) badges.push({ number: i + 1, kind: "record", top: rect.top, at: record.spans[0][0] });
      for (const index of record.cells) if (index >= 0) boxes.push(pane.box(pane.rect(index), "cell"));
    });
    return { boxes, badges };
  }

  /** What a node is in the list that is marked, or null. */
  explain(index) {
    const records = this.current?.records ?? [];
    const which = records.findIndex((record) => record.spans.some(([start, end]) => start <= index && index < end));
    if (which < 0) return null;
    for (let at = index; at >= 0; at = this.view.sequence.parent(at)) {
      const column = this.current.columns[records[which].cells.indexOf(at)];
      if (column) return `Record ${number(which + 1)}, column ${column.name}`;
    }
    return `Record ${number(which + 1)}`;
  }
}
