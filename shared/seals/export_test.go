package seals

// MaxEvents is the limit of events of an object.
const MaxEvents = maxEvents
