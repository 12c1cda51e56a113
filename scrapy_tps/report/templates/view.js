/** Computes node columns that the file does not contain: parents and ends of subtrees. */
class Sequence {
  constructor(data) {
    this.symbols = data.symbols;
    this.count = this.symbols.length;
    this.parents = data.parents;
    this.tags = data.tags;
    this.classes = data.classes;
    this.symbolCount = data.parents.length;
    const depth = new Uint32Array(this.symbolCount);
    data.parents.forEach((above, symbol) => { depth[symbol] = above < 0 ? 0 : depth[above] + 1; });
    this.end = new Uint32Array(this.count);
    const open = [];
    for (let at = 0; at <= this.count; at++) {
      const level = at < this.count ? depth[this.symbols[at]] : 0;
      while (open.length > level) this.end[open.pop()] = at;
      open.push(at);
    }
  }

  /** The parent is the nearest node before that has the parent's symbol: the order is depth first. */
  parent(index) {
    const wanted = this.parents[this.symbols[index]];
    if (wanted < 0) return -1;
    let at = index - 1;
    while (this.symbols[at] !== wanted) at--;
    return at;
  }

  /** The first node of a span whose subtree lies in it: a span may start at the body it does not hold. */
  firstWhole(start, end) {
    let at = start;
    while (at < end - 1 && this.end[at] > end) at++;
    return at;
  }

  path(index) {
    const steps = [];
    for (let symbol = this.symbols[index]; symbol >= 0; symbol = this.parents[symbol]) {
      const classes = this.classes[symbol];
      steps.unshift(this.tags[symbol] + (classes ? `.${classes.replaceAll(" ", ".")}` : ""));
    }
    return steps.length > 8 ? ["…", ...steps.slice(-8)].join(" > ") : steps.join(" > ");
  }
}

class View {
  constructor(data) {
    this.data = data;
    this.mode = "both";
    this.matched = [];
    this.chosen = -1;
    this.panes = new Map();
    this.trees = new Map();
    this.sequence = new Sequence(data.sequence);
    this.variants = data.variants;
    for (const variant of this.variants) this.prepare(variant);
    this.active = this.variants[0];
    this.plot = new Plot($("#cursor"), $("#plot-note"), this.sequence, (index) => this.choose(index, true));
    this.records = data.records ? new Records(this, data.records) : null;
    this.controls();
    this.account();
    this.show(this.active);
  }

  prepare(variant) {
    const strategy = variant.strategy ?? "no strategy";
    variant.label = variant.size_ratio == null ? strategy : `${strategy}, ratio ${variant.size_ratio}`;
    if (!variant.mask.length) variant.mask = new Array(this.sequence.count).fill(1); // not pruned
  }

  /** The outermost removed nodes. */
  roots(variant) {
    if (!variant.roots) {
      variant.roots = [];
      for (let at = 0; at < this.sequence.count; ) {
        if (variant.mask[at]) at++;
        else {
          variant.roots.push(at);
          at = this.sequence.end[at];
        }
      }
    }
    return variant.roots;
  }

  controls() {
    for (const button of $$("#modes button")) {
      button.addEventListener("click", () => this.setMode(button.dataset.mode));
    }
    for (const variant of this.variants) {
      const button = make("button", { type: "button", "aria-pressed": "false" }, variant.label);
      button.addEventListener("click", () => this.show(variant));
      $("#variants").append(button);
    }
    const abreast = $("#abreast");
    abreast.hidden = this.variants.length < 2;
    abreast.addEventListener("click", () => {
      abreast.setAttribute("aria-pressed", String(abreast.getAttribute("aria-pressed") !== "true"));
      this.arrange();
    });
    for (const button of $$("[data-zoom]")) button.addEventListener("click", () => this.plot.zoom(button.dataset.zoom));
    $("#only-removed").addEventListener("change", () => this.listRegions());
    $("#selector form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.count($("#expression").value);
    });
  }

  setMode(mode) {
    this.mode = mode;
    for (const button of $$("#modes button")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    for (const pane of this.shown()) if (pane.page) pane.apply(mode);
  }

  shown() {
    return [...this.panes.values()].filter((pane) => !pane.element.hidden);
  }

  show(variant) {
    this.active = variant;
    $$("#variants button").forEach((button, i) => button.setAttribute("aria-pressed", String(this.variants[i] === variant)));
    $("#banner").textContent =
      `${variant.means}. ${plural(variant.raw_nodes, "node")}, ${number(variant.kept_nodes)} stay; ` +
      `${plural(variant.raw_chars, "character")} of text, ${number(variant.kept_chars)} stay.` + (variant.error ? ` ${variant.error}` : "");
    this.arrange();
    this.listRegions();
    this.listSplits();
    this.plot.show(variant);
  }

  arrange() {
    const abreast = $("#abreast").getAttribute("aria-pressed") === "true";
    for (const variant of this.variants) {
      const wanted = abreast || variant === this.active;
      let pane = this.panes.get(variant);
      if (wanted && !pane) {
        pane = new Pane(this, variant);
        this.panes.set(variant, pane);
        const before = this.variants.slice(this.variants.indexOf(variant) + 1).map((one) => this.panes.get(one)).find(Boolean);
        $("#panes").insertBefore(pane.element, before?.element ?? null);
      }
      if (pane && pane.element.hidden === wanted) {
        pane.element.hidden = !wanted;
        if (wanted && pane.page) pane.apply(this.mode);
      }
    }
  }

  regionOf(variant, index) {
    return variant.regions.findIndex((region) => region.start <= index && index < region.end);
  }

  fate(region, variant = this.active) {
    if (region.kept) return "kept";
    if (!region.stays) return "removed";
    if (region.stays < region.nodes) return `removed except ${plural(region.stays, "node")}`;
    return variant.outcome === "pruned" ? "would be removed, but all of it stays" : "would be removed, but the page is not pruned";
  }

  explain(variant, index) {
    const which = this.regionOf(variant, index);
    const own = variant.mask[index] ? "Kept" : "Removed";
    if (which < 0) {
      const dropped = variant.mask[index] ? "in no region, or an ancestor of a kept part" : "matches TPS_DROP";
      return `${own}: ${dropped}.`;
    }
    const region = variant.regions[which];
    return `${own}. Region ${which + 1}, ${this.fate(region, variant)}: ${region.reason} (${region.rule}).`;
  }

  hover(pane, index, event) {
    const tip = $("#tip");
    tip.hidden = index < 0;
    if (index < 0) return;
    tip.replaceChildren(
      make("div", { class: pane.variant.mask[index] ? "kept" : "removed" }, this.explain(pane.variant, index)),
      ...[this.records?.explain(index)].filter(Boolean).map((text) => make("div", {}, text)),
      make("div", { class: "path" }, this.sequence.path(index)),
    );
    const rect = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - rect.width - 4))}px`;
    const below = event.clientY + 16;
    tip.style.top = `${below + rect.height < innerHeight ? below : Math.max(4, event.clientY - rect.height - 8)}px`;
  }

  /** Mark a node in page, plot and list. */
  choose(index, scroll) {
    if (index < 0) return;
    this.chosen = index;
    const which = this.regionOf(this.active, index);
    $("#chosen").replaceChildren(
      make("strong", { class: this.active.mask[index] ? "kept" : "removed" }, `Position ${number(index)}. ${this.explain(this.active, index)}`),
      make("span", { class: "path" }, ` ${this.sequence.path(index)}`),
    );
    const cursor = $("#cursor");
    cursor.setAttribute("aria-valuenow", index);
    cursor.setAttribute("aria-valuetext", `${index}: ${this.sequence.path(index)}. ${this.active.mask[index] ? "kept" : "removed"}`);
    for (const button of $$("#regions li button")) {
      const current = Number(button.dataset.region) === which;
      button.setAttribute("aria-current", String(current));
      if (current) $("aside").scrollTop = button.offsetTop - $("#chosen").offsetHeight - 8;
    }
    this.plot.reveal(index);
    for (const pane of this.shown()) {
      pane.mark();
      if (scroll) pane.scrollTo(index);
    }
  }

  listRegions() {
    const only = $("#only-removed").checked;
    const entries = [];
    this.active.regions.forEach((region, i) => {
      if (only && (region.kept || region.stays === region.nodes)) return;
      const button = make("button", { type: "button", "data-region": i },
        make("strong", {}, `${i + 1} ${this.fate(region)}`),
        make("span", {}, region.reason),
        make("span", { class: "quiet" },
          `${plural(region.nodes, "node")}, ${plural(region.chars, "character")}, ${plural(region.links, "link")}; rule ${region.rule}`),
        region.text && make("span", {}, `“${region.text}”`),
        make("span", { class: "path" }, region.xpath));
      button.addEventListener("click", () => this.choose(this.sequence.firstWhole(region.start, region.end), true));
      entries.push(make("li", { class: region.kept ? "stays" : "gone" }, button));
    });
    for (const one of this.active.dropped) {
      entries.push(make("li", { class: "gone" }, make("span", { class: "path" }, `${one.xpath}: ${one.reason}, ${plural(one.nodes, "node")}`)));
    }
    if (!entries.length) entries.push(make("li", { class: "quiet" }, only ? "Nothing was removed." : "No regions."));
    const rest = entries.length - View.LISTED;
    const list = $("#regions ol");
    list.replaceChildren(...entries.slice(0, View.LISTED));
    if (rest > 0) list.append(make("li", { class: "quiet" }, `… and ${number(rest)} more`));
  }

  listSplits() {
    const holder = $("#splits .scroll");
    const { splits } = this.active;
    $("#splits").hidden = !splits.length;
    const rows = splits.slice(0, View.LISTED).map((split, i) => {
      const label = make("button", { type: "button" }, String(i + 1));
      const row = make("tr", {},
        make("td", {}, label),
        ...[split.position, split.threshold, split.left, split.right].map((value) => make("td", { class: "number" }, number(value))),
        make("td", {}, split.kept_left ? "left" : "right"),
        make("td", { class: "number" }, `${number(split.start)} – ${number(split.end - 1)}`));
      row.addEventListener("click", () => {
        for (const other of $$("tr", holder)) other.setAttribute("aria-selected", String(other === row));
        this.plot.split = i;
        this.choose(split.position, true);
      });
      return row;
    });
    const heads = ["Order", "Position", "Threshold", "Left nodes", "Right nodes", "Search continued", "Split part"];
    const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", class: /nodes|Pos|Thr|part/.test(text) && "number" }, text)));
    holder.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
    if (splits.length > rows.length) holder.append(make("p", { class: "quiet" }, `… and ${number(splits.length - rows.length)} more`));
  }

  account() {
    const steps = [...new Set(this.variants.flatMap((variant) => Object.keys(variant.seconds)))];
    const rows = [
      ["Outcome", (one) => one.outcome],
      ["Nodes", (one) => number(one.raw_nodes)],
      ["Nodes kept", (one) => number(one.kept_nodes)],
      ["Nodes removed", (one) => percent(one.reduction)],
      ["Characters", (one) => number(one.raw_chars)],
      ["Characters kept", (one) => number(one.kept_chars)],
      ["Regions", (one) => number(one.regions.length)],
      ["Splits", (one) => number(one.splits.length)],
      ...steps.map((step) => [`Time: ${step}`, (one) => (step in one.seconds ? seconds(one.seconds[step]) : "–")]),
      ["Time, total", (one) => seconds(Object.values(one.seconds).reduce((sum, value) => sum + value, 0))],
    ];
    const head = make("tr", {}, make("td"), ...this.variants.map((one) => make("th", { scope: "col", class: "number" }, one.label)));
    $("#account .scroll").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {},
      ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name),
        ...this.variants.map((one) => make("td", { class: "number" }, value(one))))))),
    make("p", { class: "quiet" }, `The page has ${number(this.data.bytes)} bytes.`));
  }

  tree(variant) {
    if (!this.trees.has(variant)) this.trees.set(variant, new ExactTree(this.data.tree, variant?.gone));
    return this.trees.get(variant);
  }

  /** The number of matches of a selector before and after, as `response.css` and `response.xpath` would count. */
  count(expression) {
    const result = $("#matches");
    this.matched = [];
    if (expression.trim()) {
      try {
        result.replaceChildren(...this.counted(expression));
      } catch (error) {
        result.replaceChildren(make("p", { class: "warn" }, `Neither CSS nor XPath that a browser knows: ${error.message}`));
      }
    } else {
      result.replaceChildren();
    }
    for (const pane of this.shown()) pane.mark();
  }

  counted(expression) {
    const numbersIn = (tree, found) => found.nodes.map((node) => tree.numberOf(node));
    const whole = this.tree(null);
    const before = whole.select(expression);
    const first = before.nodes ? numbersIn(whole, before) : [];
    const place = (at) => this.data.tree.index[at];
    this.matched = [...new Set(first.map(place))].filter((index) => index >= 0);
    const lines = [];
    for (const variant of this.variants) {
      const tree = this.tree(variant);
      const after = tree.select(expression);
      if (!before.nodes) {
        lines.push(make("p", {}, `${variant.label}: ${before.value} before, ${after.value} after`));
        continue;
      }
      const left = new Set(numbersIn(tree, after));
      const lost = [...new Set(first)].filter((at) => !left.has(at));
      const had = new Set(first);
      const others = [...left].filter((at) => !had.has(at));
      lines.push(make("p", { class: lost.length ? "removed" : "kept" },
        `${variant.label}: ${number(before.nodes.length)} before, ${number(after.nodes.length)} after` +
        (lost.length ? `; ${number(lost.length)} lost` : "") +
        (others.length ? `; ${number(others.length)} that did not match before` : "")));
      const jumps = lost.map(place).filter((index) => index >= 0).slice(0, 20).map((index) => {
        const button = make("button", { type: "button" }, `lost at ${number(index)}`);
        button.addEventListener("click", () => this.choose(index, true));
        return button;
      });
      if (jumps.length) lines.push(make("div", { class: "row" }, ...jumps));
    }
    return lines;
  }
}
View.LISTED = 1000; // entries of a list that become elements

new View(JSON.parse($("#tps-data").textContent));
document.documentElement.dataset.ready = "true";
