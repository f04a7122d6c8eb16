// The axes of charts: round values, and days at the beginning of weeks, months or years. Days are in UTC.
import { locale } from "../core/format.js";

/** @typedef {{at: number, label: string}} Tick a mark of an axis: a value or the index of a day, and its label */

const day = 86_400_000;

/**
 * Returns round values that enclose the range: multiples of 1, 2 or 5 times a power of ten.
 * @param {number} low
 * @param {number} high
 * @param {{count?: number, isWhole?: boolean}} [options] count: about how many; isWhole: no fractions
 * @returns {number[]}
 */
export function valueTicks(low, high, { count = 4, isWhole = false } = {}) {
  const range = high > low ? high - low : Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(range / count));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= range / count) ?? 10 * power;
  const size = isWhole ? Math.max(1, step) : step;
  let first = Math.floor(low / size);
  let last = Math.ceil(high / size - 1e-9);
  if (first >= last) { // one value on a line of the grid: the axis ends there, so a percentage does not exceed 100
    if (last > 0) first = last - 1;
    else last = first + 1;
  }
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * size).toPrecision(12)));
}

/**
 * Returns the days that an axis shows: each day, Mondays, or first days of months, whatever fits.
 * @param {string[]} dates consecutive days, YYYY-MM-DD
 * @param {number} most how many labels fit
 * @returns {Tick[]}
 */
export function dayTicks(dates, most) {
  const units = [...[1, 2].map(everyNthDay), everyMonday, ...[1, 2, 3, 6, 12, 24].map(everyNthMonth)];
  for (const unit of units) {
    const ticks = dates.flatMap((date, at) => (unit.has(date, at) ? [{ at, label: unit.label(date) }] : []));
    if (ticks.length <= Math.max(most, 1)) return ticks.length > 0 ? ticks : firstDay(dates);
  }
  return firstDay(dates);
}

/** @param {string[]} dates */
function firstDay(dates) {
  return dates.slice(0, 1).map((date) => ({ at: 0, label: dayLabel(date) }));
}

/** @typedef {{has: (date: string, at: number) => boolean, label: (date: string) => string}} Unit */

const everyMonday = /** @type {Unit} */ ({ has: (date) => utc(date).getUTCDay() === 1, label: dayLabel });

/**
 * @param {number} n
 * @returns {Unit}
 */
function everyNthDay(n) {
  return { has: (_, at) => at % n === 0, label: dayLabel };
}

/**
 * @param {number} n
 * @returns {Unit}
 */
function everyNthMonth(n) {
  return {
    has: (date) => date.endsWith("-01") && (utc(date).getUTCFullYear() * 12 + utc(date).getUTCMonth()) % n === 0,
    label: (date) => monthFormat.format(utc(date)),
  };
}

const dayFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const monthFormat = new Intl.DateTimeFormat(locale, { month: "short", year: "numeric", timeZone: "UTC" });

/** @param {string} date */
function dayLabel(date) {
  return dayFormat.format(utc(date));
}

/** @param {string} date YYYY-MM-DD */
function utc(date) {
  return new Date(Date.parse(date));
}

/**
 * The number of days from the first to the last day, both included.
 * @param {string} first YYYY-MM-DD
 * @param {string} last
 */
export function countDays(first, last) {
  return Math.round((Date.parse(last) - Date.parse(first)) / day) + 1;
}
