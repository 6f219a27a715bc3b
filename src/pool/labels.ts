// Which labels and annotations belong to a pool?

export const LABEL_POOL = 'k8slab.info/pool';

/** On a pool: the digest of `status.removal`, which confirms just that removal. */
export const ANNOTATION_CONFIRM_REMOVAL = 'k8slab.info/confirm-removal';
/** On a pool: which of its streams are to be restarted, see restarts.ts. */
export const ANNOTATION_RESTART = 'k8slab.info/restart';

/** On a ConfigMap made as a placeholder: this pool may take it over. */
export const ANNOTATION_POOL = 'k8slab.info/pool';
/** On a ConfigMap: its last change, so that a crash between two writes loses no line of history. */
export const ANNOTATION_CHANGE = 'k8slab.info/change';
/** On a ConfigMap: delete it with its pool (`assignments.whenDeleted: Delete`). */
export const ANNOTATION_WHEN_DELETED = 'k8slab.info/when-deleted';
/** On a ConfigMap that the pool has left: the ConfigMap where it is published now. */
export const ANNOTATION_MOVED_TO = 'k8slab.info/moved-to';
/** On a ConfigMap: UIDs of pods that only a restart brings up to date. */
export const ANNOTATION_OUTDATED = 'k8slab.info/outdated-pods';
/** On a ConfigMap: for which version a worker was restarted, and which pod that was. */
export const ANNOTATION_RESTARTED = 'k8slab.info/restarted';
/** On a ConfigMap: workers that were given streams and were never seen Ready. */
export const ANNOTATION_NEVER_READY = 'k8slab.info/never-ready';
