// A field that filters a list by a part of the name.
import { useState } from "preact/hooks";
import { html } from "../core/html.js";
import { Button } from "./buttons.js";
import { TextField } from "./fields.js";

/**
 * @param {{label: string, button: string, value: string, maxLength?: number, onSearch: (text: string) => void}} props
 */
export function SearchForm({ label, button, value, maxLength, onSearch }) {
  const [text, setText] = useState(value);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return html`<form class="find" role="search" onSubmit=${submit}>
    <${TextField} label=${label} value=${text} onChange=${setText} maxLength=${maxLength} hidesOptional />
    <${Button} type="submit">${button}<//>
  </form>`;
}
