// A chart of a figure by day, the same numbers as a table, and as a file.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Chart, Legend } from "../../components/chart.js";
import { Table } from "../../components/table.js";
import { downloadCSV } from "../../core/csv.js";
import { formatDay } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { titleOf } from "./figures.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("../../components/chart.js").Series} Series */
/** @typedef {import("../../core/types").Schema<"Daily">} Daily */

/**
 * @param {{figure: Figure, daily?: Daily, otherName: string, kind?: "bar" | "line", fromZero?: boolean}} props
 */
export function SeriesChart({ figure, daily, otherName, kind = "bar", fromZero = true }) {
  const title = titleOf(figure);
  if (!daily) return html`<figure class="series"><figcaption><h3>${title}</h3></figcaption><div class="chart"></div></figure>`;
  const series = { name: strings.dashboard.current, dates: daily.dates, values: daily.values[figure.path] };
  const other = daily.previous && { name: otherName, dates: daily.previous.dates, values: daily.previous.values[figure.path] };
  const isEmpty = [...series.values, ...(other?.values ?? [])].every((v) => v === null || v === 0);
  const label = strings.chart.label(title, formatDay(series.dates[0]), formatDay(series.dates[series.dates.length - 1]));
  return html`<figure class="series" data-series=${figure.path}>
    <figcaption><h3>${title}</h3><${Legend} series=${series} other=${other} /></figcaption>
    ${isEmpty
      ? html`<div class="chart empty"><p>${strings.dashboard.empty.chart(title)}</p></div>`
      : html`<${Chart} label=${label} kind=${kind} series=${series} other=${other} format=${figure.format} formatTick=${figure.tick}
          isWhole=${figure.isWhole} fromZero=${fromZero} />`}
    <${DataTable} title=${title} name=${figure.path} head=${head(series, other)} rows=${rowsOf(series, other)} format=${figure.format} />
  </figure>`;
}

/**
 * @param {Series} series
 * @param {Series} [other]
 */
function head(series, other) {
  return other ? [strings.chart.date, series.name, `${strings.chart.date}, ${other.name}`, other.name] : [strings.chart.date, series.name];
}

/** @typedef {(string | number | null)[]} Values the cells of a row: dates and values */

/**
 * @param {Series} series
 * @param {Series} [other]
 * @returns {Values[]}
 */
function rowsOf(series, other) {
  const size = Math.max(series.dates.length, other?.dates.length ?? 0);
  return Array.from({ length: size }, (_, i) => {
    const own = [series.dates[i] ?? null, series.values[i] ?? null];
    return other ? [...own, other.dates[i] ?? null, other.values[i] ?? null] : own;
  });
}

/**
 * The buttons for the table and the file, and the table.
 * @param {{title: string, name: string, head: string[], rows: Values[], format: (value: number) => string}} props
 */
export function DataTable({ title, name, head, rows, format }) {
  const [isOpen, setOpen] = useState(false);
  const texts = strings.chart;
  const save = () => downloadCSV(fileName(name, rows), [head, ...rows]);
  return html`<div class="series-data">
    <div class="actions">
      <${Button} kind="quiet" label=${isOpen ? texts.hideTableOf(title) : texts.showTableOf(title)} onClick=${() => setOpen(!isOpen)}>
        ${isOpen ? texts.hideTable : texts.showTable}<//>
      <${Button} kind="quiet" label=${texts.downloadOf(title)} onClick=${save}>${texts.download}<//>
    </div>
    ${isOpen ? html`<div class="data-table" tabindex="0" role="region" aria-label=${texts.tableOf(title)}>
      <${Table} caption=${title} rows=${rows} rowKey=${(/** @type {Values} */ row) => String(row[0] ?? row[2])}
        columns=${columns(head, rows, format)} />
    </div>` : null}
  </div>`;
}

/**
 * @param {string[]} head
 * @param {Values[]} rows
 * @param {(value: number) => string} format
 */
function columns(head, rows, format) {
  return head.map((title, i) => ({
    title, isNumber: rows.some((row) => typeof row[i] === "number"), cell: (/** @type {Values} */ row) => cell(row[i], format),
  }));
}

/**
 * @param {string | number | null | undefined} value
 * @param {(value: number) => string} format
 */
function cell(value, format) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return format(value);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? formatDay(value) : value;
}

/**
 * The name of a file: the figure, and the days if the rows have some.
 * @param {string} name
 * @param {Values[]} rows
 */
function fileName(name, rows) {
  const days = rows.map((row) => row[0]).filter((d) => typeof d === "string" && /^\d{4}-\d{2}-\d{2}$/.test(d));
  return days.length > 0 ? `${name}_${days[0]}_${days[days.length - 1]}` : name;
}
