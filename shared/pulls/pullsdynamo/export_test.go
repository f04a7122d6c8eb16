package pullsdynamo

import "portside/shared/core/retry"

// Impatient returns a store that does not wait for other writers, so that they take over each other's pulls often.
func (s *Store) Impatient() *Store {
	hasty := *s
	hasty.patience = retry.Policy{Attempts: 1}
	return &hasty
}
