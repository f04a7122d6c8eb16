// The form for a new user.
import { announce } from "../../components/announcer.js";
import { Form, useFields } from "../../components/fields.js";
import { Page, Section } from "../../components/page.js";
import { post } from "../../core/api.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate, useAddress } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { createForm } from "./fields.js";

const texts = strings.users;

export default function CreateUser() {
  const customerId = useAddress().query.get("customer") ?? "";
  const [values, set] = useFields(createForm.toFields({ customerId, role: "user", sendActivationEmail: true }));
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    const body = createForm.toBody({ ...values, customerId: values.customerId || undefined });
    const { data } = await post("/v1/users", { body, headers: { "Idempotency-Key": key } });
    announce(texts.wasCreated(data.name));
    navigate(`/portal/users/${data.id}`);
  });
  const { problem, isRunning } = action;
  return html`<${Page} title=${texts.createTitle}>
    <${Section} title=${texts.edit}>
      <${Form} submit=${texts.create} problem=${problem} isRunning=${isRunning}
          onSubmit=${() => action.run()} onCancel=${() => navigate("/portal/users")}>
        <${createForm.Fields} values=${values} set=${set} problem=${problem} />
      <//>
    <//>
  <//>`;
}
