// Programs of others that the operator works with: a Prometheus that scrapes it and has its alerts,
// workers in Go and Python. Usage: test-peers.ts [jest's arguments] Tests of a program that cannot
// be had here say so and count as skipped.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getBinaries } from './needs.ts';
import { buildGoSamples } from './peers/go-samples.ts';
import { getPrometheus } from './peers/prometheus.ts';
import { jestAndExit } from './run.ts';

await getBinaries();
console.log('\n▸ Prometheus, and the sample workers in Go and Python');
const say = (missing: string, refusal: string): string => {
  console.log(`  ${missing} cannot be tested here: ${refusal}`);
  return '';
};
const prometheus = getPrometheus();
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-peers-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const go = buildGoSamples(folder);
const python = spawnSync('python3', ['--version']).error;
jestAndExit(['peers'], process.argv.slice(2), {
  SWARM_PROMETHEUS:
    'folder' in prometheus ? prometheus.folder : say('Prometheus', prometheus.refusal),
  SWARM_GO_SAMPLES: go === undefined ? folder : say('the worker in Go', go.refusal),
  SWARM_PYTHON: python === undefined ? 'python3' : say('the worker in Python', python.message),
});
