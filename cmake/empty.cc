// Keeps a target with no sources yet linkable.
