// What does the reference page of introspection contain? The operator's OpenAPI description, for
// readers.
import type { Schema } from '../../src/api/introspection/schema.ts';
import { schemas } from '../../src/api/introspection.ts';
import { asList, asRecord, asString, dig } from '../../src/api/objects.ts';
import { openapi } from '../../src/server/introspection/openapi.ts';
import { code, listed, page, table } from './markdown.ts';

const GENERATED =
  '<!-- GENERATED from src/server/introspection/openapi.ts and src/api/introspection.ts by scripts/generate.ts. -->';

export function introspectionReference(): string {
  return page([
    GENERATED,
    '# Introspection',
    'The operator answers `GET` on port 8090 of its pod (`--introspection-port`), on the loopback alone: [how to reach it](../how-to/observe.md). At `/` ' +
      'is [the page](../how-to/page.md), which uses the same endpoints. Programs get this description as OpenAPI 3.1 at `/api/v1/openapi.json`.',
    openapi.info.description,
    '## Endpoints',
    table(['Path', 'Answer', 'With'], Object.entries(openapi.paths).map(questionRow)),
    'An error is answered with its status and `{"error": "…"}`, a sentence: 400 names the parameter, its value and what is allowed; 404: not found; ' +
      '409: no decision is possible; 421 and 403: requested under another name than localhost, or by a page of another origin.',
    '## Answers',
    ...Object.entries(schemas).flatMap(([name, schema]) => [
      `### ${name}`,
      asString(schema['description']) ?? '',
      fieldsTable(schema),
    ]),
  ]);
}

function questionRow([path, item]: readonly [string, unknown]): readonly string[] {
  const get = dig(item, 'get');
  const answer =
    nameIn(dig(get, 'responses', '200', 'content', 'application/json', 'schema')) ?? '';
  const parameters = asList(dig(get, 'parameters')).filter((it) => dig(it, 'in') === 'query');
  const told = parameters.map(
    (it) =>
      `${code(String(dig(it, 'name')))}: ${String(dig(it, 'description'))}${boundsOf(dig(it, 'schema'))}`,
  );
  const summary = String(dig(get, 'summary'));
  return [code(path), answer === '' ? summary : `${linkTo(answer)}: ${summary}`, told.join(' ')];
}

function boundsOf(schema: unknown): string {
  const [least, most] = [dig(schema, 'minimum'), dig(schema, 'maximum')];
  return typeof least === 'number' && typeof most === 'number' ? ` ${least} to ${most}.` : '';
}

/** Each field of a nested object has a row of its own: `decision.steps.total`. */
function fieldsTable(schema: Schema): string {
  return table(['Field', 'Type', 'Meaning'], rowsOf(schema, ''));
}

function rowsOf(schema: unknown, prefix: string): readonly (readonly string[])[] {
  const required = new Set(asList(dig(schema, 'required')).map(String));
  return Object.entries(asRecord(dig(schema, 'properties')) ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const meaning = `${required.has(name) ? '' : 'May be missing. '}${asString(dig(field, 'description')) ?? ''}`;
    const inner =
      dig(field, 'type') === 'array'
        ? rowsOf(dig(field, 'items'), `${path}[].`)
        : rowsOf(field, `${path}.`);
    return [[code(path), typeText(field), meaning], ...inner];
  });
}

function typeText(schema: unknown): string {
  const named = nameIn(schema);
  if (named !== undefined) return linkTo(named);
  const choice = asList(dig(schema, 'enum')).map((value) => code(String(value)));
  if (choice.length > 0) return listed(choice, 'or');
  const type = dig(schema, 'type');
  if (type === 'array') return `list of ${typeText(dig(schema, 'items'))}`;
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    boolean: 'true or false',
  };
  return words[String(type)] ?? String(type);
}

const nameIn = (schema: unknown): string | undefined =>
  asString(dig(schema, '$ref'))?.replace('#/components/schemas/', '');

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`;
