package principal

// Person is what other domains need to know of a user, to send mail or to create a credential.
type Person struct {
	ID      string
	Email   string
	Name    string
	Role    Role
	Active  bool  // whether the person's credentials are valid
	Version int64 // version of the user that was read; 0 if it was read from a list
}
