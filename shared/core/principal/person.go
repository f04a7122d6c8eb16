package principal

// Person is a user as other domains need one: whom mail goes to, and for whom a credential is made.
type Person struct {
	ID      string
	Email   string
	Name    string
	Role    Role
	Active  bool  // whether the person's credentials may act
	Version int64 // of the user as it was read; 0 where it was read from a list
}
