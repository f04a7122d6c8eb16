// A field that searches a list: with a button, or while the user types.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { TextField } from "./fields.js";

/** The milliseconds without a key after which a live search begins. */
const pause = 250;

/**
 * @param {{label: string, value: string, maxLength?: number, inputmode?: string, isLive?: boolean, onSearch: (text: string) => void}} props
 *   value: the text of the current search; isLive: searches while the user types. Enter searches at once
 */
export function SearchForm({ label, value, maxLength, inputmode, isLive = false, onSearch }) {
  const { text, type, search } = useSearchText(value, isLive, onSearch);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    event.stopPropagation(); // a dialog may be inside another form, which must not notice
    search(text);
  };
  /** @param {KeyboardEvent} event */
  const clear = (event) => {
    if (event.key !== "Escape" || !isLive || text === "") return;
    event.preventDefault(); // not all browsers clear the field, and those that do would clear it twice
    search("");
  };
  return html`<form class="find" role="search" onSubmit=${submit} onKeyDown=${clear}>
    <${TextField} label=${label} value=${text} onChange=${type} type=${isLive ? "search" : "text"} maxLength=${maxLength}
      inputmode=${inputmode} hidesOptional />
    ${isLive ? null : html`<${Button} type="submit">${strings.lists.find}<//>`}
  </form>`;
}

/**
 * The text in the field of a search. It follows the text of the current search, which changes if the user goes back in the history.
 * @param {string} value
 * @param {boolean} isLive
 * @param {(text: string) => void} onSearch
 */
function useSearchText(value, isLive, onSearch) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef(0);
  useEffect(() => {
    if (value === sent.current) return; // the field has sent it, and may have more characters by now
    clearTimeout(timer.current);
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []); // a search that begins later would change the address of another page
  /** @param {string} wanted */
  const search = (wanted) => {
    clearTimeout(timer.current);
    setText(wanted);
    sent.current = wanted.trim();
    onSearch(sent.current);
  };
  /** @param {string} typed */
  const type = (typed) => {
    clearTimeout(timer.current);
    setText(typed);
    if (isLive && typed.trim() === "") search(typed);
    else if (isLive) timer.current = setTimeout(() => search(typed), pause);
  };
  return { text, type, search };
}
