// The form for a new project.
import { announce } from "../../components/announcer.js";
import { Form, useFields } from "../../components/fields.js";
import { Page, Section } from "../../components/page.js";
import { post } from "../../core/api.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate } from "../../core/router.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { ProjectFields, projectForm } from "./fields.js";

const texts = strings.projects;

export default function CreateProject() {
  const [values, set] = useFields(projectForm.toFields({ status: "draft", ownerId: currentUser().id }));
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    const { data } = await post("/v1/projects", { body: projectForm.toBody(values), headers: { "Idempotency-Key": key } });
    announce(texts.wasCreated(data.name));
    navigate(`/portal/projects/${data.id}`);
  });
  return html`<${Page} title=${texts.createTitle}>
    <${Section} title=${texts.edit}>
      <${Form} submit=${texts.create} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}
          onCancel=${() => navigate("/portal/projects")}>
        <${ProjectFields} values=${values} set=${set} problem=${action.problem} />
      <//>
    <//>
  <//>`;
}
