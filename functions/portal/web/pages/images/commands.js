// The commands that pull an image or chart from the registry, filled in. docs/install.md explains them.

import { site } from "../../core/commands.js";

/**
 * @param {{repository: string, reference: string, digest: string, isChart: boolean, version?: string}} what
 * @returns {{name: string, title: string, text: string}[]}
 */
export function pullCommands(what) {
  const { repository, reference, digest, isChart } = what;
  const { host, isPlain } = site();
  const base = `${host}/${repository}`;
  const image = base + (reference.includes(":") ? "@" : ":") + reference;
  const pinned = `${base}@${digest}`;
  const insecure = isPlain ? " --tls-verify=false" : "";
  const plain = isPlain ? " --plain-http" : "";
  const fromPlain = isPlain ? " --from-plain-http" : "";
  const general = [
    { name: "skopeo", title: "skopeo", text: `skopeo inspect${insecure} docker://${image}` },
    { name: "crane", title: "crane", text: `crane${isPlain ? " --insecure" : ""} manifest ${image}` },
    { name: "oras", title: "ORAS", text: `oras copy${fromPlain} ${image} --to-oci-layout ${repository}\noras discover${plain} ${pinned}` },
  ];
  if (isChart) {
    const version = what.version ? ` --version ${what.version}` : "";
    return [{ name: "helm", title: "Helm", text: `helm pull oci://${base}${version}${plain}` }, ...general];
  }
  return [
    { name: "docker", title: "Docker", text: `docker pull ${image}\n\n# always the same bytes\ndocker pull ${pinned}` },
    { name: "podman", title: "Podman", text: `podman pull${insecure} ${image}\n\n# always the same bytes\npodman pull${insecure} ${pinned}` },
    ...general,
    {
      name: "kubernetes", title: "Kubernetes", text: [
        "spec:", "  imagePullSecrets:", "    - name: portside-pull",
        "  containers:", `    - name: ${repository.split("/").at(-1)}`, `      image: ${pinned}`,
      ].join("\n"),
    },
  ];
}
