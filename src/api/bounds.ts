// How much of what comes from outside is taken? Looked at before anything is parsed, built or written.

/**
 * Of one pool. A decision about so many takes a quarter of a second and 100 MiB, asking them all ten seconds; with three times as many it
 * takes a second, and the operator's heap.
 */
export const MOST_WORKERS = 10_000;
