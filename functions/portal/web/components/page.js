// The frame of a page: title, introduction, actions and content.
import { useEffect, useRef } from "preact/hooks";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";

/**
 * A page with its title. It moves the focus to the title when it appears, so that screen readers begin there.
 * @param {{title: string, intro?: any, actions?: any, children?: any}} props
 */
export function Page({ title, intro, actions, children }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
  }, [title]);
  useEffect(() => heading.current?.focus(), []);
  return html`
    <div class="page-head">
      <h1 ref=${heading} tabindex="-1">${title}</h1>
      ${actions ? html`<div class="actions">${actions}</div>` : null}
    </div>
    ${intro ? html`<p class="intro">${intro}</p>` : null}
    ${children}`;
}

/**
 * A part of a page with a heading.
 * @param {{title: string, id?: string, actions?: any, children?: any}} props
 */
export function Section({ title, id, actions, children }) {
  return html`<section class="card" id=${id} aria-label=${title}>
    <div class="section-head"><h2>${title}</h2>${actions ? html`<div class="actions">${actions}</div>` : null}</div>
    ${children}
  </section>`;
}

/**
 * The message of a list without entries: which entries it will have, and how to add the first.
 * @param {{title: string, children?: any}} props
 */
export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;
}

/** A placeholder while data load. */
export function Loading() {
  return html`<p class="loading" role="status">${strings.common.loading}</p>`;
}

/**
 * Shows the state of a load: a placeholder, a problem with a retry, or the content.
 * @param {{load: {data: any, problem?: import("../core/api.js").Problem, isLoading: boolean, reload: () => void},
 *   children: (data: any) => any}} props
 */
export function Loaded({ load, children }) {
  if (load.problem) return html`<${ProblemMessage} problem=${load.problem} onRetry=${load.reload} />`;
  if (load.data === undefined) return html`<${Loading} />`;
  return html`<div aria-busy=${load.isLoading ? "true" : undefined}>${children(load.data)}</div>`;
}

/**
 * The explanation of a failed request, with the request ID.
 * @param {{problem?: import("../core/api.js").Problem, onRetry?: () => void, labelOf?: (pointer: string) => string | undefined}} props
 *   labelOf: the label of the field that a pointer names
 */
export function ProblemMessage({ problem, onRetry, labelOf }) {
  if (!problem) return null;
  return html`<div class="problem" role="alert">
    <p>${problem.detail}</p>
    ${problem.errors.length > 0 ? html`<ul>${problem.errors.map((e) => html`<li>
      ${fieldName(labelOf?.(e.pointer) ?? pathOf(e.pointer))}${e.detail}</li>`)}</ul>` : null}
    ${problem.retryAfter > 0 ? html`<p>${strings.common.retryAfter(problem.retryAfter)}</p>` : null}
    ${problem.requestId ? html`<p class="small">${strings.common.reference(problem.requestId)}</p>` : null}
    ${onRetry ? html`<button type="button" class="button" onClick=${onRetry}>${strings.common.retry}</button>` : null}
  </div>`;
}

/** @param {string} pointer */
function pathOf(pointer) {
  return pointer.replace(/^[#/]+/, "").replaceAll("/", " ");
}

/** @param {string} name */
function fieldName(name) {
  return name ? html`<strong>${name}</strong>: ` : null;
}
