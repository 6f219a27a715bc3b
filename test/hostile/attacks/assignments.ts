// What can an attacker write into a pool's ConfigMap, beside it, and into its annotations?
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { ANNOTATION_PAUSED, LABEL_MANAGED_BY, MANAGER } from '../../../src/core/labels.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_POOL,
  ANNOTATION_RESTARTED,
  ANNOTATION_WHEN_DELETED,
  LABEL_POOL,
} from '../../../src/pool/publish/config-map.ts';
import type { Random } from '../../sim/random.ts';
import type { Attack, Place, Tenant } from '../tenant.ts';

const KEY = 'config.yml';
const published = ({ name }: Place): string => `${name}-assignments`;
const marks = [
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
  ANNOTATION_WHEN_DELETED,
];
const versions = [
  '1000000000000',
  '999999999999',
  '1000000000001',
  '9007199254740993',
  '-1',
  '1.5',
  '1e308',
  '.inf',
  '"9"',
  '0',
  '2000000',
];

const one = (version: string, own = version): string =>
  `format: 1\nversion: ${version}\nworkloads:\n  x-0: {jobs: [a], version: ${own}}\n`;

const sharedJobs = (): string => {
  const jobs = Array.from({ length: 60_000 }, (_, index) => `j${index}`).join(', ');
  const workers = Array.from(
    { length: 20_000 },
    (_, index) => `  w-${index + 1}: {jobs: *j, version: 1}`,
  ).join('\n');
  return `format: 1\nversion: 1\nworkloads:\n  w-0: {jobs: &j [${jobs}], version: 1}\n${workers}\n`
    .slice(0, 1_000_000)
    .replace(/\n[^\n]*$/, '\n');
};

const texts: readonly ((random: Random) => string)[] = [
  sharedJobs,
  (random) => one(random.pick(versions)),
  (random) => one('9', random.pick(versions)),
  () =>
    `format: 1\nversion: 1\nworkloads:\n${Array.from({ length: 30_000 }, (_, index) => `  w-${index}: {jobs: [], version: 1}`).join('\n')}\n`,
  () =>
    `format: 1\nversion: 1\nworkloads: {}\nslots:\n${Array.from({ length: 40_000 }, (_, index) => `  ${2_147_483_647 - index}: {jobs: []}`).join('\n')}\n`,
  () =>
    `format: 1\nversion: 1\nworkloads:\n  w-0: {version: 1, jobs: [${'a,'.repeat(450_000)}b]}\n`,
  () =>
    `format: 1\nversion: 1\nworkloads:\n  __proto__: {jobs: [a], version: 1}\n  constructor: {jobs: [__proto__], version: 1, parameters: {__proto__: {a: b}}}\n`,
  () => '['.repeat(900_000),
  () => `${'? '.repeat(300_000)}a`,
  () => `${'\n'.repeat(900_000)}x`,
  (random) =>
    `format: ${random.pick(['2', '1e9', '"1"', '[1]', '~'])}\nversion: 1\nworkloads: {}\n`,
  () => 'format: 1\nversion: 1\nworkloads: &w {x-0: {jobs: [a], version: 1, releasing: *w}}\n',
];

/** As if the operator had written it. */
async function overwrite(tenant: Tenant, place: Place, text: string): Promise<void> {
  const labels = { [LABEL_POOL]: place.name, [LABEL_MANAGED_BY]: MANAGER };
  await tenant.write(kinds.ConfigMap, place.namespace, published(place), {
    metadata: { labels },
    data: { [KEY]: text },
  });
}

const content: Attack = {
  kind: 'published-text',
  run: async (tenant, place) => {
    await tenant.wellBefore(place, { handoff: { type: 'AtLeastOnce' } });
    await overwrite(tenant, place, place.random.pick(texts)(place.random));
    return [];
  },
};

const before: Attack = {
  kind: 'published-before-the-pool',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.remove(kinds.SwarmPool, namespace, name);
    await overwrite(tenant, place, random.pick(texts)(random));
    await tenant.wellBefore(place);
    return [];
  },
};

const strangeMarks = (random: Random): string =>
  random.pick([
    '..',
    '../../../api/v1/namespaces/kube-system/secrets',
    '.',
    '',
    '/',
    '%2e%2e',
    'a?b=c#d',
    'x'.repeat(5_000),
    '\u0000\ud800',
    'null',
    '[]',
    '{}',
    '{"version":1000000000000}',
    '{"version":1000000000000,"moves":1e9,"reason":"x","publishTime":"x","digest":"x"}',
    `${'['.repeat(100_000)}`,
    JSON.stringify(Array.from({ length: 30_000 }, (_, index) => `w-${index}`)).slice(0, 240_000),
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`w-${index}`, 1e12])),
    ),
    '{"__proto__":{"a":1},"constructor":1e999}',
    'w-0,w-1,'.repeat(20_000),
    '🐝'.repeat(10_000),
  ]);

const annotations: Attack = {
  kind: 'marks-on-the-published',
  run: async (tenant, place) => {
    const { namespace, random } = place;
    await tenant.wellBefore(place);
    const on = [random.pick(marks), random.pick(marks)];
    const given = Object.fromEntries(
      on.map((mark) => [mark, strangeMarks(random).slice(0, 120_000)]),
    );
    await tenant.patch(kinds.ConfigMap, namespace, published(place), {
      metadata: { annotations: given },
    });
    return [];
  },
};

const movedTo: Attack = {
  kind: 'mark-moved-to',
  run: async (tenant, place) => {
    const { namespace, random } = place;
    await tenant.wellBefore(place);
    const to = random.pick(['..', '.', '../x', '', `${place.name}-assignments`, 'x/y']);
    await tenant.patch(kinds.ConfigMap, namespace, published(place), {
      metadata: { annotations: { [ANNOTATION_MOVED_TO]: to } },
    });
    return [];
  },
};

const poolAnnotations: Attack = {
  kind: 'annotations-of-pools',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    const given = Object.fromEntries(
      [ANNOTATION_PAUSED, ANNOTATION_POOL, random.pick(marks)].map((mark) => [
        mark,
        strangeMarks(random).slice(0, 80_000),
      ]),
    );
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      metadata: { annotations: given, labels: { [LABEL_POOL]: name } },
    });
    return [];
  },
};

/** Each looks like another ConfigMap of the pool. */
const lookalikes: Attack = {
  kind: 'labelled-config-maps',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    for (let index = 0; index < 30 && !tenant.isEnding; index += 1) {
      const labels = { [LABEL_POOL]: name };
      const given = random.chance(0.5)
        ? { [random.pick(marks)]: strangeMarks(random).slice(0, 20_000) }
        : {};
      const data = { [random.pick([KEY, 'config-0.yml', 'x'])]: one(random.pick(versions)) };
      await tenant.write(kinds.ConfigMap, namespace, `${name}-${index}`, {
        metadata: { labels, annotations: given },
        data,
      });
    }
    return [];
  },
};

const tugOfWar: Attack = {
  kind: 'tug-of-war',
  run: async (tenant, place) => {
    await tenant.wellBefore(place);
    for (let round = 0; round < 15 && !tenant.isEnding; round += 1) {
      if (place.random.chance(0.5))
        await tenant.remove(kinds.ConfigMap, place.namespace, published(place));
      else await overwrite(tenant, place, one(String(round + 1)));
      await tenant.pause(place.random.between(0, 100));
    }
    return [];
  },
};

const foreignKey: Attack = {
  kind: 'somebody-elses-config-map',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    const configMapName = random.pick(['kube-root-ca.crt', `${name}-of-another`]);
    if (configMapName.endsWith('another'))
      await tenant.write(kinds.ConfigMap, namespace, configMapName, { data: { [KEY]: 'mine' } });
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      spec: { assignments: { configMapName } },
    });
    return [{ pool: `${namespace}/${name}`, says: 'Stalled' }];
  },
};

const podAnnotations: Attack = {
  kind: 'annotations-of-pods',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    for (const ordinal of [0, 1]) {
      const told = {
        version: Number(random.pick(['1000000000000', '999999999999', '3'])),
        uid: 'x',
        digest: 'x',
        attempt: 1e15,
      };
      const uid = await tenant.uidOf(kinds.Pod, namespace, `${name}-${ordinal}`);
      const text = random.pick([
        JSON.stringify({ ...told, uid }),
        JSON.stringify(told),
        strangeMarks(random),
      ]);
      await tenant.patch(kinds.Pod, namespace, `${name}-${ordinal}`, {
        metadata: { annotations: { [ASSIGNED_ANNOTATION]: text } },
      });
    }
    return [];
  },
};

export const assignmentAttacks: readonly Attack[] = [
  content,
  before,
  annotations,
  movedTo,
  poolAnnotations,
  lookalikes,
  tugOfWar,
  foreignKey,
  podAnnotations,
];
