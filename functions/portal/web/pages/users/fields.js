// The fields of a user, with their texts. The forms, the details and the example of an import are made of these entries, so a new field is
// one entry.
import { CustomerField } from "../../components/customerfield.js";
import { Checkbox, Select, optionsOf } from "../../components/fields.js";
import { formOf, objectField } from "../../components/resourceform.js";
import { html } from "../../core/html.js";
import { isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { assignableRoles } from "./roles.js";

const texts = strings.users;

/** @typedef {import("../../components/fields.js").FieldProps} Props */
/**
 * @typedef {import("../../components/resourceform.js").Field & UserField} Field
 * @typedef {object} UserField
 * @property {"create" | "change"} [only] the form that has the field, if not both
 * @property {number} [row] the row in the form for changes; in the other form, each field is a row
 * @property {string[]} [examples] the values in the lines of the example of an import; an import does not have a field without them
 * @property {string} [format] what an import expects
 */

/** @type {Field[]} */
const fields = [
  { name: "email", label: texts.email, inputmode: "email", isRequired: true, only: "create", examples: ["ada@example.com", "grace@example.com"] },
  { name: "name", label: texts.name, isRequired: true, row: 1, examples: ["Ada Lovelace", "Grace Hopper"] },
  { name: "customerId", label: texts.customer, input: Customer, row: 3, write: (id) => id || null, examples: [], format: "the ID of the customer" },
  { name: "role", label: texts.role, input: Role, isRequired: true, row: 2, examples: ["user", "manager"] },
  { name: "status", label: texts.status, input: Status, isRequired: true, only: "change", row: 2 },
  { name: "department", label: "Department", row: 1, isDetail: true, examples: ["Analytical Engines"] },
  {
    ...objectField, name: "metadata", label: "Metadata", row: 4, isDetail: true, examples: ['{"customerNumber": "C-1815"}'], format: "a JSON object",
  },
  {
    name: "sendActivationEmail", label: "Send an activation email", input: Checkbox, only: "create", examples: ["true"], format: "true or false",
    hint: "The user stays pending until they use the link in the email. Without an email, the user is active immediately.",
  },
];

/** @param {"create" | "change"} form */
const fieldsOf = (form) => fields.filter(({ only = form }) => only === form);

export const createForm = formOf(fieldsOf("create").map((field) => [field]));
// Object.values returns the rows in the order of their numbers.
export const changeForm = formOf(/** @type {Field[][]} */ (Object.values(Object.groupBy(fieldsOf("change"), ({ row = 0 }) => row))));

/** The columns of an import. */
export const columns = fields.filter((field) => field.examples);

/** @type {Record<string, string>} */
const roleHints = {
  admin: "Everything, including API keys of other users, approvals and deletions",
  manager: "Users, projects, media, the dashboard, and tokens",
  user: "Reads users; works with projects and media",
  viewer: "Reads users, projects and the dashboard",
};

/** @param {Props} props */
function Role(props) {
  return html`<${Select} ...${props} options=${assignableRoles(props.value)} hint=${roleHints[props.value]} />`;
}

/** @param {Props} props "pending" is offered only to users who have it */
function Status(props) {
  const isPending = props.value === "pending";
  const names = isPending ? ["pending", "active", "inactive", "suspended"] : ["active", "inactive", "suspended"];
  const hint = isPending ? "The user has not used the link in the activation email yet. Choose a status to end the invitation."
    : "Keys, tokens and sessions work only while the user is active.";
  return html`<${Select} ...${props} options=${optionsOf(names, texts.statuses)} hint=${hint} />`;
}

/** @param {Props} props only the vendor's staff choose a customer */
function Customer(props) {
  return isStaff() ? html`<${CustomerField} ...${props} />` : null;
}
