// Package deployment has the template that a stack runs, and the region, account and keys of the stack's AWS.
package deployment

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"

	"portside/local/engines"
	"portside/local/iam"
	"portside/local/template"
)

// The functions' AWS settings. The keys are not secret, because the engines listen only on this
// machine.
const (
	Region          = engines.Region
	AccountID       = "000000000000"
	AccessKeyID     = "local"
	SecretAccessKey = "local-secret"
)

// ARN returns the ARN of a resource of the stack.
func ARN(service, resource string) string {
	return "arn:aws:" + service + ":" + Region + ":" + AccountID + ":" + resource
}

// Deployment has the current template. While the stack runs, each save of the file replaces it.
type Deployment struct {
	path    string
	options template.Options
	current atomic.Pointer[template.Stack]
}

// Addresses are the URLs of the stack's API for programs and for browsers.
type Addresses struct{ API, Portal string }

// New returns a deployment without a template. parameters override the template's parameters by name.
func New(repo string, a Addresses, parameters map[string]string) *Deployment {
	all := requiredParameters()
	if a.Portal != "" {
		all["BaseUrl"] = a.Portal
	}
	maps.Copy(all, parameters)
	return &Deployment{path: filepath.Join(repo, "template.yaml"), options: template.Options{
		Parameters: all,
		Region:     Region,
		AccountID:  AccountID,
		APIURL:     a.API,
	}}
}

// requiredParameters returns values for the parameters that have no default. The local registry has only the
// developer's images, and only pages on this machine can reach the stack.
func requiredParameters() map[string]string {
	return map[string]string{"ImageRepositories": "*", "CorsAllowOrigins": "*"}
}

// ReadTemplate reads the file of the template. It does not make the template current.
func (d *Deployment) ReadTemplate() (*template.Stack, error) { return template.Load(d.path, d.options) }

// SetTemplate makes a template current.
func (d *Deployment) SetTemplate(t *template.Stack) { d.current.Store(t) }

// Template returns the current template, or nil before the first SetTemplate.
func (d *Deployment) Template() *template.Stack { return d.current.Load() }

// HasSameParts reports whether a template has the same functions, tables and buckets as the current one.
func (d *Deployment) HasSameParts(t *template.Stack) bool {
	return slices.Equal(fixedParts(d.Template()), fixedParts(t))
}

// fixedParts returns texts for the parts that cannot change while the stack runs.
func fixedParts(t *template.Stack) []string {
	var list []string
	for _, f := range t.Functions {
		list = append(list, f.ID)
	}
	for _, table := range t.Tables {
		list = append(list, fmt.Sprintf("%+v", table))
	}
	for _, bucket := range t.Buckets {
		list = append(list, bucket.ID)
	}
	slices.Sort(list)
	return list
}

// Functions returns the logical IDs of all functions of the template.
func (d *Deployment) Functions() []string {
	var names []string
	for _, f := range d.Template().Functions {
		names = append(names, f.ID)
	}
	return names
}

// Function returns the function with a logical ID.
func (d *Deployment) Function(id string) (f template.Function, found bool) {
	for _, f := range d.Template().Functions {
		if f.ID == id {
			return f, true
		}
	}
	return template.Function{}, false
}

// FunctionOf returns the function whose role has the access key ID, or an empty text.
func (d *Deployment) FunctionOf(accessKeyID string) string {
	for _, f := range d.Template().Functions {
		if iam.NewSession(f.Role).AccessKeyID == accessKeyID {
			return f.ID
		}
	}
	return ""
}

// RoleOf returns the role of a function.
func (d *Deployment) RoleOf(function string) iam.Role {
	t := d.Template()
	for _, f := range t.Functions {
		i := slices.IndexFunc(t.Roles, func(r iam.Role) bool { return r.ID == f.Role })
		if f.ID == function && i >= 0 {
			return t.Roles[i]
		}
	}
	return iam.Role{}
}

// PartitionKey returns the partition key of an index of a table, or of the table itself if index is empty.
func (d *Deployment) PartitionKey(tableName, index string) string {
	for _, table := range d.Template().Tables {
		if table.Name != tableName {
			continue
		}
		if index == "" {
			return table.Keys[0].Name
		}
		for _, i := range slices.Concat(table.Global, table.Local) {
			if i.Name == index {
				return i.Keys[0].Name
			}
		}
	}
	return ""
}
