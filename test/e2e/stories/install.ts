// Does the operator start from the manifests, with images that keep their promises?

import { expect, it } from '@jest/globals';
import { quantile, secondsSince } from '../../../bench/instruments/measure.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note } from '../figures.ts';
import { ask, isReady, type World } from '../world.ts';

const STARTS = 5;

export function install(world: () => World): void {
  it('two replicas of the operator are Ready, and one leads', async () => {
    const start = performance.now();
    await world().install();
    note({
      name: 'install: applied until 2 replicas are Ready',
      value: `${secondsSince(start).toFixed(1)} s`,
    });
    const leading = await world().leadingPod();
    const pods = await world().operators();
    expect(pods.filter(isReady)).toHaveLength(2);
    // The holder of the Lease starts a moment later.
    await eventually('only the leader reports that it leads', async () => {
      const answers = await Promise.all(
        pods.map(async (pod) => ({ pod, health: await ask(pod, 8081, '/internal/health') })),
      );
      for (const { health } of answers)
        expect(asString(dig(health, 'build', 'commit'))).toBe('first');
      const leads = answers.flatMap(({ pod, health }) =>
        dig(health, 'leading') === true ? [pod.metadata.name] : [],
      );
      return leads.join() === leading.metadata.name;
    });
  });

  it('the operator runs as an unprivileged user, on a read-only file system', async () => {
    const pod = await world().leadingPod();
    const exec = (text: string): Promise<string> =>
      world().kubectl(
        '-n',
        'swarm-operator',
        'exec',
        pod.metadata.name,
        '--',
        'node',
        '--eval',
        text,
      );
    expect((await exec('console.log(process.getuid(), process.getgid())')).trim()).toBe(
      '1000 1000',
    );
    await expect(exec('require("node:fs").writeFileSync("/app/x", "")')).rejects.toThrow(/EROFS/);
    // Process 1 forwards signals and reaps.
    expect(
      await exec('console.log(require("node:fs").readFileSync("/proc/1/cmdline", "utf8"))'),
    ).toContain('tini');
  });

  it.each(['operator', 'worker'])(
    'the image of the %s contains an SBOM of all its packages, and no Node but that of its base image',
    async (name) => {
      const text = `
      const { readFileSync, readdirSync } = require('node:fs');
      const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
      const manifests = readdirSync('/app/node_modules', { recursive: true }).filter((file) => /(^|node_modules\\/)(@[^/]+\\/)?[^/@]+\\/package\\.json$/.test(file));
      const installed = manifests.map((file) => read('/app/node_modules/' + file)).map(({ name, version }) => name + '@' + version);
      const billed = read('/app/sbom.cdx.json').components.map((component) => component['bom-ref']);
      console.log(JSON.stringify({ installed: [...new Set(installed)].sort(), billed, node: process.execPath }));
    `;
      const image = `docker.io/library/swarm-${name}:dev`;
      const told = JSON.parse(
        (await world().cluster.nodes[0]?.ctr(
          'run',
          '--rm',
          image,
          `bill-${name}`,
          'node',
          '--eval',
          text,
        )) ?? '{}',
      ) as {
        readonly installed: readonly string[];
        readonly billed: readonly string[];
        readonly node: string;
      };
      expect(told.billed.length).toBeGreaterThan(0);
      expect(told.billed).toEqual(told.installed);
      expect(told.node).toBe('/usr/local/bin/node');
    },
  );

  it.each(['operator', 'worker'])(
    'the image of the %s reports its build, and starts quickly',
    async (name) => {
      const program = name === 'worker' ? 'dist/worker/main.js' : 'dist/main.js';
      const [node] = world().cluster.nodes;
      const times: number[] = [];
      for (let round = 0; round < STARTS; round += 1) {
        const start = performance.now();
        const told = await node?.ctr(
          'run',
          '--rm',
          `docker.io/library/swarm-${name}:dev`,
          `cold-${name}-${round}`,
          'node',
          program,
          '--version',
        );
        times.push(secondsSince(start));
        expect(told).toMatch(/^\d+\.\d+\.\d+ \(commit first, built 20.+\)\n$/);
      }
      note({
        name: `swarm-${name}: a container of it, started for --version and gone`,
        value: `${quantile(times, 0.5).toFixed(2)} s`,
      });
    },
  );
}
