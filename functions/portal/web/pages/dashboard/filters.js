// The choice of period and comparison.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../core/api.js";
import { Button } from "../../components/buttons.js";
import { Select, TextField } from "../../components/fields.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { comparisons, isComplete, periods, viewQuery } from "./view.js";

/** @typedef {import("./view.js").View} View */

const texts = strings.dashboard;

/**
 * @param {{view: View, shown?: {startDate: string, endDate: string}, problem?: Problem}} props shown: the days on the page, with
 *   which custom dates begin
 */
export function Filters({ view, shown, problem }) {
  const [dates, setDates] = useState({ startDate: view.startDate, endDate: view.endDate });
  useEffect(() => setDates({ startDate: view.startDate, endDate: view.endDate }), [view.startDate, view.endDate]);
  /** @param {Partial<View>} change */
  const show = (change) => setQuery(viewQuery({ ...view, ...change }));
  /** @param {string} period */
  const choose = (period) => show(period === "custom" && shown ? { period, startDate: shown.startDate, endDate: shown.endDate } : { period });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    show(dates);
  };
  return html`<form class="card view-filters" aria-label=${texts.filters} onSubmit=${submit} novalidate>
    <div class="fields">
      <${Select} label=${texts.period} isRequired value=${view.period} onChange=${choose} options=${periods.map((p) => ({ value: p, label: nameOf(texts.periods, p) }))} />
      <${Select} label=${texts.compare} isRequired value=${view.compare} onChange=${(/** @type {string} */ compare) => show({ compare })}
        options=${comparisons.map((c) => ({ value: c, label: nameOf(texts.comparisons, c) }))} />
      ${view.period === "custom" ? html`<${Dates} dates=${dates} setDates=${setDates} problem=${problem} />` : null}
    </div>
    ${isComplete(view) ? null : html`<p class="hint">${texts.chooseDates}</p>`}
  </form>`;
}

/**
 * @param {{dates: {startDate: string, endDate: string}, setDates: (dates: {startDate: string, endDate: string}) => void, problem?: Problem}} props
 */
function Dates({ dates, setDates, problem }) {
  const failures = problem && ofParameters(problem);
  return html`
    <${TextField} type="date" label=${texts.startDate} name="startDate" isRequired value=${dates.startDate} problem=${failures}
      onChange=${(/** @type {string} */ startDate) => setDates({ ...dates, startDate })} />
    <${TextField} type="date" label=${texts.endDate} name="endDate" isRequired value=${dates.endDate} problem=${failures}
      onChange=${(/** @type {string} */ endDate) => setDates({ ...dates, endDate })} />
    <div class="field"><${Button} type="submit" kind="primary">${texts.apply}<//></div>`;
}

/**
 * Returns the problem with pointers to fields instead of parameters of the query.
 * @param {Problem} problem
 */
function ofParameters(problem) {
  return new Problem({ ...problem, errors: problem.errors.map((e) => ({ ...e, pointer: e.pointer.replace(/^query\//, "") })) });
}

/**
 * @param {Record<string, string>} names
 * @param {string} value
 */
function nameOf(names, value) {
  return names[value] ?? value;
}
