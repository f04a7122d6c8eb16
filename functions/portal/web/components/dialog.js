// Dialogs. They use the browser's <dialog>, which keeps the focus inside and closes with Escape.
import { useEffect, useRef } from "preact/hooks";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { useAction } from "../core/hooks.js";
import { Form } from "./fields.js";

/**
 * A modal dialog. It is open as long as it is rendered.
 * @param {{title: string, isWide?: boolean, onClose?: () => void, children: any}} props onClose: without it, only a button inside
 *   closes the dialog
 */
export function Dialog({ title, isWide = false, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  /** @param {Event} event */
  const cancel = (event) => {
    event.preventDefault();
    onClose?.();
  };
  const closed = () => (onClose ? onClose() : dialog.current?.showModal()); // a browser may close it without asking
  return html`<dialog ref=${dialog} class=${isWide ? "wide" : ""} aria-labelledby=${id}
    closedby=${onClose ? undefined : "none"} onCancel=${cancel} onClose=${closed}>
    <h2 id=${id}>${title}</h2>
    ${children}
  </dialog>`;
}

/**
 * Asks the user to confirm an action that cannot be undone. It closes after the action succeeds.
 * @param {{title: string, confirm: string, act: () => Promise<unknown>, onClose: () => void, children: any}} props
 *   confirm: the text of the button, a verb with its object
 */
export function ConfirmDialog({ title, confirm, act, onClose, children }) {
  const action = useAction(act);
  const submit = async () => {
    if (await action.run()) onClose();
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${Form} submit=${confirm} kind="danger" problem=${action.problem} isRunning=${action.isRunning} onSubmit=${submit} onCancel=${onClose}>
      ${children}
    <//>
  <//>`;
}
