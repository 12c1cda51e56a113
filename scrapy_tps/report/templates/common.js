const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** An element with attributes and children; text never becomes markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

const grouped = new Intl.NumberFormat("en");
const number = (value) => grouped.format(value);
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

function seconds(value) {
  if (value < 0.001) return `${(value * 1e6).toFixed(0)} µs`;
  if (value < 1) return `${(value * 1e3).toFixed(1)} ms`;
  if (value < 120) return `${value.toFixed(1)} s`;
  return `${number(Math.round(value / 60))} min`;
}

/** A time such as "2026-11-27 04:39:01 UTC" as the time since then. */
function ago(text) {
  const passed = (Date.now() - Date.parse(text.replace(" ", "T").replace(" UTC", "Z"))) / 1000;
  const units = [["day", 86400], ["h", 3600], ["min", 60]];
  const [unit, size] = units.find(([, least]) => passed >= least) ?? ["s", 1];
  const count = Math.max(0, Math.floor(passed / size));
  return unit === "day" ? `${plural(count, unit)} ago` : `${number(count)} ${unit} ago`;
}

/** A name that fits a table. */
const short = (name) => (name.length > 80 ? `${name.slice(0, 79)}…` : name);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
