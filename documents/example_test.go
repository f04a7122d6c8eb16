package documents_test

import (
	"context"
	"errors"
	"fmt"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
	"portside/documents/offline"
)

const invoice = `# Invoice NW-2041

Northwind Tools Ltd

Invoice number: NW-2041
Due date: 30 June 2026

| Item    | Quantity | Price  |
|---------|----------|--------|
| Hammers | 12       | 180.00 |
| Nails   | 40       | 62.50  |

Total due: 242.50 EUR
`

// Read a file, print its blocks, and extract two values with the places in the text that they come from.
func Example() {
	ctx := context.Background()
	document, err := files.Read(ctx, documents.FromBytes([]byte(invoice)), documents.DefaultLimits())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("format:", document.Format)
	for _, block := range document.Blocks {
		fmt.Printf("%-9s %q\n", block.Kind, block.Text)
	}

	found, err := offline.New().Extract(ctx, document, answers.ExtractSettings{Variables: []answers.Variable{
		{Name: "total", Type: answers.Number, Description: "the total due"},
		{Name: "due_date", Type: answers.Date, Description: "the due date"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"total", "due_date"} {
		for _, evidence := range found.Evidence[name] {
			fmt.Printf("%s = %s, from %q at byte %d\n", name, found.Values[name].Text, evidence.Quote, evidence.Start)
		}
	}
	// Output:
	// format: markdown
	// heading   "Invoice NW-2041"
	// paragraph "Northwind Tools Ltd"
	// paragraph "Invoice number: NW-2041 Due date: 30 June 2026"
	// row       "Item\tQuantity\tPrice"
	// row       "Hammers\t12\t180.00"
	// row       "Nails\t40\t62.50"
	// paragraph "Total due: 242.50 EUR"
	// total = 242.5, from "242.50 EUR" at byte 147
	// due_date = 2026-06-30, from "30 June 2026" at byte 70
}

// A file that cannot be read returns an error with a message for the person who sent it.
func ExampleError() {
	_, err := files.Read(context.Background(), documents.FromBytes(nil), documents.DefaultLimits())
	fmt.Println(errors.Is(err, documents.ErrEmpty), documents.AsError(err).Message)
	// Output: true The file is empty.
}
