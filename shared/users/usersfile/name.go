package usersfile

import "portside/shared/core/text"

// maxShownName is how many characters of an unknown column or key an error has. A name can be as long as a row.
const maxShownName = 100

func shortened(name string) string { return text.Shorten(name, maxShownName) }
