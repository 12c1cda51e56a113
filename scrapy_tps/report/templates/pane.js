/** One view of a page in its frame. The frame gets no pointer, key or script: everything happens outside it. */
class Pane {
  constructor(view, variant) {
    this.view = view;
    this.variant = variant;
    this.restored = new Map();
    this.frame = make("iframe", {
      sandbox: "allow-same-origin", // and nothing else: without allow-scripts the page can't use it
      tabindex: "-1", referrerpolicy: "no-referrer", scrolling: "no",
      title: `The page with the parts that ${variant.label} removes`,
    });
    this.shield = make("div", { class: "shield" });
    this.badges = make("div", { class: "badges" });
    this.recordBadges = make("div", { class: "badges records" });
    this.stage = make("div", { class: "stage" }, this.badges, this.frame, this.shield, this.recordBadges);
    // numbers stand next to the page, where they cover nothing of it; wide enough for "12–15"
    this.gutter = Pane.gutter(variant.regions.length);
    this.stage.style.setProperty("--left", `${this.gutter}px`);
    this.viewport = make("div", { class: "viewport", tabindex: "0", role: "region", "aria-label": `Page, ${variant.label}` }, this.stage);
    this.element = make("section", { class: "pane" }, make("h2", {}, this.heading()), this.viewport);
    this.shield.addEventListener("pointermove", (event) => view.hover(this, this.indexAt(event), event));
    this.shield.addEventListener("pointerleave", () => view.hover(this, -1));
    this.shield.addEventListener("click", (event) => view.choose(this.indexAt(event), false));
    this.ready = new Promise((done) => {
      this.frame.addEventListener("load", () => { this.loaded(); done(); }, { once: true });
    });
    const content = view.data.display.policy; // known words only: no character of it needs an escape
    this.frame.srcdoc = `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${content}">`;
  }

  heading() {
    const { label, outcome, reduction } = this.variant;
    return `${label}: ${outcome === "pruned" ? `${percent(reduction)} of the nodes removed` : "not pruned"}`;
  }

  loaded() {
    this.page = this.frame.contentDocument;
    this.copy = new Copy(this.page, this.view.data.tree, this.view.data.display);
    this.nodes = this.copy.nodes;
    this.apply(this.view.mode);
    this.open();
    this.element.dataset.ready = "true";
    new ResizeObserver(() => this.viewport.clientWidth !== this.fitted && this.measure()).observe(this.viewport);
    // images load later, and move the content below them
    for (const delay of [100, 500, 2000]) setTimeout(() => this.settle(), delay);
  }

  /** Show the page from its main heading if that stays, else from the first text that does. */
  open() {
    const pruned = this.variant.outcome === "pruned";
    const staying = pruned ? [...this.nodes].filter(([index]) => this.variant.mask[index]).map(([, node]) => node) : [];
    const seen = (node) => node.getBoundingClientRect().height;
    const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const first = staying.find((node) => node.localName === "h1" && seen(node)) ?? staying.find((node) => hasText(node) && seen(node));
    this.viewport.scrollTop = Math.max(0, (first ? first.getBoundingClientRect().top : 0) - Pane.ABOVE);
    this.opened = this.viewport.scrollTop;
  }

  settle() {
    if (!this.viewport.clientWidth || this.page.documentElement.scrollHeight <= this.frame.clientHeight) return;
    const untouched = this.viewport.scrollTop === this.opened;
    this.measure();
    if (untouched) this.open();
  }

  /** The shown element of a node, or of the nearest ancestor that is shown. */
  elementOf(index) {
    for (let at = index; at >= 0; at = this.view.sequence.parent(at)) {
      const found = this.nodes.get(at);
      if (found) return found;
    }
    return null;
  }

  indexAt(event) {
    const rect = this.frame.getBoundingClientRect();
    const hit = this.page?.elementFromPoint(event.clientX - rect.left, event.clientY - rect.top);
    return hit ? this.copy.placeOf(hit) : -1;
  }

  apply(mode) {
    for (const [node, style] of this.restored) {
      if (style === null) node.removeAttribute("style");
      else node.setAttribute("style", style);
    }
    this.restored.clear();
    if (mode !== "original") {
      for (const index of this.view.roots(this.variant)) {
        const node = this.nodes.get(index);
        if (!node || this.restored.has(node)) continue;
        this.restored.set(node, node.getAttribute("style"));
        if (mode === "pruned") node.style.setProperty("display", "none", "important");
        else node.style.setProperty("opacity", "0.3", "important");
      }
    }
    this.measure();
  }

  measure() {
    const root = this.page?.documentElement;
    if (!root || !this.viewport.clientWidth) return;
    this.fitted = this.viewport.clientWidth;
    const right = this.view.records?.current ? Pane.gutter(this.view.records.current.records.length) : 0;
    this.stage.style.setProperty("--right", `${right}px`);
    const room = this.fitted - this.gutter - right;
    this.frame.style.width = `${room}px`;
    this.frame.style.height = "400px";
    this.frame.style.width = `${Math.min(20000, Math.max(room, root.scrollWidth))}px`;
    const wanted = Math.max(root.scrollHeight, this.page.body?.scrollHeight ?? 0, this.viewport.clientHeight - 4);
    this.frame.style.height = `${Math.min(4e6, wanted)}px`;
    this.stage.style.width = `${this.gutter + parseFloat(this.frame.style.width) + right}px`;
    this.mark();
  }

  /** Boxes over the page: regions, matches, records, the selection. Their numbers are next to it. */
  mark() {
    if (!this.page) return;
    const boxes = [];
    const { mode, matched, chosen } = this.view;
    const regions = [];
    if (mode !== "original") {
      this.variant.regions.slice(0, Pane.MOST).forEach((region, i) => {
        const gone = region.stays < region.nodes && !region.kept;
        if (mode === "pruned" && !region.stays) return;
        const rect = this.around(region.start, region.end);
        const kind = gone ? "removed" : "kept";
        boxes.push(this.box(rect, kind));
        if (rect) regions.push({ number: i + 1, kind, top: rect.top, at: this.view.sequence.firstWhole(region.start, region.end) });
      });
    }
    const records = this.view.records?.marks(this) ?? { boxes: [], badges: [] };
    boxes.push(...records.boxes);
    for (const index of matched.slice(0, Pane.MOST)) boxes.push(this.box(this.rect(index), "match"));
    if (chosen >= 0) boxes.push(this.box(this.rect(chosen), "chosen"));
    this.shield.replaceChildren(...boxes.filter(Boolean));
    this.number(this.badges, regions, "Region");
    this.number(this.recordBadges, records.badges, "Record");
  }

  /** Numbers from top to bottom; overlapping ones are merged ("7–11"), or the next one moves down. */
  number(holder, badges, what) {
    const placed = [];
    for (const badge of [...badges].sort((a, b) => a.top - b.top || a.number - b.number)) {
      const last = placed.at(-1);
      const free = last ? last.top + Pane.BADGE : 0;
      if (last && badge.top < free && badge.kind === last.kind && badge.number === last.to + 1) last.to = badge.number;
      else placed.push({ ...badge, to: badge.number, top: Math.max(badge.top, free) });
    }
    holder.replaceChildren(...placed.map(({ number: from, to, kind, top, at }) => {
      const text = from === to ? `${from}` : `${from}–${to}`;
      const badge = make("button", { type: "button", class: `badge ${kind}`, tabindex: "-1", "aria-label": `${what} ${text}` }, text);
      badge.style.top = `${top}px`;
      badge.addEventListener("click", () => this.view.choose(at, false));
      return badge;
    }));
  }

  box(rect, kind) {
    if (!rect) return null;
    const box = make("div", { class: `box ${kind}` });
    box.style.left = `${rect.left}px`;
    box.style.top = `${rect.top}px`;
    box.style.width = `${rect.right - rect.left}px`;
    box.style.height = `${rect.bottom - rect.top}px`;
    return box;
  }

  rect(index) {
    let node = this.elementOf(index);
    while (node && node.nodeType === 1) {
      const rect = node.getBoundingClientRect();
      if (rect.width || rect.height) return rect;
      node = node.parentNode;
    }
    return null;
  }

  /** The smallest box around the outermost shown elements of a span, or null. */
  around(start, end) {
    const rects = [];
    let visited = 0;
    for (let at = start; at < end && visited < 5000; visited++) {
      const whole = this.view.sequence.end[at] <= end;
      const rect = whole ? this.nodes.get(at)?.getBoundingClientRect() : null;
      const seen = rect && (rect.width || rect.height);
      if (seen) rects.push(rect);
      at = whole && seen ? this.view.sequence.end[at] : at + 1;
    }
    return Pane.union(rects);
  }

  static union(rects) {
    if (!rects.length) return null;
    return {
      left: Math.min(...rects.map((rect) => rect.left)),
      top: Math.min(...rects.map((rect) => rect.top)),
      right: Math.max(...rects.map((rect) => rect.right)),
      bottom: Math.max(...rects.map((rect) => rect.bottom)),
    };
  }

  scrollTo(index) {
    const rect = this.rect(index);
    if (!rect) return;
    this.viewport.scrollTop = Math.max(0, rect.top - this.viewport.clientHeight / 3);
    this.viewport.scrollLeft = Math.max(0, rect.left - this.viewport.clientWidth / 3);
  }
}
/** Room for a range of as many numbers, in pixels. */
Pane.gutter = (count) => 10 + 7.5 * (2 * String(count).length + 1);
Pane.BADGE = 18; // height of a number, in pixels
Pane.ABOVE = 24; // pixels of removed content shown above kept content
Pane.MOST = 400; // most boxes of a kind; the list has them all
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

  /** Boxes over the page, and the numbers next to it. */
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

  /** The role of a node in the marked list, or null. */
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
