// The pinned checksums of downloads; a file without one is not downloaded, but built.

/**
 * SHA-256 of released files, by their names from `releaseFileOf`; written by `node
 * scripts/pin-checksums.ts`, and compared with another source before it is committed: the server
 * that a file comes from cannot vouch for it. The versions stand in the names, so that new versions
 * have no checksums until they are pinned. None is pinned yet: the binaries are built with Go, and
 * the sums in tools/ vouch for the source.
 */
export const checksums: Readonly<Record<string, string>> = {};
