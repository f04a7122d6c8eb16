// The page of a project: details and members, and how to archive or delete it.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { Differences } from "../../components/differences.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { Form } from "../../components/fields.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { objectField } from "../../components/resourceform.js";
import { Badge } from "../../components/table.js";
import { getResource, put, remove } from "../../core/api.js";
import { explainConflict, useDraft } from "../../core/draft.js";
import { formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate } from "../../core/router.js";
import { can, isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { ProjectFields, projectForm, statusTones } from "./fields.js";
import { usePeople } from "../../core/people.js";

const texts = strings.projects;
const { labels } = projectForm;
const path = "/v1/projects/{projectId}";

/** @typedef {import("./fields.js").Project} Project */
/** @typedef {{resource: {data: Project, etag: string}, reload: () => void}} Props */

/** @param {{params: Record<string, string>}} props */
export default function ProjectPage({ params }) {
  const load = useLoad((signal) => getResource(path, { path: params, signal }), [params.projectId]);
  if (!load.data || load.problem) {
    return html`<${Page} title=${texts.title}><${Loaded} load=${load}>${() => null}<//><p><a href="/portal/projects">${texts.back}</a></p><//>`;
  }
  return html`<${View} key=${load.data.data.id} resource=${load.data} reload=${load.reload} />`;
}

/** @param {Props} props */
function View({ resource, reload }) {
  const project = resource.data;
  const mayWrite = can("projects:write") && isStaff();
  const actions = mayWrite && project.status !== "archived" ? html`<${Archive} resource=${resource} reload=${reload} />` : null;
  return html`<${Page} title=${project.name} actions=${actions}
    intro=${html`<${Badge} tone=${statusTones[project.status]}>${texts.statuses[project.status]}<//>`}>
    <${Section} title=${texts.edit}>
      <dl class="facts">
        <dt>${texts.created}</dt><dd>${formatDateTime(project.createdAt)}</dd>
        <dt>${texts.updated}</dt><dd>${formatDateTime(project.updatedAt)}</dd>
        <dt>${texts.id}</dt><dd class="mono">${project.id}</dd>
      </dl>
      ${mayWrite ? html`<${Edit} resource=${resource} reload=${reload} />` : html`<${Facts} project=${project} />`}
    <//>
    ${can("projects:delete") && isStaff() ? html`<${Danger} resource=${resource} reload=${reload} />` : null}
    <p><a href="/portal/projects">${texts.back}</a></p>
  <//>`;
}

/** @param {{project: Project}} props */
function Facts({ project }) {
  const people = usePeople([project.ownerId, ...project.members.map((m) => m.userId)]);
  return html`<dl class="facts">
    <dt>${labels.description}</dt><dd class="prose">${project.description || "–"}</dd>
    <dt>${labels.ownerId}</dt><dd><bdi>${people.name(project.ownerId)}</bdi></dd>
    <dt>${labels.members}</dt><dd>${project.members.length === 0 ? "–" : html`<ul class="plain">${project.members.map((m) => html`<li>
      <bdi>${people.name(m.userId)}</bdi> (${texts.memberRoles[m.role]})</li>`)}</ul>`}</dd>
    ${isStaff() ? html`<dt>${labels.settings}</dt><dd>${objectField.show(project.settings)}</dd>
      <dt>${labels.metadata}</dt><dd>${objectField.show(project.metadata)}</dd>` : null}
  </dl>`;
}

/** @param {Props} props */
function Edit({ resource, reload }) {
  const { values, set, action, differences } = useDraft({
    path, parameters: { projectId: resource.data.id }, resource, ...projectForm,
    onSaved: () => {
      announce(strings.users.saved);
      reload();
    },
  });
  return html`<${Form} submit=${strings.common.save} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}>
    <${Differences} differences=${differences} labels=${labels} />
    <${ProjectFields} values=${values} set=${set} problem=${action.problem} />
  <//>`;
}

/** @param {Props} props */
function Archive({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const { id, name } = resource.data;
  const act = async () => {
    await explainConflict(put(path, { path: { projectId: id }, headers: { "If-Match": resource.etag }, body: { status: "archived" } }));
    announce(texts.wasArchived(name));
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  return html`<${Button} onClick=${() => setAsking(true)}>${texts.archive}<//>
    ${isAsking ? html`<${ConfirmDialog} title=${texts.archiveTitle(name)} confirm=${texts.archive} act=${act} onClose=${close}>
      <p>${texts.archiveText}</p>
    <//>` : null}`;
}

/** @param {Props} props */
function Danger({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const { id, name } = resource.data;
  const act = async () => {
    await explainConflict(remove(path, { path: { projectId: id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(name));
    navigate("/portal/projects");
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  return html`<${Section} title=${strings.users.danger}>
    <p>${texts.deleteIntro}</p>
    <${Button} kind="danger" onClick=${() => setAsking(true)}>${texts.delete}<//>
    ${isAsking ? html`<${ConfirmDialog} title=${texts.deleteTitle(name)} confirm=${texts.delete} act=${act} onClose=${close}>
      <p>${texts.deleteText}</p>
    <//>` : null}
  <//>`;
}
