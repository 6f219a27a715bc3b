// Does docs/memory.md name each field that is keyed by something, and no other?
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const root = new URL('../../../', import.meta.url).pathname;
const sections = readFileSync(`${root}docs/memory.md`, 'utf8').split(/^## /m);

const field = /^ {2}(?:readonly )?(#?(?!const\b)\w+)\b.*(?:;|[{(<])$/gm;
const isKeyed = (line: string): boolean =>
  /: .*\b(?:Map|Set|Cache)<.*;$| = new (?:Map|Set|Cache)\b/.test(line) && !line.includes('WeakMap');

/** `queue/turns.ts #waiting`: fields of a class or a type that are maps, sets or caches. */
const fieldsIn = (folder: string): readonly string[] =>
  readdirSync(`${root}src/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(`${root}src/${folder}/${file}`, 'utf8').matchAll(field)]
        .filter(([line]) => isKeyed(line))
        .map(([, name]) => `${file} ${name}`),
    );

/** A file, and fields of it, each in backticks. */
const namedIn = (section: string): readonly string[] =>
  [...section.matchAll(/`([\w/-]+\.ts)` ((?:`#?\w+`(?:, )?)+)/g)].flatMap(([, file, names = '']) =>
    [...names.matchAll(/`(#?\w+)`/g)].map(([, name]) => `${file} ${name}`),
  );

it.each(['runtime', 'pool', 'group', 'queue', 'job', 'probes', 'server', 'http', 'core'])(
  'docs/memory.md names each field in src/%s that is keyed by something, and no other',
  (folder) => {
    const section = sections.find((it) => it.startsWith(`\`src/${folder}\``)) ?? '';
    expect([...namedIn(section)].sort()).toEqual([...fieldsIn(folder)].sort());
  },
);
