package media

// Copied is what Spool does with its file.
var Copied = copied
