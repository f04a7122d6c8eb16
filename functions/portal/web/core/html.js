// html turns a tagged template into Preact nodes. Values in the template are escaped.
import { h } from "preact";
import htm from "htm";

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);
