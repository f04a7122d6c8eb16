package picture

// Prepare exposes prepare.
var Prepare = prepare
