package demo

import (
	"path/filepath"
	"strings"
)

// commandsText has commands to paste into a shell in the folder in which make runs. They read
// secrets from files, so that no secret appears in the shell's history.
const commandsText = `
Charts, to be run in this order (make clients installs helm and crane in .local/bin):
  helm repo add portside-demo API/charts --force-update --username demo --password-stdin < TOKEN
  helm search repo portside-demo/ --versions
  helm pull portside-demo/hello --version 1.0.0
  helm pull portside-demo/hello --version 1.1.0 --verify --keyring KEYRING
  helm template try portside-demo/hello --set image.registry=HOST
Charts from the registry:
  helm registry login HOST --plain-http --username demo --password-stdin < TOKEN
  helm pull oci://HOST/charts/hello --version 1.1.0 --plain-http
Images:
  docker login --username demo --password-stdin HOST < TOKEN && docker pull HOST/acme/hello:1.1.0
  podman pull --tls-verify=false --creds "demo:$(cat TOKEN)" HOST/acme/hello:1.1.0
  skopeo inspect --tls-verify=false --creds "demo:$(cat TOKEN)" docker://HOST/acme/hello:1.1.0
  crane auth login HOST --username demo --password-stdin < TOKEN
  crane --insecure ls HOST/acme/hello
  crane --insecure manifest HOST/acme/hello:1.1.0
List the pulls:
  curl -s -H "X-API-Key: $(cat ADMINKEY)" API/api/v1/pulls
More: docs/install.md
`

func (d *demo) commands() string {
	return strings.NewReplacer(
		"API-Key", "API-Key", // not a placeholder
		"ADMINKEY", d.file(adminKeyFile), "KEYRING", d.file(keyringFile), "TOKEN", d.file(tokenFile),
		"HOST", strings.TrimPrefix(d.info.API, "http://"), "API", d.info.API,
	).Replace(commandsText)
}

// file returns the shell-quoted path of a file in the data folder.
func (d *demo) file(name string) string { return shellQuoted(filepath.Join(d.Data, name)) }

func shellQuoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
