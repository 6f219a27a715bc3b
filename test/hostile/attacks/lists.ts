// What can a ConfigMap with a list of streams contain to harm the operator that reads it?
import { kinds } from '../../../src/api/kinds.ts';
import type { Random } from '../../sim/random.ts';
import type { Attack, Expected, Place, Tenant } from '../tenant.ts';

const KEY = 'list';
/** A ConfigMap holds a little more than a million bytes. */
const MOST_BYTES = 1_000_000;

const repeated = (text: string): string => text.repeat(Math.floor(MOST_BYTES / text.length));
const numbered = (prefix: string, bytes = MOST_BYTES): string => {
  const lines: string[] = [];
  for (let length = 0, index = 0; length < bytes - 16; index += 1) {
    const line = `${prefix}${index.toString(36)}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join('\n');
};

type Text = { readonly text: (random: Random) => string; readonly says: Expected['says'] };

const bad = (text: (random: Random) => string): Text => ({ text, says: 'Stalled' });
const any = (text: (random: Random) => string): Text => ({ text, says: 'truth' });

/** 128 texts of a kilobyte each, shared by thousands of streams. */
const sharedMap = (): string => {
  const values = Array.from(
    { length: 32 },
    (_, index) => `    p${index}: "${'v'.repeat(1_000)}"`,
  ).join('\n');
  const first = `- name: first\n  parameters: &shared\n${values}\n`;
  const others = Array.from(
    { length: 28_000 },
    (_, index) => `- {name: s${index}, parameters: *shared}`,
  ).join('\n');
  return (first + others).slice(0, MOST_BYTES).replace(/\n[^\n]*$/, '');
};

const laughs = (): string => {
  const levels = Array.from(
    { length: 40 },
    (_, level) => `  - &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
  );
  return `- &l0 [x]\n- name: x\n  parameters:\n${levels.join('\n')}\n`;
};

const strange = [
  '- !!js/function "function () { while (true) ; }"',
  '- !!binary AAAA',
  '- {name: x, parameters: {__proto__: {polluted: "yes"}}}\n- {name: __proto__}\n- {name: constructor, weight: 1}',
  '- &self [*self]',
  '- &self {name: x, parameters: *self}',
  '- {<<: {name: a}, <<: {name: b}}',
  '- ? {a: b}\n  : c',
  '- name: "\\u0000"',
  '- name: 2026-11-22\n- name: 0x7fffffff\n- name: .nan\n- name: ~',
  '%YAML 9.9\n---\n- a\n...\n---\n- b',
  '- name: a\n- name: a\n- name: a',
  '- {name: a, weight: 1e999}',
  '- {name: a, weight: -1, priority: 99999999999999999999}',
  '\t- a',
  '- "unfinished',
  '=\n=5\na=b=c\n=NaN',
];

const texts: Readonly<Record<string, Text>> = {
  'list-alias': bad(sharedMap),
  'list-names': any(() => numbered('n')),
  'list-laughs': bad(laughs),
  'list-depth': bad(
    (random) =>
      `- ${random.pick(['[', '{a: ', '- ', '? '])}`.repeat(1) +
      random.pick(['[', '{a: ', '- ']).repeat(250_000),
  ),
  'list-anchors': bad(() => numbered('- &a', MOST_BYTES)),
  'list-merge': bad(
    () =>
      `- &b {name: x}\n${Array.from({ length: 20_000 }, (_, index) => `- {<<: [*b, *b, *b], weight: ${index}}`).join('\n')}`,
  ),
  'list-blank': any(
    (random) =>
      `${random.pick(['\n', ' \n', '#\n', '\r\n', '\t\n']).repeat(random.pick([40, 400, 200_000]))}x`,
  ),
  'list-comments': any(
    (random) => `${repeated(random.pick([' #', '# ', ' # ', '#'])).slice(0, 900_000)}\r`,
  ),
  'list-flow': bad(() => `[${repeated('{},').slice(0, -1)}]`),
  'list-keys': bad(
    () => `- {${Array.from({ length: 80_000 }, (_, index) => `k${index}: 1`).join(', ')}}`,
  ),
  'list-long-name': bad(() => `- ${repeated('x')}`),
  'list-mistakes': bad(() => repeated('- {name: ""}\n')),
  'list-quoted': any(
    (random) => `- "${repeated(random.pick(['\\', '\\x41', '\n', ' \n', "''"]))}"`,
  ),
  'list-block': any(
    (random) =>
      `- |${random.pick(['', '9', '+'])}\n${repeated(random.pick([' \n', '  x\n', '\n']))}`,
  ),
  'list-strange': any((random) => random.pick(strange)),
};

async function lists(
  tenant: Tenant,
  { namespace, name }: Place,
  count: number,
  text: (index: number) => string,
): Promise<void> {
  for (let index = 0; index < count && !tenant.isEnding; index += 1)
    await tenant.write(kinds.ConfigMap, namespace, `${name}-${index}`, {
      data: { [KEY]: text(index) },
    });
  const streamsFrom = Array.from({ length: count }, (_, index) => ({
    configMapKeyRef: { name: `${name}-${index}`, key: KEY },
  }));
  await tenant.patch(kinds.SwarmPool, namespace, name, { spec: { streamsFrom } });
}

const single = Object.entries(texts).map(
  ([kind, { text, says }]): Attack => ({
    kind,
    run: async (tenant, place) => {
      await tenant.wellBefore(place);
      await lists(tenant, place, 1, () => text(place.random));
      return [{ pool: `${place.namespace}/${place.name}`, says }];
    },
  }),
);

const sixteen: Attack = {
  kind: 'list-sixteen',
  run: async (tenant, place) => {
    await tenant.wellBefore(place);
    await lists(tenant, place, 16, (index) => numbered(`${'abcdefghijklmnop'[index]}`));
    return [{ pool: `${place.namespace}/${place.name}`, says: 'Stalled' }];
  },
};

/** Within every bound, and as costly as possible. */
const costly: Attack = {
  kind: 'list-costly',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place, { assignments: { shards: random.pick([1, 10, 1_000]) } });
    const groups = random.pick([1, 500, 10_000, 50_000]);
    const heaviest = random.pick([1, 2, 97, 1_000]);
    const workers = random.pick([2, 100, 1_000, 9_900]);
    const line = (index: number): string =>
      `- {name: ${name.slice(0, 2)}${index}, weight: ${index % heaviest}, spreadGroup: g${index % groups}, priority: ${index % 7}}`;
    for (let round = 0; round < 3 && !tenant.isEnding; round += 1) {
      await lists(tenant, place, 4, (list) =>
        Array.from({ length: 14_000 }, (_, index) => line(14_000 * list + index + round)).join(
          '\n',
        ),
      );
      await tenant.patch(kinds.StatefulSet, namespace, name, {
        spec: { replicas: workers + round },
      });
    }
    return [];
  },
};

const vanishing: Attack = {
  kind: 'list-gone-and-back',
  run: async (tenant, place) => {
    await tenant.wellBefore(place);
    for (let round = 0; round < 4 && !tenant.isEnding; round += 1) {
      await lists(tenant, place, 1, () => numbered('r', 1_000 * (1 + round)));
      await tenant.remove(kinds.ConfigMap, place.namespace, `${place.name}-0`);
    }
    return [{ pool: `${place.namespace}/${place.name}`, says: 'NotReady' }];
  },
};

export const listAttacks: readonly Attack[] = [...single, sixteen, costly, vanishing];
