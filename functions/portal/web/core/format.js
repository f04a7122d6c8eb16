// How the portal writes numbers, sizes and times. Times are in the time zone of the browser, and days of reports are UTC.

export const locale = "en";
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** @param {string | null | undefined} time RFC 3339 */
export function formatDateTime(time) {
  return time ? dateTime.format(new Date(time)) : "–";
}

/** @param {string | null | undefined} time RFC 3339 */
export function formatDate(time) {
  return time ? date.format(new Date(time)) : "–";
}

/** @param {string} day YYYY-MM-DD in UTC */
export function formatDay(day) {
  return utcDay.format(new Date(`${day}T00:00:00Z`));
}

/**
 * A number with digits grouped: 12,345.6.
 * @param {number} value
 * @param {number} [maxDecimals]
 */
export function formatNumber(value, maxDecimals = 2) {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: maxDecimals }).format(value);
}

/**
 * A size in decimal units: 12.3 MB.
 * @param {number} bytes
 */
export function formatBytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  let size = bytes;
  while (size >= 1000 && i < units.length - 1) {
    size /= 1000;
    i++;
  }
  return `${formatNumber(size, size < 10 && i > 0 ? 1 : 0)} ${units[i]}`;
}

/**
 * A position in a recording: 1:05 or 1:00:05.
 * @param {number} seconds
 */
export function formatSeconds(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const [first, ...others] = parts[0] > 0 ? parts : parts.slice(1);
  return [first, ...others.map((part) => String(part).padStart(2, "0"))].join(":");
}

/**
 * The distance from now in days or smaller units: "in 3 days", "yesterday", "5 minutes ago".
 * @param {string | null | undefined} time RFC 3339
 * @param {number} [now] milliseconds since 1970
 */
export function formatRelative(time, now = Date.now()) {
  if (!time) return "–";
  const seconds = (new Date(time).getTime() - now) / 1000;
  /** @type {[number, Intl.RelativeTimeFormatUnit][]} */
  const units = [[86400, "day"], [3600, "hour"], [60, "minute"]];
  for (const [length, unit] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 60 ? "now" : relative.format(Math.trunc(seconds), "second");
}
