// Do the dashboard and the rules query metrics that are served, and which rows are collapsed?
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { asString, dig } from '../../../src/api/objects.ts';
import { panels, rules } from '../../peers/monitoring/manifests.ts';

/** The reference has every metric: test/peers compares it with what is served. */
const reference = readFileSync(
  new URL('../../../docs/reference/metrics.md', import.meta.url),
  'utf8',
);
const served = new Set(
  [...reference.matchAll(/^\| `(\w+)` \| (\w+)/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

const metricsIn = (query: string): readonly string[] =>
  query.match(/(?<![:\w])(?:swarm|process|nodejs)_\w+/g) ?? [];

const queries = [
  ...panels.flatMap((panel) => panel.queries.map((query) => [panel.title, query] as const)),
  ...rules.map((rule) => {
    const title = asString(dig(rule, 'alert')) ?? asString(dig(rule, 'record')) ?? '';
    return [title, asString(dig(rule, 'expr')) ?? ''] as const;
  }),
];

it.each(queries)(
  'the panel or rule %s queries metrics that the operator serves: %s',
  (_, query) => {
    const asked = metricsIn(query);
    expect(asked).not.toEqual([]);
    expect(asked.filter((name) => !served.has(name))).toEqual([]);
  },
);

it.each([
  ['of groups are in collapsed rows', 'swarm_group_', true],
  ['of pools are shown at once', 'swarm_pool_', false],
])('dashboard panels %s', (_, prefix, isCollapsed) => {
  const found = panels.filter(({ queries: all }) => all.some((query) => query.includes(prefix)));
  expect(new Set(found.map((panel) => panel.isCollapsed))).toEqual(new Set([isCollapsed]));
});
