// Who submitted a SwarmJob, or a batch Job with the label of a queue?
export const ANNOTATION_USER = 'k8slab.info/user';

/** Empty: the job names no user. */
export const userIn = (annotations: Readonly<Record<string, string>> = {}): string =>
  annotations[ANNOTATION_USER] ?? '';
