package media

// CopyToDisk is the part of Spool that copies, so that tests can choose the disk.
var CopyToDisk = copyToDisk
