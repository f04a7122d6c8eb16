// The choice of period and comparison.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../core/api.js";
import { Button } from "../../components/buttons.js";
import { Select, TextField, optionsOf } from "../../components/fields.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { comparisons, isComplete, periods, viewQuery } from "./view.js";

/** @typedef {import("./view.js").View} View */

const texts = strings.dashboard;

/**
 * @param {{view: View, shown?: Dates, problem?: Problem}} props shown: the days on the page, with
 *   which custom dates begin
 */
export function Filters({ view, shown, problem }) {
  const [dates, setDates] = useState({ startDate: view.startDate, endDate: view.endDate });
  useEffect(() => setDates({ startDate: view.startDate, endDate: view.endDate }), [view.startDate, view.endDate]);
  /** @param {Partial<View>} change */
  const show = (change) => setQuery(viewQuery({ ...view, ...change }));
  /** @param {string} period */
  const choose = (period) => show(period === "custom" && shown ? { ...shown, period } : { period });
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    show(dates);
  };
  return html`<form class="card view-filters" aria-label=${texts.filters} onSubmit=${submit} novalidate>
    <div class="fields">
      <${Select} label=${texts.period} hidesOptional value=${view.period} onChange=${choose} options=${optionsOf(periods, texts.periods)} />
      <${Select} label=${texts.compare} hidesOptional value=${view.compare} onChange=${(/** @type {string} */ compare) => show({ compare })}
        options=${optionsOf(comparisons, { ...texts.comparisons, calendar: texts.unitsBefore[view.period] })} />
      ${view.period === "custom" ? html`<${DateFields} dates=${dates} setDates=${setDates} problem=${problem} />` : null}
    </div>
    ${isComplete(view) ? null : html`<p class="hint">${texts.chooseDates}</p>`}
  </form>`;
}

/** @typedef {{startDate: string, endDate: string}} Dates */

/** @param {{dates: Dates, setDates: (dates: Dates) => void, problem?: Problem}} props */
function DateFields({ dates, setDates, problem }) {
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
