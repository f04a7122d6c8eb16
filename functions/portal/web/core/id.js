// IDs of elements. Preact's own useId gives the same IDs to a page and to a dialog that is rendered beside it, so that labels
// of the dialog would name fields of the page.
import { useState } from "preact/hooks";

let count = 0;

/** An ID that no other element of the document has. */
export function useId() {
  return useState(() => `id-${++count}`)[0];
}
