/**
 * The page's tree exactly as lxml parsed it. Its elements are in no namespace: to the browser they are plain
 * names, not scripts, images or links, so that nothing can run or load, and names match as they do in lxml.
 */
class ExactTree {
  constructor(tree, gone = { ranges: [], texts: [] }) {
    this.inert = document.implementation.createDocument(null, null);
    this.numbers = new Map();
    const changed = new Map(gone.texts.map(([at, text, tail]) => [at, [text, tail]]));
    const nodes = new Array(tree.parent.length);
    let range = 0;
    for (let at = 0; at < nodes.length; at++) {
      while (range < gone.ranges.length && gone.ranges[range + 1] <= at) range += 2;
      if (range < gone.ranges.length && gone.ranges[range] <= at) continue;
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
    const name = tree.tags[tree.tag[at]];
    if (name === "!") return this.inert.createComment([text || ""].flat()[0]);
    let element;
    try {
      element = this.inert.createElementNS(null, name);
    } catch {
      element = this.inert.createElementNS(null, "unnamed"); // a name that no selector can write
    }
    const attributes = tree.attributes[at] || [];
    for (let i = 0; i < attributes.length; i += 2) {
      try {
        element.setAttribute(tree.names[attributes[i]], attributes[i + 1]);
      } catch {
        continue; // likewise
      }
    }
    if (text) element.append(...[text].flat());
    return element;
  }

  /** Number of the element that a node is, or belongs to. */
  numberOf(node) {
    const owner = node.nodeType === 2 ? node.ownerElement : node.nodeType === 3 ? node.parentNode : node;
    return this.numbers.get(owner) ?? -1;
  }

  /** What a CSS selector (with parsel's ::text and ::attr()) or an XPath matches: {nodes} or {value}. */
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
