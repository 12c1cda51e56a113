/**
 * The page's copy in its frame, made node by node: no markup is written and parsed again, so that nothing can be
 * something else to this browser than to the lists it was made by (display.py).
 */
const NAMESPACES = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"];

/* Pages hide or fix their body until a script has run, and the pointer must find what it points at. */
const REVEAL = `
  html, body { opacity: 1 !important; visibility: visible !important; overflow: visible !important;
    height: auto !important; max-height: none !important }
  * { pointer-events: auto !important }
  tps-form, tps-other:has(> :is(div, p, ul, ol, table, section, article)) { display: block }
  tps-media { display: inline-block; width: 300px; height: 150px; background: rgb(128 128 128 / .15) }`;
/* Without the page's style sheets, icons would be as wide as the page; any rule of its own wins. */
const ICONS = ":where(svg:not([width], [height])) { width: 1.5em; height: 1.5em }";

class Copy {
  constructor(page, tree, display) {
    this.page = page;
    this.display = display;
    this.nodes = new Map(); // by place in the tag path sequence
    this.places = new WeakMap();
    this.wrapped = [new Map(), new Map()]; // texts and tails that get an element of their own
    for (const [at, tail, place] of display.wrapped) this.wrapped[tail].set(at, place);
    this.head();
    this.build(tree);
  }

  /** The place of a node in the tag path sequence, or of the nearest node around it that has one; or -1. */
  placeOf(node) {
    for (let at = node; at; at = at.parentNode) if (this.places.has(at)) return this.places.get(at);
    return -1;
  }

  head() {
    const { base, network } = this.display;
    if (base) {
      const element = this.page.createElement("base");
      element.href = base;
      this.page.head.append(element);
    }
    const style = this.page.createElement("style");
    style.textContent = REVEAL + (network ? "" : ICONS);
    this.page.head.append(style);
    this.page.body.remove();
  }

  build(tree) {
    const { nodes, texts } = this.display;
    const made = new Array(nodes.length);
    for (let at = 0; at < nodes.length; at++) {
      const parent = at ? made[tree.parent[at]] : null;
      if (at && !parent) continue;
      if (nodes[at]) {
        const element = made[at] = this.element(...nodes[at], at);
        if (tree.index[at] >= 0) this.place(element, tree.index[at]);
        if (parent && !element.parentNode) parent.append(element);
        if (element.localName === "tps-media") made[at] = null; // its content is for browsers without it
        else this.text(element, texts[at] ?? tree.text[at], this.wrapped[0].get(at));
      }
      if (parent) this.text(parent, tree.tail[at], this.wrapped[1].get(at));
    }
  }

  element(namespace, tag, attributes) {
    const { tags, names } = this.display;
    const name = tags[tag];
    const own = { html: this.page.documentElement, head: this.page.head }[name];
    const element = own ?? this.page.createElementNS(NAMESPACES[namespace], name);
    for (let i = 0; attributes && i < attributes.length; i += 2) element.setAttribute(names[attributes[i]], attributes[i + 1]);
    return element;
  }

  place(element, place) {
    this.nodes.set(place, element);
    this.places.set(element, place);
    element.setAttribute("data-tps-n", place); // for whoever looks into the frame; the page cannot set it
  }

  text(parent, text, place) {
    if (!text) return;
    let within = parent;
    if (place !== undefined) {
      within = this.page.createElement("tps-text");
      this.place(within, place);
      parent.append(within);
    }
    within.append(text);
  }
}
