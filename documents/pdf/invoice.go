package pdf

import (
	"context"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
	"portside/documents/text"
)

// invoiceNames are the names, in lower case, that Factur-X, ZUGFeRD and Order-X give to the XML of an e-invoice.
var invoiceNames = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"}

const (
	maxNameNodes   = 1_000 // of the name tree
	maxAttachments = 1_000
)

// addInvoice adds the values of an embedded e-invoice in front of the pages. It ignores a damaged e-invoice and does
// not report the damage, because the pages show the same values.
func addInvoice(ctx context.Context, file *xref.File, into *documents.Builder) error {
	for _, o := range attachments(file) {
		stream := invoiceStream(file.Objects, file.Objects.Dict(o))
		if stream == nil {
			continue
		}
		damage := *file.Damage
		data, err := file.Decoder.Decode(stream)
		isWhole := err == nil && (damage.Lost || !file.Damage.Lost)
		*file.Damage = damage
		if budget.IsFinal(err) && ctx.Err() != nil {
			return err
		}
		if !isWhole {
			return nil
		}
		return text.AddEmbeddedInvoice(ctx, data, into)
	}
	return nil
}

// invoiceStream returns the data of an attachment that is named as an e-invoice, or nil.
func invoiceStream(objects syntax.Resolver, attachment syntax.Dict) *syntax.Stream {
	isInvoice := func(key string) bool {
		return slices.Contains(invoiceNames, strings.ToLower(objects.Text(attachment[key])))
	}
	if !isInvoice("UF") && !isInvoice("F") {
		return nil
	}
	data := objects.Dict(attachment["EF"])
	if s := objects.Stream(data["F"]); s != nil {
		return s
	}
	return objects.Stream(data["UF"])
}

// attachments returns the files that are attached to the document: associated files, and then the name tree of embedded
// files.
func attachments(file *xref.File) []any {
	objects, catalog := file.Objects, file.Catalog()
	associated := objects.Array(catalog["AF"])
	found := slices.Clone(associated[:min(len(associated), maxAttachments)])
	open := []any{objects.Dict(catalog["Names"])["EmbeddedFiles"]}
	for nodes := 0; len(open) > 0 && nodes < maxNameNodes && len(found) < 2*maxAttachments &&
		file.Budget.HasWork(); nodes++ {
		node := objects.Dict(open[0])
		names, kids := objects.Array(node["Names"]), objects.Array(node["Kids"])
		for i := 1; i < min(len(names), 2*maxAttachments); i += 2 { // a name comes before each file
			found = append(found, names[i])
		}
		open = append(open[1:], kids[:max(0, min(len(kids), maxNameNodes-len(open)))]...)
	}
	return found
}
