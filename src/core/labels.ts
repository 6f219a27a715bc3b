// Which labels and annotations do objects of all kinds have?

export const LABEL_MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'swarm-operator';

/** On the Lease: the kinds that the leading operator works for, as JSON. */
export const ANNOTATION_KINDS = 'k8slab.info/kinds';

/** On the Lease: the namespaces that its holder watches, separated by commas; `*`: all. */
export const ANNOTATION_NAMESPACES = 'k8slab.info/namespaces';

/** On the Lease: the pod or process that holds it, for users. */
export const ANNOTATION_RUNS_AS = 'k8slab.info/runs-as';

/** On the Lease: `true` if its holder stops leading in favour of an operator with another Lease. */
export const ANNOTATION_YIELDS = 'k8slab.info/yields';

/** On any object of ours: pauses it, even if its spec is managed in Git. */
export const ANNOTATION_PAUSED = 'k8slab.info/paused';

/** On a SwarmGroup: with another value, a size that failed is tried again at once. */
export const ANNOTATION_RETRY = 'k8slab.info/retry';
