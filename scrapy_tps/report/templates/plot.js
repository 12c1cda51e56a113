/** Position against symbol, as in the paper's figure; every node is counted. */
class Plot {
  constructor(holder, note, sequence, choose) {
    this.holder = holder;
    this.note = note;
    this.canvas = $("canvas", holder);
    this.sequence = sequence;
    this.low = 0;
    this.high = Math.max(1, sequence.count);
    this.cursor = -1;
    this.split = -1;
    this.variant = null;
    holder.setAttribute("aria-valuemax", Math.max(0, sequence.count - 1));
    holder.addEventListener("click", (event) => choose(this.nodeAt(event)));
    holder.addEventListener("keydown", (event) => this.key(event, choose));
    new ResizeObserver(() => this.draw()).observe(holder);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  show(variant) {
    this.variant = variant;
    this.split = -1;
    this.draw();
  }

  key(event, choose) {
    const step = event.shiftKey ? Math.max(1, Math.round((this.high - this.low) / 50)) : 1;
    const last = this.sequence.count - 1;
    const to = {
      ArrowRight: this.cursor + step, ArrowUp: this.cursor + step,
      ArrowLeft: this.cursor - step, ArrowDown: this.cursor - step,
      PageDown: this.cursor + 100, PageUp: this.cursor - 100, Home: 0, End: last,
    }[event.key];
    if (to !== undefined) choose(Math.min(last, Math.max(0, to)));
    else if (event.key === "+" || event.key === "=") this.zoom("in");
    else if (event.key === "-") this.zoom("out");
    else return;
    event.preventDefault();
  }

  zoom(how) {
    const count = Math.max(1, this.sequence.count);
    const size = this.high - this.low;
    const middle = this.cursor >= 0 ? this.cursor : (this.low + this.high) / 2;
    const wanted = how === "all" ? count : Math.min(count, Math.max(20, how === "in" ? size / 4 : size * 4));
    this.low = Math.round(Math.min(Math.max(0, middle - wanted / 2), Math.max(0, count - wanted)));
    this.high = Math.min(count, Math.round(this.low + wanted));
    this.draw();
  }

  reveal(position) {
    this.cursor = position;
    if (position < this.low || position >= this.high) this.zoom("none");
    if (position < this.low || position >= this.high) {
      const size = this.high - this.low;
      this.low = Math.max(0, Math.min(this.sequence.count - size, Math.round(position - size / 2)));
      this.high = this.low + size;
    }
    this.draw();
  }

  x(position) {
    return ((position - this.low) / (this.high - this.low)) * this.width;
  }

  y(symbol) {
    return this.height - 1 - (symbol / Math.max(1, this.sequence.symbolCount)) * (this.height - 2);
  }

  /** The node whose dot is nearest to the pointer; a column may hold many positions. */
  nodeAt(event) {
    const rect = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - rect.left) / rect.width) * this.width;
    const y = ((event.clientY - rect.top) / rect.height) * this.height;
    const per = (this.high - this.low) / this.width;
    const middle = this.low + x * per;
    const reach = Math.max(1, 3 * per);
    let best = -1;
    let distance = Infinity;
    const stop = Math.min(this.high, Math.ceil(middle + reach));
    for (let i = Math.max(this.low, Math.floor(middle - reach)); i < stop; i++) {
      const away = Math.hypot(this.x(i + 0.5) - x, (this.y(this.sequence.symbols[i]) - y) / 4);
      if (away < distance) [best, distance] = [i, away];
    }
    return best;
  }

  draw() {
    const scale = window.devicePixelRatio || 1;
    this.width = Math.max(1, Math.round(this.holder.clientWidth * scale));
    this.height = Math.max(1, Math.round(this.holder.clientHeight * scale));
    this.canvas.width = this.width;
    this.canvas.height = this.height;
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    if (!this.variant || !this.sequence.count) return;
    this.drawSplits(context, scale);
    const room = this.width / (this.high - this.low) / scale / 2; // few nodes get larger dots
    this.drawNodes(context, Math.max(1, Math.round(Math.min(6, Math.max(2, room)) * scale)));
    if (this.cursor >= this.low && this.cursor < this.high) {
      context.fillStyle = colour("--focus");
      context.fillRect(this.x(this.cursor + 0.5) - scale, 0, 2 * scale, this.height);
      context.beginPath();
      context.arc(this.x(this.cursor + 0.5), this.y(this.sequence.symbols[this.cursor]), 5 * scale, 0, 7);
      context.fill();
    }
    this.describe();
  }

  drawNodes(context, dot) {
    const { symbols } = this.sequence;
    const mask = this.variant.mask;
    const columns = Math.ceil(this.width / dot);
    const rows = Math.ceil(this.height / dot);
    const stays = new Uint32Array(columns * rows);
    const goes = new Uint32Array(columns * rows);
    let most = 1;
    for (let i = this.low; i < this.high; i++) {
      const column = Math.min(columns - 1, Math.floor(this.x(i + 0.5) / dot));
      const cell = Math.floor(this.y(symbols[i]) / dot) * columns + column;
      const counts = mask[i] ? stays : goes;
      counts[cell]++;
      if (counts[cell] > most) most = counts[cell];
    }
    for (const [counts, name] of [[stays, "--kept"], [goes, "--removed"]]) {
      context.fillStyle = colour(name);
      for (let cell = 0; cell < counts.length; cell++) {
        if (!counts[cell]) continue;
        context.globalAlpha = most === 1 ? 1 : 0.45 + (0.55 * Math.log(1 + counts[cell])) / Math.log(1 + most);
        const both = name === "--removed" && stays[cell]; // share the dot, so that neither hides the other
        const x = (cell % columns) * dot;
        context.fillRect(both ? x + dot / 2 : x, Math.floor(cell / columns) * dot, both ? dot / 2 : dot, dot);
      }
    }
    context.globalAlpha = 1;
    this.perDot = (this.high - this.low) / columns;
    this.symbolsPerDot = this.sequence.symbolCount / rows;
    this.most = most;
  }

  drawSplits(context, scale) {
    context.font = `${11 * scale}px system-ui, sans-serif`;
    let labelled = -Infinity;
    const order = this.variant.splits.map((split, i) => [split, i]);
    order.sort((a, b) => a[0].position - b[0].position);
    for (const [split, i] of order) {
      const x = this.x(split.position);
      if (i === this.split) {
        context.fillStyle = colour("--line");
        context.fillRect(this.x(split.start), 0, this.x(split.end) - this.x(split.start), this.height);
      }
      if (x < 0 || x > this.width) continue;
      context.fillStyle = colour(i === this.split ? "--focus" : "--quiet");
      context.fillRect(x, 0, scale * (i === this.split ? 2 : 1), this.height);
      if (x - labelled > 22 * scale || i === this.split) {
        context.fillText(String(i + 1), x + 3 * scale, 11 * scale);
        labelled = x;
      }
    }
  }

  describe() {
    const { count, symbolCount } = this.sequence;
    const range = this.high - this.low < count ? `positions ${number(this.low)} to ${number(this.high - 1)} of ` : "";
    const text = [`Position (across) against symbol (up): ${range}${plural(count, "node")}, ${plural(symbolCount, "symbol")}.`];
    if (this.perDot > 1 || this.symbolsPerDot > 1) {
      text.push(
        `Reduced: a dot is the count over up to ${number(Math.ceil(this.perDot))} positions and ` +
        `${number(Math.ceil(this.symbolsPerDot))} symbols; the darker, the more (at most ${number(this.most)}). ` +
        "Every node is counted; zoom in to see single nodes.",
      );
    }
    text.push("Lines are splits. Click a dot to find its element; arrow keys move, + and − zoom.");
    this.note.textContent = text.join(" ");
  }
}
