package projects

import (
	"context"
	"encoding/json"

	"portside/shared/core/principal"
	"portside/shared/core/search"
)

// A user of a customer reads the projects of this customer. The vendor's staff alone changes projects, so the service
// does not check the customer when it creates, changes or deletes them. Settings and metadata are the vendor's: users
// of customers see empty objects.

// visibleTo returns what the caller gets of a project that was read.
func visibleTo(caller principal.Principal, p Project) (Project, error) {
	if !caller.Reaches(p.CustomerID) {
		return Project{}, ErrNotFound
	}
	if caller.CustomerID != "" {
		p.Settings, p.Metadata = json.RawMessage("{}"), json.RawMessage("{}")
	}
	return p, nil
}

// ReadUnchecked returns a project, or ErrNotFound, before the caller is known. Pass the project to VisibleTo before you
// show it.
func (s *Service) ReadUnchecked(ctx context.Context, id string) (Project, error) {
	return s.store.Get(ctx, id)
}

// VisibleTo returns the project if it exists for the caller, or ErrNotFound.
func (s *Service) VisibleTo(caller principal.Principal, project Project) (Project, error) {
	return visibleTo(caller, project)
}

// Get returns a project, or ErrNotFound if the caller sees none with the ID.
func (s *Service) Get(ctx context.Context, caller principal.Principal, id string) (Project, error) {
	project, err := s.store.Get(ctx, id)
	if err != nil {
		return Project{}, err
	}
	return visibleTo(caller, project)
}

// List returns one page of the projects that exist for the caller, in the order of creation.
func (s *Service) List(ctx context.Context, caller principal.Principal, query Query) (Page, error) {
	var exists bool
	if query.CustomerID, exists = within(caller, query.CustomerID); !exists {
		return Page{}, nil
	}
	return s.store.List(ctx, query)
}

// Search returns one page of the projects that exist for the caller and whose name matches. An empty customerID means
// all of them. Errors: those of Reader.Search.
func (s *Service) Search(ctx context.Context, caller principal.Principal, customerID string,
	query search.Query) (SearchPage, error) {
	customerID, exists := within(caller, customerID)
	if !exists {
		return SearchPage{}, nil
	}
	return s.store.Search(ctx, customerID, query)
}

// within limits a customer to what exists for the caller. It returns false if nothing of it does.
func within(caller principal.Principal, customerID string) (string, bool) {
	if customerID == "" {
		return caller.CustomerID, true
	}
	customerID = canonical(customerID)
	return customerID, caller.Reaches(customerID)
}
