// Does the monitoring component find the workers of every sample, and do the docs say by what?
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { asList, asRecord, asString, dig } from '../../../src/api/objects.ts';

const objectsIn = (file: string): readonly unknown[] => loadAll(readFileSync(file, 'utf8'));

const monitor = objectsIn('deploy/components/monitoring/workers.yaml').find(
  (object) => dig(object, 'kind') === 'PodMonitor',
);
const wanted = Object.entries(asRecord(dig(monitor, 'spec', 'selector', 'matchLabels')) ?? {});
const [port] = asList(dig(monitor, 'spec', 'podMetricsEndpoints')).map((it) =>
  asString(dig(it, 'port')),
);

/** Workers with metrics have that port; samples/own serves none. */
const workers = readdirSync('samples', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    objectsIn(`samples/${file}`).flatMap((object) => {
      const template = dig(object, 'spec', 'template');
      const ports = asList(dig(template, 'spec', 'containers')).flatMap((container) =>
        asList(dig(container, 'ports')).map((it) => asString(dig(it, 'name'))),
      );
      return ports.includes(port) ? [[file, dig(template, 'metadata', 'labels')] as const] : [];
    }),
  );

describe('the PodMonitor', () => {
  it.each(workers)('the PodMonitor selects the workers of %s', (_, labels) => {
    expect(labels).toMatchObject(Object.fromEntries(wanted));
  });

  it('the samples have workers that the PodMonitor can select', () => {
    expect(workers.length).toBeGreaterThan(5);
  });

  it('the docs name the label and the port by which the PodMonitor selects workers', () => {
    const text = readFileSync('docs/how-to/observe.md', 'utf8');
    expect(wanted.length).toBe(1);
    for (const [key, value] of wanted) expect(text).toContain(`\`${key}: "${asString(value)}"\``);
    expect(text).toContain(`named \`${port}\``);
  });
});
