// Does docs/how-to/troubleshoot.md explain every reason in the code, and no other?
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readDefinitions } from '../../../scripts/definitions/schema.ts';
import { fieldsOf } from '../../../scripts/reference/fields.ts';
import * as reasons from '../../../src/pool/reasons.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/how-to/troubleshoot.md`, 'utf8');

/** The first cells of the rows of tables with this head, under a heading. */
function told(heading: string, head: string): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const table = section.split('\n\n').find((text) => text.startsWith(`| ${head} |`)) ?? '';
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason = '']) => reason);
}

const {
  obstacleReasons,
  placementReasons,
  progressReasons,
  stateReasons,
  changeReasons,
  eventReasons,
} = reasons;
const all = [...new Set(Object.values(reasons).flat())];
const states = fieldsOf(
  readDefinitions(new URL('../../../crds/', import.meta.url))[0]?.schema ?? {},
  '',
).find(({ path }) => path === '.status.workers[].state')?.schema.enum;

describe('docs/how-to/troubleshoot.md tells of every', () => {
  it.each<[string, string, string, readonly unknown[] | undefined]>([
    ['obstacle', 'Nothing can be decided', 'reason', obstacleReasons],
    ['stream without a worker', 'A stream has no worker', 'reason', placementReasons],
    ['progress of workers', 'Workers are not there yet', 'reason', progressReasons],
    ['state of a worker', 'Workers are not there yet', 'state', states],
    ['reason of one condition alone', 'What else conditions say', 'reason', stateReasons],
    ['event', 'Events of a pool', 'reason', eventReasons],
    ['change', 'Why something changed', 'reason', changeReasons],
  ])('%s', (_, heading, head, wanted) => {
    expect([...told(heading, head)].sort()).toEqual(
      [...(wanted ?? ['nothing to compare with'])].sort(),
    );
  });
});

describe('the reasons in the code', () => {
  const folder = `${root}src/pool/`;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'reasons.ts',
  );
  const source = files.map((file) => readFileSync(`${folder}${file}`, 'utf8')).join('\n');

  it('are all used somewhere', () => {
    expect(all.filter((reason) => !source.includes(`'${reason}'`))).toEqual([]);
  });

  it('are all known, also those without a type', () => {
    const forms = [
      /\breason: '(\w+)'/g,
      /\bstalled\(\s*'(\w+)'/g,
      /\bcondition\(\s*'\w+',\s*'\w+',\s*'(\w+)'/g,
      /\bcheck\(\s*'(\w+)'/g,
    ];
    const given = forms.flatMap((form) => {
      const found = [...source.matchAll(form)].map(([, reason = '']) => reason);
      expect(found.length).toBeGreaterThan(2);
      return found;
    });
    expect(given.length).toBeGreaterThan(40);
    expect(given.filter((reason) => !all.some((known) => known === reason))).toEqual([]);
  });
});
