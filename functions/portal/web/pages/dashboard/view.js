// The view of the dashboard, which the address keeps: the period, its dates if they are custom, and the comparison.

/** @typedef {{period: string, startDate: string, endDate: string, compare: string}} View */

export const periods = [
  "today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year",
  "custom",
];
export const comparisons = ["previous", "year_ago", "calendar", "none"];
const defaultView = { period: "this_month", compare: "previous" };

/**
 * @param {URLSearchParams} query of the address; unknown values count as the defaults
 * @returns {View}
 */
export function readView(query) {
  const period = query.get("period") ?? "";
  const compare = query.get("compare") ?? "";
  const view = {
    period: periods.includes(period) ? period : defaultView.period, compare: comparisons.includes(compare) ? compare : defaultView.compare,
    startDate: "", endDate: "",
  };
  return view.period === "custom" ? { ...view, startDate: query.get("startDate") ?? "", endDate: query.get("endDate") ?? "" } : view;
}

/**
 * Returns the parameters of the address for a view. Defaults are left out.
 * @param {View} view
 */
export function viewQuery(view) {
  const isCustom = view.period === "custom";
  return {
    period: view.period === defaultView.period ? "" : view.period, compare: view.compare === defaultView.compare ? "" : view.compare,
    startDate: isCustom ? view.startDate : "", endDate: isCustom ? view.endDate : "",
  };
}

/**
 * Returns the parameters of the API for a view.
 * @param {View} view
 */
export function apiQuery(view) {
  const isCustom = view.period === "custom";
  return {
    period: view.period, startDate: isCustom ? view.startDate : "", endDate: isCustom ? view.endDate : "",
    compare: view.compare === "none" ? "" : view.compare,
  };
}

/**
 * Whether the API can be asked: custom periods need their dates first.
 * @param {View} view
 */
export function isComplete(view) {
  return view.period !== "custom" || (view.startDate !== "" && view.endDate !== "");
}
