// The commands that fetch and install a version of a chart, filled in. docs/install.md explains them.

import { site } from "../../core/commands.js";

/**
 * @param {{name: string, version: string, signed: boolean}} chart
 * @returns {{name: string, text: string}[]}
 */
export function chartCommands({ name, version, signed }) {
  const reference = `vendor/${name} --version ${version}`;
  const verify = signed ? " --verify --keyring ~/.portside/keyring.gpg" : "";
  return [
    {
      name: "repository",
      text: `helm repo add vendor ${site().origin}/charts --username token --password-stdin < ~/.portside/token\nhelm repo update`,
    },
    { name: "pull", text: `helm pull ${reference}${verify}` },
    { name: "values", text: `helm show values ${reference} > values.yaml` },
    {
      name: "install",
      text: `helm upgrade --install ${name} ${reference}${verify} \\\n  --namespace ${name} --create-namespace --values values.yaml`,
    },
  ];
}
