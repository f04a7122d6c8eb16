package demo

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
)

// signatures holds the signatures of archives and the key that verifies them.
type signatures struct {
	provenance map[string][]byte // by version
	publicKey  []byte
}

// sign signs archives by version with a temporary private key.
func sign(archives map[string][]byte) (signatures, error) {
	vendor, err := openpgp.NewEntity("Acme", "key of a demo", "releases@acme.example", nil)
	if err != nil {
		return signatures{}, err
	}
	var public bytes.Buffer
	if err := vendor.Serialize(&public); err != nil {
		return signatures{}, err
	}
	all := signatures{provenance: map[string][]byte{}, publicKey: public.Bytes()}
	for version, archive := range archives {
		if all.provenance[version], err = provenance(vendor, version, archive); err != nil {
			return signatures{}, fmt.Errorf("sign %s: %w", archiveName(version), err)
		}
	}
	return all, nil
}

// provenance returns the content of a .prov file: Chart.yaml and the archive's digest, signed.
func provenance(vendor *openpgp.Entity, version string, archive []byte) ([]byte, error) {
	metadata, err := chartFile(metadataFile, version)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	out, err := clearsign.Encode(&text, vendor.PrivateKey, nil)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(out, "%s\n...\nfiles:\n  %s: sha256:%x\n", metadata, archiveName(version), sha256.Sum256(archive))
	if err := errors.Join(err, out.Close()); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
