// Fuzzed: the operator's annotations on ConfigMaps and pods, which other clients may change.
import {
  ASSIGNED_ANNOTATION,
  HIGHEST_VERSION,
  readAssigned,
  writeAssigned,
} from '../../../src/api/assignment.ts';
import { isRecord } from '../../../src/api/objects.ts';
import { type ConfigMap, parseConfigMap } from '../../../src/api/observed.ts';
import { parseSwarmPool } from '../../../src/api/validate.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
  brokenAnnotations,
  type ChangeNote,
  changeOf,
  isEdited,
} from '../../../src/pool/publish/config-map.ts';
import { publishedNow } from '../../../src/pool/publish/published.ts';
import {
  ANNOTATION_RESTART,
  readRestarts,
  restartText,
} from '../../../src/pool/streams/restarts.ts';
import type { Published } from '../../../src/pool/world.ts';
import { mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';

const change: ChangeNote = {
  version: 9,
  moves: 2,
  reason: 'StreamsChanged',
  time: '2026-01-01T00:00:00Z',
  key: 'config.yml',
  digest: '0123456789abcdef',
  earlier: [{ version: 8, moves: 1, reason: 'WorkersChanged', time: '2026-01-01T00:00:00Z' }],
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** The API server allows only texts by name. */
function configMapWith(text: string): ConfigMap | undefined {
  const annotations: unknown = parsed(text);
  if (!isRecord(annotations) || !Object.values(annotations).every(isText)) return undefined;
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tv-assignments', annotations },
    data: { 'config.yml': 'x' },
  };
  return parseConfigMap(JSON.parse(JSON.stringify(object)));
}

function annotationsIn(text: string): Published | undefined {
  const configMap = configMapWith(text);
  return (
    configMap &&
    publishedNow([{ name: 'tv-assignments', key: 'config.yml', configMap, read: undefined }])
  );
}

function check(text: string): string {
  const configMap = configMapWith(text);
  if (configMap === undefined) return 'no annotations';
  const shard = { name: 'tv-assignments', key: 'config.yml', configMap, read: undefined };
  const published = publishedNow([shard]);
  mustBeSame(
    publishedNow([{ ...shard, configMap: { ...configMap } }]),
    published,
    'two readings differ',
  );
  isEdited(shard);
  const broken = brokenAnnotations(configMap);
  must(
    broken.includes(ANNOTATION_CHANGE) ||
      configMap.annotations[ANNOTATION_CHANGE] === undefined ||
      published.change !== undefined,
    'a change is neither read nor called broken',
  );
  for (const { version } of published.changes)
    must(version >= 1 && version <= HIGHEST_VERSION, 'a version is beyond its bounds');
  for (const { version, podUid } of Object.values(published.restarted))
    must(version >= 1 && version <= HIGHEST_VERSION && isText(podUid), 'a restart is unreadable');
  must([...published.outdatedPods, ...published.neverReady].every(isText), 'a name is no text');
  const note = changeOf(configMap);
  if (note !== undefined) {
    const again = changeOf({ annotations: { [ANNOTATION_CHANGE]: JSON.stringify(note) } });
    mustBeSame(
      JSON.stringify(again),
      JSON.stringify(note),
      'a change reads otherwise when it is written again',
    );
    mustStandInStatus(published.changes);
  }
  const assigned = readAssigned(configMap.annotations[ASSIGNED_ANNOTATION]);
  if (assigned !== undefined)
    mustBeSame(
      readAssigned(writeAssigned(assigned)),
      assigned,
      'what was assigned reads otherwise when it is written again',
    );
  const { tokens } = readRestarts(configMap.annotations[ANNOTATION_RESTART]);
  must(tokens.size <= 100, 'more streams are restarted than are allowed');
  must(
    [...tokens.values()].every((token) => token.length <= 64),
    'a token is too long',
  );
  mustBeSame(
    readRestarts(restartText(tokens)),
    { tokens, problem: undefined },
    'restarts read otherwise when they are written again',
  );
  const what = [
    note,
    assigned,
    published.outdatedPods.size > 0,
    published.neverReady.size > 0,
    Object.keys(published.restarted).length > 0,
    tokens.size > 0,
  ]
    .map(Boolean)
    .join();
  return what.includes('true') ? `ok ${what}` : 'nothing';
}

/**
 * With a change that does not match the schema, the API server would refuse every status of the
 * pool.
 */
function mustStandInStatus(
  changes: readonly {
    readonly version: number;
    readonly moves: number;
    readonly reason: string;
    readonly time: string;
  }[],
): void {
  const history = changes.map(({ version, moves, reason, time }) => ({
    version,
    moves,
    reason,
    publishTime: time,
  }));
  const object = {
    apiVersion: '',
    kind: 'SwarmPool',
    metadata: { name: 'tv' },
    status: { history },
  };
  must(
    parseSwarmPool(JSON.parse(JSON.stringify(object))).status !== undefined,
    'a change cannot stand in status',
    () => JSON.stringify(history),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const seed = {
  [ANNOTATION_CHANGE]: JSON.stringify(change),
  [ANNOTATION_OUTDATED]: '["u1","u2"]',
  [ANNOTATION_RESTART]: 'cars:new 2026-01-01T00:00:00Z\n\ntwo words t2\n',
  [ANNOTATION_RESTARTED]: '{"worker-0":{"version":3,"podUid":"u1"},"worker-1":2}',
  [ANNOTATION_NEVER_READY]: '["worker-1"]',
  [ANNOTATION_MOVED_TO]: 'elsewhere',
  [ASSIGNED_ANNOTATION]: writeAssigned({ version: 3, uid: 'u', digest: 'd', attempt: 2 }),
};

export const annotations: Target = {
  name: 'annotations',
  files: [
    'src/pool/publish/published.ts',
    'src/pool/publish/config-map.ts',
    'src/pool/streams/restarts.ts',
  ],
  guides: ['src/api/assignment.ts', 'src/api/generated/validators.cjs'],
  form: 'json',
  seeds: [
    JSON.stringify(seed),
    ...Object.entries(seed).map(([name, text]) => JSON.stringify({ [name]: text })),
  ],
  large: () => [
    JSON.stringify({
      [ANNOTATION_OUTDATED]: JSON.stringify(
        Array.from({ length: 6_000 }, (_, index) => `0b1c2d3e-0000-4000-8000-${index}`),
      ),
    }),
    JSON.stringify({
      [ANNOTATION_CHANGE]: JSON.stringify({
        ...change,
        earlier: Array.from({ length: 2_500 }, () => change.earlier[0]),
      }),
    }),
    JSON.stringify({ [ANNOTATION_CHANGE]: '['.repeat(250_000) }),
  ],
  words: [
    ...Object.keys(seed),
    ...Object.values(seed),
    '\\"version\\":',
    '\\"moves\\":',
    '\\"reason\\":',
    '\\"time\\":',
    '\\"earlier\\":',
    '\\"attempt\\":',
    '{\\"__proto__\\":3}',
    '{\\"version\\":1,\\"moves\\":1e999,\\"reason\\":\\"a\\",\\"time\\":\\"b\\"}',
  ],
  longest: 262_144,
  read: annotationsIn,
  check,
};
