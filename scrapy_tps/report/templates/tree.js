/**
 * The page's tree exactly as lxml parsed it. Its elements are in no namespace: to the browser they are plain
 * names, not scripts, images or links, so that nothing can run or load, and names match as they do in lxml.
 */
class ExactTree {
  constructor(tree, gone = { nodes: [], texts: [] }) {
    this.inert = document.implementation.createDocument(null, null);
    this.numbers = new Map();
    const changed = new Map(gone.texts.map(([at, text, tail]) => [at, [text, tail]]));
    const nodes = new Array(tree.parent.length);
    const lost = new Set(gone.nodes);
    for (let at = 0; at < nodes.length; at++) {
      if (lost.has(at)) continue;
      const [text, tail] = changed.get(at) ?? [tree.text[at], tree.tail[at]];
      nodes[at] = this.node(tree, at, text);
      const parent = at ? nodes[tree.parent[at]] : this.inert;
      parent.appendChild(nodes[at]);
      this.numbers.set(nodes[at], at);
      if (tail) parent.append(...[tail].flat());
    }
    this.root = nodes[0];
    const [before, after] = tree.outside;
    for (const text of before) this.inert.prepend(this.inert.createComment(text));
    for (const text of after) this.inert.append(this.inert.createComment(text));
  }

  node(tree, at, text) {
    const name = tree.tag[at];
    if (name === "!") return this.inert.createComment([text || ""].flat()[0]);
    let element;
    try {
      element = this.inert.createElementNS(null, name);
    } catch {
      element = this.inert.createElementNS(null, "unnamed"); // a name that no selector can write
    }
    for (const [key, value] of tree.attributes[at]) {
      try {
        element.setAttribute(key, value);
      } catch {
        continue; // likewise
      }
    }
    if (text) element.append(...[text].flat());
    return element;
  }

  /** The number of a node's element: itself, or the one that it belongs to. */
  numberOf(node) {
    const owner = node.nodeType === 2 ? node.ownerElement : node.nodeType === 3 ? node.parentNode : node;
    return this.numbers.get(owner) ?? -1;
  }

  /** The matches of a CSS selector (with parsel's ::text and ::attr()) or an XPath: {nodes} or {value}. */
  select(expression) {
    const text = expression.trim();
    if (/^(\/|\.\/|\(|\.\.|descendant|self::|ancestor|id\(|count\(|string\(|normalize-space\()/.test(text)) {
      return this.xpath(text);
    }
    if (!text.includes("::")) return { nodes: [...this.inert.querySelectorAll(text)] };
    return { nodes: text.split(/,(?![^([]*[)\]])/).flatMap((part) => this.pseudo(part.trim())) };
  }

  xpath(expression) {
    const found = this.inert.evaluate(expression, this.root, null, XPathResult.ANY_TYPE, null);
    if (found.resultType === XPathResult.NUMBER_TYPE) return { value: found.numberValue };
    if (found.resultType === XPathResult.STRING_TYPE) return { value: found.stringValue };
    if (found.resultType === XPathResult.BOOLEAN_TYPE) return { value: found.booleanValue };
    const nodes = [];
    for (let node = found.iterateNext(); node; node = found.iterateNext()) nodes.push(node);
    return { nodes };
  }

  pseudo(part) {
    const parts = /^(.*?)(\s*)::(?:text|attr\(\s*([^)\s]+)\s*\))$/s.exec(part);
    if (!parts) return [...this.inert.querySelectorAll(part)];
    const [, selector, inside, attribute] = parts;
    const own = [...this.inert.querySelectorAll(selector || "*")];
    const elements = inside ? [...new Set(own.flatMap((one) => [one, ...one.querySelectorAll("*")]))] : own;
    if (attribute) return elements.map((one) => one.getAttributeNode(attribute)).filter(Boolean);
    return elements.flatMap((one) => [...one.childNodes].filter((child) => child.nodeType === 3));
  }
}
/**
 * The page's copy in its frame, made node by node: no markup is written and parsed again, so that nothing can be
 * something else to this browser than to the lists it was made by (display.py).
 */
const NAMESPACES = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"];

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

  element(namespace, name, attributes) {
    const own = { html: this.page.documentElement, head: this.page.head }[name];
    const element = own ?? this.page.createElementNS(NAMESPACES[namespace], name);
    for (const [key, value] of attributes) element.setAttribute(key, value);
    return element;
  }

  place(element, place) {
    this.nodes.set(place, element);
    this.places.set(element, place);
    element.setAttribute("data-tps-n", place); // for inspection of the frame; the page cannot set it
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
