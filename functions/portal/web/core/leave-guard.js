// Asks before the user leaves a page whose content would be lost, such as a secret that is shown once.
import { useLayoutEffect } from "preact/hooks";

let address = "";

/** The address of the page that asks before the user leaves it, or "". */
export function guardedAddress() {
  return address;
}

/**
 * While isActive is true, the browser asks before it closes the page or opens another one. A layout effect guards the page before the
 * browser draws it; other effects run later.
 * @param {boolean} isActive
 */
export function useLeaveWarning(isActive) {
  useLayoutEffect(() => {
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
