// The form for a new customer.
import { announce } from "../../components/announcer.js";
import { Form, useFields } from "../../components/fields.js";
import { Page, Section } from "../../components/page.js";
import { post } from "../../core/api.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { customerForm } from "./fields.js";

const texts = strings.customers;

export default function CreateCustomer() {
  const [values, set] = useFields(customerForm.toFields({ status: "active" }));
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    const { data } = await post("/v1/customers", { body: customerForm.toBody(values), headers: { "Idempotency-Key": key } });
    announce(texts.wasCreated(data.name));
    navigate(`/portal/customers/${data.id}`);
  });
  /** @param {string} name */
  const setName = (name) => {
    if (values.slug === slugOf(values.name)) set("slug")(slugOf(name)); // until the user types another slug
    set("name")(name);
  };
  /** @type {typeof set} */
  const setField = (field) => (field === "name" ? setName : set(field));
  return html`<${Page} title=${texts.createTitle}>
    <${Section} title=${texts.edit}>
      <${Form} submit=${texts.create} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}
          onCancel=${() => navigate("/portal/customers")}>
        <${customerForm.Fields} values=${values} set=${setField} problem=${action.problem} />
      <//>
    <//>
  <//>`;
}

/**
 * The slug that the form suggests for a name. It is empty for a name without Latin letters and digits.
 * @param {string} name
 */
function slugOf(name) {
  const words = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, 63).replace(/-$/, "");
}
