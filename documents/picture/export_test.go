package picture

// Prepare is what Read does without the time that a service gives it, which no test should depend on.
var Prepare = prepare
