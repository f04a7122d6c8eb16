// The commands with which customers pull charts and images, filled in for this service. docs/install.md has the same
// commands and explains them. No command contains a secret: all read it from a file that only its owner can read.

/**
 * @typedef {object} Login
 * @property {string} username
 * @property {string} file where the commands read the token or password
 * @property {string[]} scopes
 * @property {{name: string, version: string}} [chart] an example
 */

/** @typedef {{name: string, title: string, text: string}} Command */

/** The file with a token on the machine of the user. */
export const tokenFile = "~/.portside/token";

/** The file with a password on the machine of the user. */
export const passwordFile = "~/.portside/password";

/** @typedef {{host: string, origin: string, isPlain: boolean}} Site isPlain: without TLS, as on a developer's machine */

/**
 * The address of the service in commands. On a developer's machine, the portal and the storage are both on localhost, and
 * clients would send the portal's login to the storage, which rejects it. Clients treat 127.0.0.1 as a different host.
 * @returns {Site}
 */
export function site() {
  const host = location.host.replace(/^localhost(?=:|$)/, "127.0.0.1");
  return { host, origin: `${location.protocol}//${host}`, isPlain: location.protocol === "http:" };
}

/** Whether the portal runs on a developer's machine. */
export function isLocal() {
  return ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
}

/** @param {string[]} scopes */
export function includesCharts(scopes) {
  return scopes.some((s) => s.startsWith("read:helm-charts"));
}

/** @param {string[]} scopes */
export function includesImages(scopes) {
  return scopes.some((s) => s.startsWith("read:docker-images"));
}

/**
 * The command that stores a secret in the file. The user pastes the secret.
 * @param {Login} login
 */
export function saveCommand({ file }) {
  return `umask 077 && mkdir -p ~/.portside && cat > ${file}`;
}

/**
 * The commands for each client that the login's scopes permit.
 * @param {Login} login
 * @returns {Command[]}
 */
export function commands(login) {
  const all = [];
  if (includesCharts(login.scopes)) all.push(helm(login, site()));
  if (includesImages(login.scopes)) all.push(...imageClients(login, site()), kubernetes(login, site()));
  return all;
}

/**
 * @param {Login} login
 * @param {Site} site
 */
function helm({ username, file, chart = { name: "CHART", version: "VERSION" } }, { host, origin, isPlain }) {
  const plain = isPlain ? " --plain-http" : "";
  return { name: "helm", title: "Helm", text: [
    `helm repo add vendor ${origin}/charts --username ${username} --password-stdin < ${file}`,
    "helm repo update",
    "helm search repo vendor/ --versions",
    `helm pull vendor/${chart.name} --version ${chart.version}`,
    "",
    "# charts in the registry",
    `helm registry login ${host} --username ${username} --password-stdin${plain} < ${file}`,
    `helm pull oci://${host}/charts/${chart.name} --version ${chart.version}${plain}`,
  ].join("\n") };
}

/**
 * @param {Login} login
 * @param {Site} site
 * @returns {Command[]}
 */
function imageClients({ username, file }, { host, isPlain }) {
  const login = `--username ${username} --password-stdin`;
  const insecure = isPlain ? " --tls-verify=false" : "";
  const plain = isPlain ? " --plain-http" : "";
  const image = `${host}/IMAGE`;
  const list = [
    ["docker", "Docker", `docker login ${login} ${host} < ${file}`, `docker pull ${image}:TAG`],
    ["podman", "Podman", `podman login ${login}${insecure} ${host} < ${file}`, `podman pull${insecure} ${image}:TAG`],
    ["skopeo", "skopeo", `skopeo login ${login}${insecure} ${host} < ${file}`, `skopeo inspect${insecure} docker://${image}:TAG`],
    ["crane", "crane", `crane auth login ${host} ${login} < ${file}`, `crane ls ${image}`, `crane digest ${image}:TAG`],
    ["oras", "ORAS", `oras login ${login}${plain} ${host} < ${file}`, `oras repo tags${plain} ${image}`,
      `oras copy${isPlain ? " --from-plain-http" : ""} ${image}:TAG --to-oci-layout IMAGE:TAG`],
  ];
  return list.map(([name, title, ...lines]) => ({ name, title, text: lines.join("\n") }));
}

/**
 * @param {Login} login
 * @param {Site} site
 */
function kubernetes({ username, file }, { host }) {
  return { name: "kubernetes", title: "Kubernetes", text: [
    "kubectl create secret docker-registry portside-pull --namespace NAMESPACE \\",
    `  --docker-server=${host} --docker-username=${username} --docker-password="$(cat ${file})"`,
    "",
    "# let every pod of the namespace use it",
    "kubectl patch serviceaccount default --namespace NAMESPACE -p '{\"imagePullSecrets\": [{\"name\": \"portside-pull\"}]}'",
  ].join("\n") };
}

/**
 * The manifest of an imagePullSecret, which contains the secret.
 * @param {{username: string, secret: string}} login
 */
export function pullSecret({ username, secret }) {
  const config = JSON.stringify({ auths: { [site().host]: { username, password: secret } } });
  return `apiVersion: v1
kind: Secret
metadata:
  name: portside-pull
type: kubernetes.io/dockerconfigjson
stringData:
  .dockerconfigjson: '${config.replaceAll("'", "''")}'
`;
}
