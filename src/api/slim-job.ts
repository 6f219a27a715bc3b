// Which part of a SwarmJob is kept in memory? A small one is kept whole. For a large one, only the
// fields that are read while it waits and runs: the others are read again when its batch Job is
// created.
import { ANNOTATION_USER } from './job-user.ts';
import { asList, asRecord, dig, type KubeObject } from './objects.ts';
import { annotated, slimmed } from './slim.ts';
import { conflictsOf } from './swarm-job.ts';
import type { SlimJob } from './validate.ts';

/** The most characters, as JSON, of a spec that is kept whole: most jobs have some hundreds. */
const MOST_WHOLE = 4_096;
/**
 * The most characters of the fields that decide about its admission: requests, affinity and the
 * like.
 */
const MOST_SLIM = 16_384;
/** More than any queue offers: a quota names fifteen. */
const MOST_RESOURCES = 32;

export function slimSwarmJob(object: KubeObject): KubeObject {
  if ((object as SlimJob).isSlim === true) return object;
  const { metadata, spec, status } = object;
  const { generation = 0, creationTimestamp = '' } = metadata;
  const noted = annotated(metadata, ANNOTATION_USER);
  const about = { metadata: { generation, creationTimestamp, ...noted }, status, isSlim: true };
  const slim = slimSpec(spec);
  const tooLarge = tooLargeIn(slim.template.spec, slim.resources);
  if (tooLarge !== undefined) {
    const { template: _, resources: __, ...rest } = slim;
    return slimmed(object, { ...about, spec: rest, tooLarge });
  }
  if (JSON.stringify(spec ?? {}).length <= MOST_WHOLE) return slimmed(object, { ...about, spec });
  return slimmed(object, { ...about, spec: slim, isWithheld: true });
}

/** Why these requests are not read; undefined: they are. */
export function tooLargeIn(podSpec: unknown, others?: unknown): string | undefined {
  const characters = JSON.stringify([podSpec ?? {}, others ?? {}]).length;
  if (characters > MOST_SLIM)
    return `what its pods request, and their affinity, have ${characters} characters; allowed are ${MOST_SLIM}`;
  const containers = ['initContainers', 'containers'].flatMap((it) => asList(dig(podSpec, it)));
  const requesting = [...containers.map((it) => dig(it, 'resources')), others];
  const resources = new Set(
    requesting.flatMap((it) => [
      ...Object.keys(asRecord(dig(it, 'requests')) ?? {}),
      ...Object.keys(asRecord(dig(it, 'limits')) ?? {}),
    ]),
  );
  return resources.size > MOST_RESOURCES
    ? `its pods name ${resources.size} resources; allowed are ${MOST_RESOURCES}`
    : undefined;
}

type SlimSpec = { readonly template: { readonly spec: object }; readonly resources?: unknown };

/** The fields that core/pod-requests.ts, the quotas and `templateConflict` read. */
function slimSpec(spec: unknown): SlimSpec {
  const { command: _, args: __, workingDir: ___, env: ____, ...rest } = asRecord(spec) ?? {};
  const { workerCommand: _____, ...launcher } = asRecord(rest['launcher']) ?? {};
  const podSpec = asRecord(dig(spec, 'template', 'spec')) ?? {};
  const { initContainers, containers, overhead, resources, affinity } = podSpec;
  const { activeDeadlineSeconds, priorityClassName, runtimeClassName, resourceClaims } = podSpec;
  const { terminationGracePeriodSeconds } = podSpec;
  const kept = { overhead, resources, affinity, activeDeadlineSeconds, priorityClassName };
  return {
    ...rest,
    ...(rest['launcher'] !== undefined && { launcher }),
    template: {
      spec: {
        ...present({ ...kept, runtimeClassName, resourceClaims, terminationGracePeriodSeconds }),
        ...conflictsOf(podSpec),
        ...(initContainers !== undefined && {
          initContainers: asList(initContainers).map(slimContainer),
        }),
        ...(containers !== undefined && { containers: asList(containers).map(slimContainer) }),
      },
    },
  };
}

const slimContainer = (container: unknown): object => {
  const { name, restartPolicy } = asRecord(container) ?? {};
  const { requests, limits } = asRecord(dig(container, 'resources')) ?? {};
  const resources = present({ requests, limits });
  return {
    ...present({ name, restartPolicy }),
    ...(Object.keys(resources).length > 0 && { resources }),
    ...conflictsOf(container),
  };
};

const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
