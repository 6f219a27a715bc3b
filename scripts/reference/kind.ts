// What does the reference page of a kind contain? Its whole CRD, as tables.
import type { Column, Definition, Schema } from '../definitions/schema.ts';
import { defaultText, fieldsOf, meaningOf, type PlacedRule, rulesOf, typeText } from './fields.ts';
import { code, page, table } from './markdown.ts';
import { type Notes, notes } from './notes.ts';

const GENERATED =
  '<!-- GENERATED from crds/ by scripts/generate.ts: change the definition, then `npm run generate`. -->';

export function kindReference(definition: Definition): string {
  const { kind, schema } = definition;
  const known = notes[kind];
  return page([
    GENERATED,
    `# ${kind}`,
    schema.description ?? '',
    `${code(definition.apiVersion)}; \`kubectl get ${[definition.plural, ...definition.shortNames].join('` or `kubectl get ')}\`. ${known?.seeAlso ?? ''}`.trim(),
    ...specBlocks(schema.properties?.['spec'] ?? {}),
    ...rulesBlocks(rulesOf(schema, '')),
    ...statusBlocks(schema.properties?.['status'] ?? {}),
    ...conditionBlocks(schema, known?.conditions),
    ...columnBlocks(definition.columns),
    ...markBlocks(known?.marks),
  ]);
}

function specBlocks(spec: Schema): readonly string[] {
  const rows = fieldsOf(spec, 'spec').map((field) => [
    code(field.path),
    typeText(field.schema),
    defaultText(field),
    meaningOf(field.schema),
  ]);
  return ['## Spec', spec.description ?? '', table(['Field', 'Type', 'Default', 'Meaning'], rows)];
}

function rulesBlocks(rules: readonly PlacedRule[]): readonly string[] {
  if (rules.length === 0) return [];
  const items = rules.map(
    ({ path, rule, message }) =>
      `- ${path === '' ? '' : `${code(path)}: `}${message}  \n  ${code(rule)}`,
  );
  return [
    '## Rules',
    'The API server refuses objects that break one of these rules, with these messages. The rule itself follows, in CEL.',
    items.join('\n'),
  ];
}

function statusBlocks(status: Schema): readonly string[] {
  const rows = fieldsOf(status, 'status').map(({ path, schema }) => [
    code(path),
    typeText(schema),
    meaningOf(schema),
  ]);
  return ['## Status', status.description ?? '', table(['Field', 'Type', 'Meaning'], rows)];
}

/** The CRD names the condition types in a description: the notes must list exactly these. */
function conditionBlocks(schema: Schema, conditions: Notes['conditions']): readonly string[] {
  if (conditions === undefined) return [];
  const named = schema.properties?.['status']?.properties?.['conditions']?.description ?? '';
  const told = `${conditions.map(([type]) => type).join(', ')}.`;
  if (named !== told)
    throw new Error(
      `scripts/reference/notes.ts lists the conditions ${told} The CRD names ${named}`,
    );
  const rows = conditions.map(([type, text]) => [code(type), text]);
  return [
    '### Conditions',
    'To wait for one: `kubectl wait --for=condition=Converged swarmpool/tv`.',
    table(['Type', 'Meaning'], rows),
  ];
}

function columnBlocks(columns: readonly Column[]): readonly string[] {
  const rows = columns.map(({ name, priority = 0, jsonPath, description = '' }) => [
    name.toUpperCase(),
    priority > 0 ? 'with `-o wide`' : 'always',
    code(jsonPath.replace(/^\./, '')),
    description,
  ]);
  return ['## Columns of `kubectl get`', table(['Column', 'Shown', 'Field', 'Meaning'], rows)];
}

function markBlocks(marks: Notes['marks']): readonly string[] {
  if (marks === undefined) return [];
  return [
    '## Labels and annotations',
    table(
      ['Name', 'Where', 'Written by', 'Meaning'],
      marks.map(([name, ...rest]) => [code(name), ...rest]),
    ),
  ];
}
