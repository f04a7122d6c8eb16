// A field that filters a list by a part of the name.
import { useState } from "preact/hooks";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { TextField } from "./fields.js";

/**
 * @param {{label: string, value: string, maxLength?: number, inputmode?: string, onSearch: (text: string) => void}} props
 */
export function SearchForm({ label, value, maxLength, inputmode, onSearch }) {
  const [text, setText] = useState(value);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    event.stopPropagation(); // a dialog may be inside another form, which must not notice
    onSearch(text.trim());
  };
  return html`<form class="find" role="search" onSubmit=${submit}>
    <${TextField} label=${label} value=${text} onChange=${setText} maxLength=${maxLength}
      inputmode=${inputmode} hidesOptional />
    <${Button} type="submit">${strings.lists.find}<//>
  </form>`;
}
