// The commands that pull an image or chart from the registry, filled in. docs/install.md explains them.

/**
 * @param {{repository: string, reference: string, digest: string, isChart: boolean, version?: string}} what
 * @param {{host: string, isPlain: boolean}} [site] isPlain: without TLS, as on a developer's machine
 * @returns {{name: string, title: string, text: string}[]}
 */
export function pullCommands(what, site = { host: location.host, isPlain: location.protocol === "http:" }) {
  const { repository, reference, digest, isChart } = what;
  const base = `${site.host}/${repository}`;
  const image = base + (reference.includes(":") ? "@" : ":") + reference;
  const pinned = `${base}@${digest}`;
  const insecure = site.isPlain ? " --tls-verify=false" : "";
  const plain = site.isPlain ? " --plain-http" : "";
  const general = [
    { name: "skopeo", title: "skopeo", text: `skopeo inspect${insecure} docker://${image}` },
    { name: "crane", title: "crane", text: `crane${site.isPlain ? " --insecure" : ""} manifest ${image}` },
    { name: "oras", title: "ORAS", text: `oras pull${plain} ${image}\noras discover${plain} ${pinned}` },
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
        "spec:", "  imagePullSecrets:", "    - name: portside-pull", "  containers:", `    - name: ${repository.split("/").at(-1)}`, `      image: ${pinned}`,
      ].join("\n"),
    },
  ];
}
