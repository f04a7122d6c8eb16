// The customers whose IDs are in other resources, such as users.
import { useState } from "preact/hooks";
import { get } from "./api.js";
import { useLoad } from "./hooks.js";
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"ListedCustomer">} ListedCustomer */

const path = "/v1/customers/{customerId}";

/**
 * The customer with the ID, for a component.
 * @param {string | null} id "" or null for the vendor's staff, who belong to no customer
 */
export function useCustomer(id) {
  const [chosen, setChosen] = useState(/** @type {ListedCustomer | null} */ (null));
  const isKnown = !id || chosen?.id === id;
  const load = useLoad(async (signal) => (isKnown ? null : (await get(path, { path: { customerId: id }, signal })).data), [id]);
  const found = chosen?.id === id ? chosen : load.data?.id === id ? load.data : null;
  return {
    name: !id ? strings.users.staff : found?.name ?? (load.problem ? id : "…"),
    /** @param {ListedCustomer} customer that the user has just chosen */
    add: setChosen,
  };
}
