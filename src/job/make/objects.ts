// Which objects does the operator create for a job? An Indexed Job, and for more than one rank a
// headless Service and a ConfigMap with the hosts.
import {
  ANNOTATION_ATTEMPT,
  ANNOTATION_GRANT,
  ANNOTATION_LAUNCHER,
  ANNOTATION_RAN,
  ANNOTATION_SIGNAL,
  LABEL_JOB,
  LABEL_QUEUE,
} from '../../api/batch-job.ts';
import { fingerprint } from '../../api/fingerprint.ts';
import { apiVersionOf, type Kind, kinds } from '../../api/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../api/objects.ts';
import type { OwnMeta } from '../../api/own-object.ts';
import { hasLeader } from '../../api/swarm-job.ts';
import type { SwarmJob, SwarmJobSpec } from '../../api/validate.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../../core/labels.ts';
import { HOSTS_KEY, hostsName, hostsOf } from './hosts.ts';
import { podTemplate } from './pod-template.ts';
import { needsStart, START_KEY, startScript } from './start-script.ts';

/** On the ConfigMap of a job: for which contents it was written. */
export const ANNOTATION_CONTENTS = 'k8slab.info/contents';

type Meta = Pick<OwnMeta, 'name' | 'namespace' | 'uid'>;
type Made = { readonly meta: Meta; readonly spec: SwarmJobSpec };

type Attempt = {
  readonly grant: number;
  readonly attempt: number;
  readonly ranSeconds: number;
  /** The time until the ranks get their signal; undefined: the job has no deadline. */
  readonly leftSeconds: number | undefined;
  /** The time from the signal to the deadline; 0: the grace period of the template. */
  readonly signalSeconds: number;
};

export function batchJobObject({ meta, spec }: Made, attempt: Attempt): KubeObject {
  const annotations = {
    [ANNOTATION_GRANT]: String(attempt.grant),
    [ANNOTATION_ATTEMPT]: String(attempt.attempt),
    [ANNOTATION_RAN]: String(attempt.ranSeconds),
    ...(hasLeader(spec) && { [ANNOTATION_LAUNCHER]: spec.launcher.type }),
    ...(attempt.signalSeconds > 0 && { [ANNOTATION_SIGNAL]: String(attempt.signalSeconds) }),
  };
  return {
    ...head(kinds.Job, meta, spec, meta.name, annotations),
    spec: {
      suspend: true,
      completionMode: 'Indexed',
      completions: spec.size,
      parallelism: spec.size,
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      // The reason of the Job's condition then distinguishes a disruption from an exit code.
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      ...(hasLeader(spec) && { successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
      ...(attempt.leftSeconds !== undefined && { activeDeadlineSeconds: attempt.leftSeconds }),
      template: podTemplate(meta, spec, labelsOf(meta, spec), attempt),
    },
  };
}

export const serviceObject = ({ meta, spec }: Made): KubeObject => ({
  ...head(kinds.Service, meta, spec, meta.name, {}),
  spec: {
    clusterIP: 'None',
    // Ranks find each other before they are Ready.
    publishNotReadyAddresses: true,
    selector: selectorOf(meta.name),
  },
});

export const hostsObject = ({ meta, spec }: Made): KubeObject => ({
  ...head(kinds.ConfigMap, meta, spec, hostsName(meta.name), contentsNote(spec)),
  data: hostsData(meta.name, spec),
});

/** The patch that writes other contents into the ConfigMap. */
export const hostsPatch = (job: string, spec: SwarmJobSpec): object => ({
  metadata: { annotations: contentsNote(spec) },
  data: hostsData(job, spec),
});

const contentsNote = (spec: SwarmJobSpec): Readonly<Record<string, string>> => ({
  [ANNOTATION_CONTENTS]: contentsOf(spec),
});

/** A text that differs for different contents: "4", or "4 start 0d5b8c12fa03". */
export const contentsOf = (spec: SwarmJobSpec): string =>
  needsStart(spec) ? `${spec.size} ${START_KEY} ${startVersion}` : String(spec.size);

/** A later version of the operator may have another script. */
const startVersion = fingerprint(startScript);

const hostsData = (job: string, spec: SwarmJobSpec): Readonly<Record<string, string>> => ({
  [HOSTS_KEY]: `${hostsOf(job, spec.size).join('\n')}\n`,
  ...(needsStart(spec) && { [START_KEY]: startScript }),
});

/**
 * The text in `taken` (world.ts) for a foreign object with the name of one of the job's objects.
 */
export const takenText = (kind: string, name: string): string => `${kind} ${name}`;

const selectorOf = (job: string): Readonly<Record<string, string>> => ({ [LABEL_JOB]: job });

export const selectorText = ({ meta }: Pick<SwarmJob, 'meta'>): string =>
  `${LABEL_JOB}=${meta.name}`;

export function labelsOf(
  { name }: Meta,
  { queueName }: SwarmJobSpec,
): Readonly<Record<string, string>> {
  return { [LABEL_MANAGED_BY]: MANAGER, [LABEL_JOB]: name, [LABEL_QUEUE]: queueName };
}

function head(
  kind: Kind,
  meta: Meta,
  spec: SwarmJobSpec,
  name: string,
  annotations: Readonly<Record<string, string>>,
): { readonly apiVersion: string; readonly kind: string; readonly metadata: ObjectMeta } {
  const owner = {
    apiVersion: apiVersionOf(kinds.SwarmJob),
    kind: kinds.SwarmJob.kind,
    name: meta.name,
    uid: meta.uid,
    controller: true,
  };
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name,
      namespace: meta.namespace,
      labels: labelsOf(meta, spec),
      annotations,
      ownerReferences: [owner],
    },
  };
}
