// How are the values of the chart shown: as values.yaml, and as a table?
import { dump } from 'js-yaml';
import { code, table } from '../reference/markdown.ts';
import type { ValueSchema } from './value-schema.ts';

type Values = Readonly<Record<string, ValueSchema>>;

const GENERATED =
  '# GENERATED from deploy/, crds/ and src/settings.ts by scripts/generate.ts. values.schema.json refuses what is not here.';

export const valuesYaml = (values: Values): string =>
  `${GENERATED}\n\n${Object.entries(values)
    .map(([name, value]) => `${linesOf(name, value).join('\n')}\n`)
    .join('\n')}`;

function linesOf(name: string, value: ValueSchema): readonly string[] {
  const comment = `# ${value.description}`;
  if (value.properties === undefined)
    return value.default === undefined
      ? [comment, `# ${yaml({ [name]: value.example }).join('')}`]
      : [comment, ...yaml({ [name]: value.default })];
  const inner = Object.entries(value.properties).flatMap((it) => linesOf(...it));
  // Without a value of its own a map would be null.
  const isEmpty = inner.every((line) => line.startsWith('#'));
  return [comment, `${name}:${isEmpty ? ' {}' : ''}`, ...inner.map((line) => `  ${line}`)];
}

const yaml = (value: object): readonly string[] =>
  dump(value, { noRefs: true }).trimEnd().split('\n');

export const valuesTable = (values: Values): string =>
  table(
    ['Value', 'Default', 'Meaning'],
    Object.entries(values).flatMap((it) => rowsOf(...it)),
  );

function rowsOf(name: string, value: ValueSchema): readonly (readonly string[])[] {
  if (name === 'global') return [];
  const { properties, description, default: initial = value.example } = value;
  if (properties === undefined)
    return [
      [
        code(name),
        initial === undefined || initial === '' ? '–' : shown(initial),
        `${description}${choices(value)}`,
      ],
    ];
  return [
    [code(name), '', description],
    ...Object.entries(properties).flatMap(([inner, it]) => rowsOf(`${name}.${inner}`, it)),
  ];
}

/** What is long stands in values.yaml. */
function shown(value: unknown): string {
  const told = JSON.stringify(value);
  return told.length > 40 ? 'see values.yaml' : code(told);
}

function choices({ enum: among, minimum, maximum }: ValueSchema): string {
  if (among !== undefined) return ` One of ${among.map(code).join(', ')}.`;
  return maximum === undefined ? '' : ` From ${minimum} to ${maximum}.`;
}
