// The form for a new user.
import { announce } from "../../components/announcer.js";
import { CustomerField } from "../../components/customerfield.js";
import { Checkbox, Form, Select, TextField, useFields } from "../../components/fields.js";
import { ObjectField, objectValue } from "../../components/objectfield.js";
import { Page, Section } from "../../components/page.js";
import { post } from "../../core/api.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate, useAddress } from "../../core/router.js";
import { isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { assignableRoles } from "./roles.js";

const texts = strings.users;

export default function CreateUser() {
  const customerId = useAddress().query.get("customer") ?? "";
  const [fields, set] = useFields({ email: "", name: "", customerId, role: "user", department: "", sendActivationEmail: true, metadata: "" });
  const key = useIdempotencyKey(fields);
  const action = useAction(async () => {
    const body = { ...fields, customerId: fields.customerId || undefined, metadata: objectValue("/metadata", fields.metadata) };
    const { data } = await post("/v1/users", { body, headers: { "Idempotency-Key": key } });
    announce(texts.wasCreated(data.name));
    navigate(`/portal/users/${data.id}`);
  });
  const { problem, isRunning } = action;
  return html`<${Page} title=${texts.createTitle}>
    <${Section} title=${texts.edit}>
      <${Form} submit=${texts.create} problem=${problem} isRunning=${isRunning}
          onSubmit=${() => action.run()} onCancel=${() => navigate("/portal/users")}>
        <${TextField} label=${texts.email} name="email" inputmode="email" value=${fields.email} onChange=${set("email")}
          problem=${problem} isRequired />
        <${TextField} label=${texts.name} name="name" value=${fields.name} onChange=${set("name")} problem=${problem} isRequired />
        ${isStaff() ? html`<${CustomerField} value=${fields.customerId} onChange=${set("customerId")} problem=${problem} />` : null}
        <${Select} label=${texts.role} name="role" value=${fields.role} onChange=${set("role")} problem=${problem} options=${assignableRoles()}
          hint=${texts.roleHints[fields.role]} isRequired />
        <${TextField} label=${texts.department} name="department" value=${fields.department} onChange=${set("department")} problem=${problem} />
        <${ObjectField} label=${texts.metadata} name="metadata" value=${fields.metadata} onChange=${set("metadata")} problem=${problem} />
        <${Checkbox} label=${texts.sendMail} hint=${texts.sendMailHint} value=${fields.sendActivationEmail}
          onChange=${set("sendActivationEmail")} />
      <//>
    <//>
  <//>`;
}
