// Pages that show a secret once hold the window: it asks before it is closed or shows another page.
import { useEffect } from "preact/hooks";

let address = "";

/** The address of the page that holds the window, or "". */
export function heldAddress() {
  return address;
}

/**
 * Holds the window while isActive is true.
 * @param {boolean} isActive
 */
export function useHold(isActive) {
  useEffect(() => {
    if (!isActive) return undefined;
    /** @param {BeforeUnloadEvent} event */
    const ask = (event) => event.preventDefault();
    address = location.pathname + location.search;
    addEventListener("beforeunload", ask);
    return () => {
      address = "";
      removeEventListener("beforeunload", ask);
    };
  }, [isActive]);
}
