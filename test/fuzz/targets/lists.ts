// Fuzzed: a list of streams in a ConfigMap. It may have any author, and may hold secrets.
import { dump } from 'js-yaml';
import type { Problem } from '../../../src/api/own-object.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { parseSwarmPool, type SwarmPoolSpec } from '../../../src/api/validate.ts';
import { streamsOf } from '../../../src/pool/streams/join.ts';
import { mustBeMessage, mustBeSame, mustTellNothing, SECRET } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

/** The size of a ConfigMap. */
const LONGEST = 1_048_576;
const SOURCE = 'lineup/streams.txt';

function specOf(): SwarmPoolSpec {
  const spec = {
    streams: [{ name: 'cnbc' }],
    workers: { selector: { matchLabels: { app: 'worker' } } },
  };
  const { spec: parsed } = parseSwarmPool({
    apiVersion: '',
    kind: 'SwarmPool',
    metadata: { name: 'tv' },
    spec,
  });
  if (!parsed.ok) throw new Error('not a spec');
  return parsed.value;
}
const spec = specOf();

function mustBeProblems(problems: readonly Problem[]): void {
  must(problems.length > 0, 'it is refused without a reason');
  for (const { field, message } of problems) {
    const told = `${field}: ${message}`;
    mustBeMessage(told);
    mustTellNothing(told);
    must(field.startsWith(SOURCE) || field.startsWith('spec.'), 'a problem has no place', () =>
      told.slice(0, 100),
    );
  }
}

const mustBePlain = (name: string): void =>
  must(JSON.stringify(name) === `"${name}"`, 'the name of a parameter needs an escape in JSON');

/** The same rule for spec.streams, whose names a message may show. */
function checkOwn(name: string): void {
  const list = streamsOf({ ...spec, streams: [{ name: 'cnbc', parameters: { [name]: 'x' } }] }, []);
  if (list.ok) mustBePlain(name);
  else for (const { field, message } of list.problems) mustBeMessage(`${field}: ${message}`);
}

/** Texts at the bounds of a ConfigMap and of the reader, and beyond. */
const large = (): readonly string[] => [
  Array.from({ length: 100_000 }, (_, index) => `s${index}=1`).join('\n'),
  'a\n'.repeat(524_288),
  '=\n'.repeat(300_000),
  '#\n'.repeat(300_000),
  ' \n'.repeat(300_000),
  `${' '.repeat(1_000_000)}x`,
  `${'# '.repeat(500_000)}x`,
  'x'.repeat(1_048_576),
  `a${' #'.repeat(500_000)}`,
  Array.from({ length: 40_000 }, (_, index) => `- {name: s${index}}\n`).join(''),
  `[${'a,'.repeat(290_000)}b]`,
  `- name: a\n  parameters: {${Array.from({ length: 50_000 }, (_, index) => `k${index}: v`).join()}}\n`,
  `- ${'- '.repeat(250_000)}`,
  '-\n'.repeat(300_001),
];

function check(text: string): string {
  const read = readStreamList(text, SOURCE);
  mustBeSame(readStreamList(text, SOURCE), read, 'two readings differ');
  const its = { ...spec };
  const list = streamsOf(its, [{ source: SOURCE, read }]);
  must(
    streamsOf(its, [{ source: SOURCE, read }]) === list,
    'put together twice it is another list',
  );
  checkOwn(text.slice(0, 300));
  const missing = streamsOf(its, [{ source: SOURCE, read: undefined }]);
  must(
    !missing.ok && missing.reason === 'StreamsNotFound',
    'a list that is not there is not missed',
  );
  if (!list.ok) mustBeProblems(list.problems);
  else for (const { parameters = {} } of list.streams) Object.keys(parameters).forEach(mustBePlain);
  if (!read.ok) {
    mustBeProblems(read.problems);
    must(!list.ok, 'a list that is refused is used');
    return outcomeOf(read.problems[0]?.message ?? '');
  }
  const { streams } = read;
  must(
    new Set(streams.map(({ name }) => name)).size === streams.length || !list.ok,
    'a stream stands there twice, and no problem says so',
  );
  const lines = text.split('\n').length;
  must(read.lines.length === streams.length, 'not every stream has a line');
  for (const line of read.lines)
    must(line >= 0 && line <= lines, 'a stream has a line that does not exist');
  const written = dump(streams, { noRefs: true, lineWidth: -1 });
  if (written.length > LONGEST) return 'ok, and too long in YAML';
  const again = readStreamList(written, SOURCE);
  must(again.ok, 'what was read is refused when it is written as YAML', () =>
    again.ok ? '' : JSON.stringify(again.problems[0]),
  );
  mustBeSame(again.streams, streams, 'written as YAML it reads otherwise');
  return `ok ${Math.min(3, streams.length)}${list.ok ? '' : ' refused'}`;
}

export const lists: Target = {
  name: 'list',
  files: [
    'src/api/stream-list.ts',
    'src/pool/streams/join.ts',
    'src/api/yaml.ts',
    'src/api/bounds.ts',
  ],
  guides: [
    'node_modules/js-yaml/dist/js-yaml.mjs',
    'src/api/validate.ts',
    'src/api/generated/validators.cjs',
  ],
  form: 'yaml',
  seeds: [
    `# the lineup\ncnbc2=100\n\nstream:xxrtve1   # a camera\n  cars:new = 20  \nhash#inside\n`,
    `- name: a\n  weight: 5\n- name: b\n  parameters: {url: x, pass: ${SECRET}}\n  priority: 3\n  spreadGroup: g\n  ordinal: 2\n- c\n`,
    '---\n- {name: a, weight: 5}\n- "b c"\n',
    `db:\n  user: admin\n  password: ${SECRET}\n`,
    `password=${SECRET}\n[client]\n`,
    `- name: a\n  parameters: {"a b": x, ${SECRET}: y, '"': z}\n`,
  ],
  large,
  words: [
    'name: ',
    'weight: ',
    'parameters: ',
    'priority: ',
    'spreadGroup: ',
    'ordinal: ',
    '- name: d\n',
    'e=5\n',
    '=',
    '#',
    '- ',
    'name',
    'weight',
    'parameters',
    'priority',
    'spreadGroup',
    'ordinal',
    'cnbc',
  ],
  longest: LONGEST,
  read: (text) => readStreamList(text, SOURCE),
  check,
};
