// Charts of values by day: bars, or a line with the area below it, and a second, dashed line to compare with. A chart can be
// read by pointer, by touch and by keyboard. Pages put a table with the same values beside it.
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDay } from "../core/format.js";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { strings } from "../core/strings.js";
import { dayTicks, valueTicks } from "./scale.js";

/**
 * A series: values of consecutive days, null for a day without a value.
 * @typedef {{name: string, dates: string[], values: (number | null)[]}} Series
 */

/**
 * @typedef {object} ChartProps
 * @property {string} label the accessible name
 * @property {Series} series
 * @property {Series} [other] compared day by day: its first day stands at the first day of series
 * @property {"bar" | "line"} kind
 * @property {(value: number) => string} format of a value with its unit
 * @property {(value: number) => string} formatTick of a value at the axis
 * @property {boolean} [isWhole] the values have no fractions
 * @property {boolean} [fromZero] the axis begins at 0
 */

const height = 220;
const top = 10;
const bottom = 28;
const right = 14;

/** @param {ChartProps} props */
export function Chart(props) {
  const [frame, width] = useWidth();
  const [state, setState] = useState(/** @type {{active: number | null, isSpoken: boolean}} */ ({ active: null, isSpoken: false }));
  const id = useId();
  const size = Math.max(props.series.dates.length, props.other?.dates.length ?? 0);
  const plot = layOut(props, width, size);
  /** @param {number | null} active */
  const point = (active) => setState({ active, isSpoken: false });
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const next = moveBy(event, size);
    if (!next) return;
    event.preventDefault();
    setState(({ active }) => ({ active: next(active), isSpoken: true }));
  };
  const at = state.active === null ? null : Math.min(state.active, size - 1);
  return html`<div class="chart" ref=${frame} tabindex="0" role="application" aria-roledescription=${strings.chart.role}
    aria-label=${props.label} aria-describedby=${id} onKeyDown=${press} onBlur=${() => point(null)}
    onPointerMove=${(/** @type {PointerEvent} */ e) => point(plot.dayAt(e))}
    onPointerDown=${(/** @type {PointerEvent} */ e) => point(plot.dayAt(e))} onPointerLeave=${() => point(null)}>
    <p class="visually-hidden" id=${id}>${strings.chart.keys}</p>
    ${width > 0 ? html`<${Drawing} ...${props} plot=${plot} active=${at} />` : null}
    ${at !== null && width > 0 ? html`<${Tooltip} ...${props} plot=${plot} active=${at} />` : null}
    <p class="visually-hidden" role="status">${state.isSpoken && at !== null ? describe(props, at) : ""}</p>
  </div>`;
}

/**
 * The width of an element, which changes with the window.
 * @returns {[{current: HTMLElement | null}, number]}
 */
function useWidth() {
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!frame.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, width];
}

/**
 * Returns where a key leads: the arrow keys to the next day, Page Up and Page Down by a week, Home and End to the ends, and
 * Escape to no day. The first step starts at the last day. Other keys return undefined.
 * @param {KeyboardEvent} event
 * @param {number} size
 * @returns {((active: number | null) => number | null) | undefined}
 */
function moveBy({ key, altKey, ctrlKey, metaKey }, size) {
  const step = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, PageUp: -7, PageDown: 7 })[key];
  if (altKey || ctrlKey || metaKey) return undefined;
  if (key === "Escape") return () => null;
  if (key === "Home") return () => 0;
  if (key === "End") return () => size - 1;
  return step === undefined ? undefined : ((active) => (active === null ? size - 1 : clamp(active + step, 0, size - 1)));
}

/** @typedef {ReturnType<typeof layOut>} Plot */

/**
 * Computes the layout of the chart.
 * @param {ChartProps} props
 * @param {number} width
 * @param {number} size number of days
 */
function layOut({ series, other, isWhole, fromZero = true, formatTick }, width, size) {
  const known = [...series.values, ...(other?.values ?? [])].filter((v) => v !== null);
  if (fromZero || known.length === 0) known.push(0);
  const ticks = valueTicks(Math.min(...known), Math.max(...known), { isWhole });
  const left = 14 + Math.max(...ticks.map((t) => formatTick(t).length)) * 7;
  const low = ticks[0];
  const high = ticks[ticks.length - 1];
  const band = Math.max(width - left - right, 1) / size;
  const base = height - bottom;
  return {
    width, left, base, band, ticks,
    days: dayTicks((other && other.dates.length > series.dates.length ? other : series).dates, Math.floor((width - left - right) / 84)),
    /** @param {number} i index of a day */
    x: (i) => left + (i + 0.5) * band,
    /** @param {number} value */
    y: (value) => top + (base - top) * (1 - (value - low) / (high - low)),
    /** @param {PointerEvent} event */
    dayAt: (event) => {
      const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
      return clamp(Math.floor((event.clientX - box.left - left) / band), 0, size - 1);
    },
  };
}

/** @param {ChartProps & {plot: Plot, active: number | null}} props */
function Drawing({ series, other, kind, formatTick, plot, active }) {
  const { width, left, base, x, y } = plot;
  const isBars = kind === "bar" && plot.band >= 4;
  return html`<svg width=${width} height=${height} aria-hidden="true" focusable="false">
    ${plot.ticks.map((t) => html`<g key=${`v${t}`}>
      <line class="grid-line" x1=${left} x2=${width - right} y1=${y(t)} y2=${y(t)} />
      <text class="tick" x=${left - 8} y=${y(t) + 4} text-anchor="end">${formatTick(t)}</text></g>`)}
    ${plot.days.map((t) => html`<text class="tick" key=${`d${t.at}`} x=${clamp(x(t.at), left + 16, width - 30)} y=${height - 8}
      text-anchor="middle">${t.label}</text>`)}
    ${isBars ? html`<${Bars} values=${series.values} plot=${plot} />` : html`<${Area} values=${series.values} plot=${plot} />`}
    ${other ? html`<path class="series-line second" d=${linePath(other.values, plot)} />` : null}
    ${active !== null ? html`<line class="cursor" x1=${x(active)} x2=${x(active)} y1=${top} y2=${base} />
      <${Dot} value=${other?.values[active]} at=${active} plot=${plot} name="second" />
      <${Dot} value=${series.values[active]} at=${active} plot=${plot} name="first" />` : null}
  </svg>`;
}

/** @param {{values: (number | null)[], plot: Plot}} props */
function Bars({ values, plot }) {
  const width = Math.min(plot.band * 0.72, 48);
  return values.map((value, i) => {
    if (!value) return null;
    const size = Math.max(plot.base - plot.y(value), 1);
    return html`<rect class="bar" key=${i} x=${plot.x(i) - width / 2} y=${plot.base - size} width=${width} height=${size}
      rx=${Math.min(3, width / 4)} />`;
  });
}

/** @param {{values: (number | null)[], plot: Plot}} props */
function Area({ values, plot }) {
  return html`<g>
    ${runs(values).map((run) => html`<path key=${run[0]} class="area" d=${areaPath(run, values, plot)} />`)}
    <path class="series-line first" d=${linePath(values, plot)} />
    ${runs(values).filter((run) => run.length === 1)
      .map(([i]) => html`<${Dot} key=${i} value=${values[i]} at=${i} plot=${plot} name="first" />`)}
  </g>`;
}

/** @param {{value: number | null | undefined, at: number, plot: Plot, name: "first" | "second"}} props */
function Dot({ value, at, plot, name }) {
  if (value === null || value === undefined) return null;
  return html`<circle class=${`dot ${name}`} cx=${plot.x(at)} cy=${plot.y(value)} r="4" />`;
}

/**
 * Returns the runs of consecutive days with values.
 * @param {(number | null)[]} values
 */
function runs(values) {
  /** @type {number[][]} */
  const found = [];
  values.forEach((value, i) => {
    if (value === null) return;
    if (i === 0 || values[i - 1] === null) found.push([]);
    found[found.length - 1].push(i);
  });
  return found;
}

/**
 * @param {(number | null)[]} values
 * @param {Plot} plot
 */
function linePath(values, plot) {
  return runs(values).map((run) => lineThrough(run, values, plot)).join(" ");
}

/**
 * @param {number[]} run
 * @param {(number | null)[]} values
 * @param {Plot} plot
 */
function areaPath(run, values, plot) {
  return `${lineThrough(run, values, plot)} L${plot.x(run[run.length - 1])} ${plot.base} L${plot.x(run[0])} ${plot.base} Z`;
}

/**
 * @param {number[]} run
 * @param {(number | null)[]} values
 * @param {Plot} plot
 */
function lineThrough(run, values, plot) {
  return run.map((i, n) => `${n === 0 ? "M" : "L"}${plot.x(i).toFixed(1)} ${plot.y(Number(values[i])).toFixed(1)}`).join(" ");
}

/** @param {ChartProps & {plot: Plot, active: number}} props */
function Tooltip({ plot, active, ...props }) {
  const x = plot.x(active);
  const isLeft = x < plot.width / 2;
  const style = isLeft ? { left: `${x + 12}px` } : { right: `${plot.width - x + 12}px` };
  return html`<div class="tooltip" style=${style} aria-hidden="true">
    ${lines(props, active).map((line) => html`<p key=${line.mark}>
      <span class=${`swatch ${line.mark}`}></span>${line.day}: <strong>${line.value}</strong></p>`)}
  </div>`;
}

/**
 * The lines of the tooltip for a day: one for each series.
 * @param {Pick<ChartProps, "series" | "other" | "format">} props
 * @param {number} at
 */
function lines({ series, other, format }, at) {
  return [series, other].flatMap((s, i) => {
    if (!s || at >= s.dates.length) return [];
    const value = s.values[at];
    const mark = i === 0 ? "first" : "second";
    return [{ mark, day: formatDay(s.dates[at]), value: value === null ? strings.chart.unknown : format(value) }];
  });
}

/**
 * @param {ChartProps} props
 * @param {number} at
 */
function describe(props, at) {
  return lines(props, at).map((line) => `${line.day}: ${line.value}`).join("; ");
}

/**
 * The names of the series, with their marks.
 * @param {{series: Series, other?: Series}} props
 */
export function Legend({ series, other }) {
  if (!other) return null;
  return html`<ul class="legend">
    <li><span class="swatch first"></span>${series.name}</li>
    <li><span class="swatch second"></span>${other.name}</li>
  </ul>`;
}

/**
 * Values as horizontal bars, the longest first.
 * @param {{rows: {key: string, label: any, value: number, text: string, note?: any}[]}} props text: the value as people read it
 */
export function BarList({ rows }) {
  const most = Math.max(...rows.map((r) => r.value), 1);
  return html`<ol class="bar-list">${rows.map((r) => html`<li key=${r.key}>
    <span class="bar-label">${r.label}</span><span class="bar-value">${r.text}</span>
    <span class="bar-track" aria-hidden="true"><span style=${{ width: `${(100 * r.value) / most}%` }}></span></span>
    ${r.note ? html`<span class="bar-note">${r.note}</span>` : null}
  </li>`)}</ol>`;
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(Math.max(value, low), Math.max(low, high));
}
