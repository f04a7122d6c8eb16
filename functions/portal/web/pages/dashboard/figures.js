// The figures of the dashboard: their titles, their units, and whether a higher value is better.
import { formatNumber, locale } from "../../core/format.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"Metrics">} Metrics */

/**
 * @typedef {object} Figure
 * @property {keyof typeof strings.dashboard.figures} path in the metrics of the dashboard, and the name of the time series
 * @property {(value: number) => string} format with the unit
 * @property {(value: number) => string} tick shorter, for an axis
 * @property {"up" | "down"} [better] absent if neither is
 * @property {boolean} [isShare] a percentage, whose changes are in percentage points
 * @property {boolean} [isWhole]
 */

const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(locale, { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** @param {number} value */
const shorten = (value) => (Math.abs(value) >= 10_000 ? compact.format(value) : formatNumber(value, 4));

/** @param {number} value */
const formatPercent = (value) => strings.common.percent(formatNumber(value, 3));

/** @type {Record<string, Pick<Figure, "format" | "tick" | "isWhole" | "isShare">>} */
const units = {
  count: { format: (v) => formatNumber(v, 0), tick: shorten, isWhole: true },
  percent: { format: formatPercent, tick: formatPercent, isShare: true },
  milliseconds: { format: (v) => `${formatNumber(v, 1)} ms`, tick: (v) => `${shorten(v)} ms` },
  gigabytes: { format: (v) => `${formatNumber(v, 2)} GB`, tick: (v) => `${shorten(v)} GB` },
  dollars: { format: (v) => dollars.format(v), tick: (v) => dollars.format(v) },
};

/** @type {Record<string, Figure>} */
export const figures = Object.fromEntries(
  /** @type {[Figure["path"], keyof typeof units, ("up" | "down")?][]} */ ([
    ["users.total", "count", "up"],
    ["users.active", "count", "up"],
    ["users.growth", "percent", "up"],
    ["projects.total", "count"],
    ["projects.created", "count"],
    ["projects.archived", "count"],
    ["usage.api.calls", "count"],
    ["performance.errors", "count", "down"],
    ["performance.uptime", "percent", "up"],
    ["performance.responseTime.avg", "milliseconds", "down"],
    ["performance.responseTime.p95", "milliseconds", "down"],
    ["performance.responseTime.p99", "milliseconds", "down"],
    ["usage.storage.used", "gigabytes"],
    ["usage.storage.total", "gigabytes"],
    ["usage.pulls.charts", "count"],
    ["usage.pulls.images", "count"],
    ["usage.pulls.checks", "count"],
    ["usage.media.calls", "count"],
    ["usage.media.modelCalls", "count"],
    ["usage.media.inputTokens", "count"],
    ["usage.media.outputTokens", "count"],
    ["usage.media.cost", "dollars", "down"],
  ]).map(([path, unit, better]) => [path, { path, better, ...units[unit] }]),
);

/** @param {Figure} figure */
export function titleOf(figure) {
  return strings.dashboard.figures[figure.path];
}

/**
 * Reads a figure from the metrics by its path.
 * @param {Metrics} metrics
 * @param {string} path
 * @returns {number}
 */
export function valueOf(metrics, path) {
  return path.split(".").reduce((at, name) => at[name], /** @type {any} */ (metrics));
}

/**
 * How a value differs from the one before, as text with a sign: "+12 (+4.1%)".
 * @param {number} value
 * @param {number} before
 * @param {Pick<Figure, "format" | "isShare">} figure
 */
export function changeText(value, before, { format, isShare }) {
  const texts = strings.dashboard.change;
  if (format(value) === format(before)) return texts.same;
  const difference = value - before;
  const sign = difference > 0 ? "+" : "−";
  if (isShare) return sign + texts.points(formatNumber(Math.abs(difference), 3));
  const text = sign + format(Math.abs(difference));
  return before === 0 ? text : texts.by(text, sign + strings.common.percent(formatNumber(Math.abs((100 * difference) / before), 1)));
}
