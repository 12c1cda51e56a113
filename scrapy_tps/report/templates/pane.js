/** A page in its frame, seen one way. The frame gets no pointer, no key and no script: all happens out here. */
class Pane {
  constructor(view, variant) {
    this.view = view;
    this.variant = variant;
    this.restored = new Map();
    this.frame = make("iframe", {
      sandbox: "allow-same-origin", // and nothing else: without allow-scripts the page can't use it
      tabindex: "-1", referrerpolicy: "no-referrer", scrolling: "no",
      title: `The page with what ${variant.label} removes`,
    });
    this.shield = make("div", { class: "shield" });
    this.stage = make("div", { class: "stage" }, this.frame, this.shield);
    this.viewport = make("div", { class: "viewport", tabindex: "0", role: "region", "aria-label": `Page, ${variant.label}` }, this.stage);
    this.element = make("section", { class: "pane" }, make("h2", {}, this.heading()), this.viewport);
    this.shield.addEventListener("pointermove", (event) => view.hover(this, this.indexAt(event), event));
    this.shield.addEventListener("pointerleave", () => view.hover(this, -1));
    this.shield.addEventListener("click", (event) => view.choose(this.indexAt(event), false));
    this.ready = new Promise((done) => {
      this.frame.addEventListener("load", () => { this.loaded(); done(); }, { once: true });
    });
    this.frame.srcdoc = view.data.display;
  }

  heading() {
    const { label, outcome, rawNodes, keptNodes } = this.variant;
    const share = rawNodes ? 1 - keptNodes / rawNodes : 0;
    return `${label}: ${outcome === "pruned" ? `${percent(share)} of the nodes go` : "kept whole"}`;
  }

  loaded() {
    this.page = this.frame.contentDocument;
    this.nodes = new Map();
    for (const node of this.page.querySelectorAll("[data-tps-n]")) {
      const index = Number(node.dataset.tpsN);
      if (!this.nodes.has(index)) this.nodes.set(index, node);
    }
    this.apply(this.view.mode);
    this.element.dataset.ready = "true";
    new ResizeObserver(() => this.viewport.clientWidth !== this.fitted && this.measure()).observe(this.viewport);
    if (this.view.data.network) setTimeout(() => this.measure(), 2000);
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
    const owner = hit?.closest("[data-tps-n]");
    return owner ? Number(owner.dataset.tpsN) : -1;
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
    this.frame.style.width = `${this.fitted}px`;
    this.frame.style.height = "400px";
    this.frame.style.width = `${Math.min(20000, Math.max(this.fitted, root.scrollWidth))}px`;
    const wanted = Math.max(root.scrollHeight, this.page.body?.scrollHeight ?? 0, this.viewport.clientHeight - 4);
    this.frame.style.height = `${Math.min(4e6, wanted)}px`;
    this.stage.style.width = this.frame.style.width;
    this.mark();
  }

  /** Boxes over the page: regions with their numbers, matches, records, what was chosen. */
  mark() {
    if (!this.page) return;
    const boxes = [];
    const { mode, matched, chosen } = this.view;
    if (mode !== "original") {
      this.variant.regions.slice(0, Pane.MOST).forEach((region, i) => {
        const gone = region.stays < region.nodes && !region.kept;
        if (mode === "pruned" && !region.stays) return;
        boxes.push(this.box(this.around(region.start, region.end), gone ? "removed" : "kept", i + 1));
      });
    }
    boxes.push(...(this.view.records?.boxes(this) ?? []));
    for (const index of matched.slice(0, Pane.MOST)) boxes.push(this.box(this.rect(index), "match"));
    if (chosen >= 0) boxes.push(this.box(this.rect(chosen), "chosen"));
    const drawn = boxes.filter(Boolean);
    this.shield.replaceChildren(...drawn);
    // numbers of regions that start at the same place stand side by side
    const taken = new Map();
    for (const box of drawn) {
      const label = box.firstElementChild;
      if (!label || box.classList.contains("record")) continue;
      const place = `${Math.round(parseFloat(box.style.left) / 16)} ${Math.round(parseFloat(box.style.top) / 16)}`;
      const used = taken.get(place) ?? 0;
      label.style.left = `${used}px`;
      taken.set(place, used + 10 + 8 * label.textContent.length);
    }
  }

  box(rect, kind, label) {
    if (!rect) return null;
    const box = make("div", { class: `box ${kind}`, "data-label": label }, label ? make("b", {}, String(label)) : null);
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
Pane.MOST = 400; // boxes of a kind that are drawn; the list has them all
