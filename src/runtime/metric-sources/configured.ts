// Which sources of metrics has the administrator configured, and who may use them? Tenants name
// sources, and no addresses: the operator would send its token, and requests, wherever they like.
import { readFileSync } from 'node:fs';
import { asList, asRecord, asString, dig } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import { readText } from '../../api/yaml.ts';

export type SourceSettings = {
  readonly name: string;
  /** With a path that all requests begin with, without a slash at its end. */
  readonly address: string;
  /** Left out: the authorities that Node knows. */
  readonly caFile?: string;
  readonly tokenFile?: string;
  /** `*`: all. */
  readonly namespaces: readonly string[];
};

/** Its message is for the administrator. */
export class MetricSourcesError extends Error {
  override readonly name = 'MetricSourcesError';
}

const MOST_SOURCES = 50;
const fields = ['name', 'address', 'caFile', 'tokenFile', 'namespaces'];

/** Throws a MetricSourcesError where the file cannot be used. */
export function readSourceSettings(file: string): readonly SourceSettings[] {
  const refuse = (why: string): never => {
    throw new MetricSourcesError(`${file} (--metric-sources-file) ${why}`);
  };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(`cannot be read: ${errorText(error)}`);
  }
  const read = readText(text);
  if (!read.ok) return refuse(`is ${read.problem}`);
  const sources = dig(read.value, 'sources');
  if (!Array.isArray(sources))
    return refuse('needs a list `sources`, of entries with name, address and namespaces');
  if (sources.length > MOST_SOURCES) return refuse(`has more than ${MOST_SOURCES} sources`);
  const names = new Set<string>();
  return sources.map((source: unknown, index) => {
    const at = `sources[${index}]`;
    const problem = problemOf(source);
    if (problem !== undefined) return refuse(`${at}${problem}`);
    const { caFile, tokenFile } = asRecord(source) ?? {};
    const name = asString(dig(source, 'name')) ?? '';
    if (names.has(name)) return refuse(`${at}.name: ${name} is not unique`);
    names.add(name);
    return {
      name,
      address: (asString(dig(source, 'address')) ?? '').replace(/\/+$/, ''),
      namespaces: asList(dig(source, 'namespaces')).flatMap((it) => asString(it) ?? []),
      ...(typeof caFile === 'string' && { caFile }),
      ...(typeof tokenFile === 'string' && { tokenFile }),
    };
  });
}

const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** From the field on. A value may be a secret that stands in the wrong place: it is not shown. */
function problemOf(source: unknown): string | undefined {
  const record = asRecord(source);
  if (record === undefined) return ' is no map; name, address and namespaces are needed';
  const unknown = Object.keys(record).find((key) => !fields.includes(key));
  if (unknown !== undefined)
    return `.${unknown.slice(0, 60)}: unknown field; allowed are ${fields.join(', ')}`;
  if (!label.test(asString(record['name']) ?? ''))
    return '.name: small letters, digits and - are allowed, at most 63';
  for (const key of ['caFile', 'tokenFile'])
    if (record[key] !== undefined && !asString(record[key])) return `.${key}: expected a path`;
  const { namespaces } = record;
  const isList = Array.isArray(namespaces) && namespaces.length > 0;
  if (!isList || !namespaces.every((it) => it === '*' || label.test(asString(it) ?? '')))
    return '.namespaces: a list of names is needed, or ["*"] for all';
  return addressProblem(asString(record['address']), record['tokenFile'] !== undefined);
}

function addressProblem(address: string | undefined, hasToken: boolean): string | undefined {
  const url = URL.parse(address ?? '');
  if (url === null || !/^https?:$/.test(url.protocol))
    return '.address: such as https://prometheus.monitoring:9090 is needed';
  if (url.username !== '' || url.password !== '')
    return '.address: must not contain a user or a password; set tokenFile instead';
  if (url.search !== '' || url.hash !== '') return '.address: must not contain a query or a #';
  if (hasToken && url.protocol !== 'https:')
    return '.tokenFile needs an https address: others could read the token on its way';
  return undefined;
}
