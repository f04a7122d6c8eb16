// A confirmation for which the user types a text, to prevent deletions by habit.
import { useState } from "preact/hooks";
import { invalidFields } from "../core/api.js";
import { html } from "../core/html.js";
import { useAction } from "../core/hooks.js";
import { Dialog } from "./dialog.js";
import { Form, TextField } from "./fields.js";

/**
 * @param {{title: string, confirm: string, text: string, label: string, mismatch: string, act: () => Promise<unknown>,
 *   onClose: () => void, children: any}} props confirm: the text of the button; text: what to type; mismatch: what to say about another text
 */
export function TypedConfirmDialog({ title, confirm, text, label, mismatch, act, onClose, children }) {
  const [typed, setTyped] = useState("");
  const action = useAction(async () => {
    if (typed.trim().toLowerCase() !== text.toLowerCase()) {
      throw invalidFields({ pointer: "/confirmation", detail: mismatch });
    }
    await act();
  });
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${Form} submit=${confirm} kind="danger" problem=${action.problem} isRunning=${action.isRunning}
        onSubmit=${() => action.run()} onCancel=${onClose}>
      ${children}
      <${TextField} label=${label} name="confirmation" value=${typed} onChange=${setTyped} problem=${action.problem} isRequired />
    <//>
  <//>`;
}
