package resources

import (
	"bytes"
	"encoding/json"
	"net/mail"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// customerFlags are the flags that both create and update have.
type customerFlags struct {
	slug, status, externalID, metadata string
	contacts                           []string
	usersLimit, requestsLimit          int64
}

func (f *customerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.slug, "slug", "", "unique `SLUG`: lower-case letters and digits, in words joined by hyphens")
	c.Flags().StringVar(&f.status, "status", "", "`STATUS`: active or suspended")
	c.Flags().StringVar(&f.externalID, "external-id", "", "unique `ID` in another system")
	c.Flags().StringArrayVar(&f.contacts, "contact", nil, "`CONTACT` as \"NAME <EMAIL>\"; can be repeated")
	c.Flags().Var((*cli.WholeNumber)(&f.usersLimit), "users-limit", "at most `N` users; 0 means no limit")
	c.Flags().Var((*cli.WholeNumber)(&f.requestsLimit), "requests-limit",
		"at most `N` requests per minute of all users together; 0 means no limit")
	c.Flags().StringVar(&f.metadata, "metadata", "", "`JSON` object to store with the customer")
	cli.Complete(c, "status", customerStates...)
}

// people returns the contacts, or nil if the flag is not set. One empty contact stands for none.
func (f *customerFlags) people() (*[]client.ContactInput, error) {
	if f.contacts == nil {
		return nil, nil //nolint:nilnil // an unset flag is not an error
	}
	all := []client.ContactInput{}
	if len(f.contacts) == 1 && f.contacts[0] == "" {
		return &all, nil
	}
	for _, text := range f.contacts {
		parsed, err := mail.ParseAddress(text)
		if err != nil {
			return nil, cli.UsageErrorf("--contact: %q is not of the form \"NAME <EMAIL>\"", text)
		}
		all = append(all, client.ContactInput{Name: cli.Optional[string](parsed.Name), Email: parsed.Address})
	}
	return &all, nil
}

// object returns the metadata, or nil if the flag is not set.
func (f *customerFlags) object() (map[string]any, error) {
	if f.metadata == "" {
		return nil, nil //nolint:nilnil // an unset flag is not an error
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(f.metadata)))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil || decoder.More() {
		return nil, cli.UsageError("--metadata must be a JSON object")
	}
	return object, nil
}

// pointerTo returns a pointer to an object, or nil for none.
func pointerTo(object map[string]any) *map[string]any { //nolint:gocritic // the type of the generated client
	if object == nil {
		return nil
	}
	return &object
}

// limits returns the limits of the flags that are set, or nil if none is.
func (f *customerFlags) limits(c *cobra.Command) *client.CustomerLimitsInput {
	var limits client.CustomerLimitsInput
	if c.Flags().Changed("users-limit") {
		limits.Users = &f.usersLimit
	}
	if c.Flags().Changed("requests-limit") {
		limits.RequestsPerMinute = &f.requestsLimit
	}
	if limits == (client.CustomerLimitsInput{}) {
		return nil
	}
	return &limits
}
