// Which names do objects of all kinds carry?

export const LABEL_MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'swarm-operator';

/** On the Lease: the kinds that the leading operator works for, as JSON. */
export const ANNOTATION_KINDS = 'k8slab.info/kinds';

/** On any object of ours: pauses it, also when a spec held in Git does not. */
export const ANNOTATION_PAUSED = 'k8slab.info/paused';

/** On a SwarmGroup: with another value, a size that failed is tried again at once. */
export const ANNOTATION_RETRY = 'k8slab.info/retry';
