// Which failures end an operator that starts, and for which does it wait?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { kinds } from '../../../src/api/kinds.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { RunningKind } from '../../../src/runtime/engine/kind-runner.ts';
import type { Running } from '../../../src/runtime/run.ts';
import { StartError } from '../../../src/runtime/start-error.ts';
import { type Faults, MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

await import('../../support/setup.ts');
const { runKinds } = await import('../../../src/runtime/run.ts');

const folder = mkdtempSync(join(tmpdir(), 'crds-'));
const definition = join(folder, 'swarmpools.yaml');
const other = join(folder, 'other.yaml');
beforeAll(() => {
  const metadata = 'metadata: { name: swarmpools.k8slab.info }';
  writeFileSync(definition, `kind: CustomResourceDefinition\n${metadata}\n`);
  writeFileSync(other, `kind: ConfigMap\n${metadata}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const running: Running[] = [];
afterEach(() => Promise.all(running.splice(0).map((it) => it.stop())));

type Options = {
  readonly crdFiles?: readonly string[];
  readonly leaderElection?: boolean;
  readonly faults?: Faults;
  readonly lead?: RunningKind['lead'];
  /** Not in a pod. */
  readonly isOutside?: boolean;
};

function start(options: Options) {
  const { crdFiles = [], leaderElection = false, faults = {}, lead, isOutside = false } = options;
  const clock = new VirtualClock();
  const api = new MemoryApi(clock, undefined, faults);
  const kubeConfig = new KubeConfig();
  const cluster = { name: 'none', server: 'https://127.0.0.1:4', skipTLSVerify: true };
  kubeConfig.loadFromClusterAndUser(cluster, { name: 'me' });
  const quiet = (): void => undefined;
  const kind: RunningKind = {
    subscriptions: [{ kind: kinds.SwarmPool, onChange: quiet }],
    report: { kind: 'SwarmPool', state: 'On' },
    queue: { waiting: 0, processing: 0, delayed: 0 },
    lead: lead ?? (() => Promise.resolve()),
    readableChanged: () => Promise.resolve(),
    beginAnew: () => Promise.resolve(),
    eventsDrained: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const operator = runKinds(
    {
      settings: {
        namespaces: [],
        leaderElection,
        leaseNamespace: undefined,
        leaseName: 'swarm-operator',
        concurrency: 1,
        resyncSeconds: 600,
        registerCrds: crdFiles.length > 0,
      },
      kubeConfig,
      api,
      leaseApi: api,
      clock,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      identity: 'me',
      ownNamespace: isOutside ? undefined : 'operators',
      crdFiles,
    },
    [() => kind],
  );
  running.push(operator);
  let failure: unknown;
  void operator.failed.then((error) => {
    failure = error;
  });
  return { clock, api, operator, failure: () => failure };
}

/** Answers each patch with this, as long as the cluster is so. */
const patchesFailWith = (error: () => KubeError | undefined): Faults => ({
  before: ({ verb }) => {
    const found = verb === 'patch' ? error() : undefined;
    if (found !== undefined) throw found;
  },
});

describe('an operator that registers its CRDs', () => {
  it('an operator fails, and says what to do, when the API server keeps refusing its CRDs', async () => {
    const faults = patchesFailWith(() => new KubeError('Forbidden', 'no rule allows it'));
    const { clock, operator, failure } = start({ crdFiles: [definition], faults });
    await clock.until('it failed', () => failure() !== undefined);
    expect(failure()).toBeInstanceOf(StartError);
    expect(String(failure())).toMatch(/Forbidden: no rule allows it.*kubectl apply.*register-crds/);
    expect(operator.isSynced()).toBe(false);
  });

  it('an operator starts when a starting API server refuses its CRDs at first', async () => {
    let refusals = 3;
    const faults = patchesFailWith(() => {
      refusals -= 1;
      return refusals < 0 ? undefined : new KubeError('Forbidden', 'no rule allows it');
    });
    const { clock, operator, failure } = start({ crdFiles: [definition], faults });
    await clock.until('it is synced', operator.isSynced);
    expect(failure()).toBeUndefined();
  });

  it.each(['Unreachable', 'Unavailable', 'Timeout', 'Unauthorized'] as const)(
    'an operator waits for an API server, however long its answer is %s',
    async (code) => {
      let isAway = true;
      const faults = patchesFailWith(() => (isAway ? new KubeError(code, 'away') : undefined));
      const { clock, operator, failure } = start({ crdFiles: [definition], faults });
      await clock.advance(30 * 60_000);
      expect(failure()).toBeUndefined();
      expect(operator.isSynced()).toBe(false);
      isAway = false;
      await clock.until('it is synced', operator.isSynced);
    },
  );

  it('an operator fails when a file of its CRDs is not a CRD', async () => {
    const { clock, failure } = start({ crdFiles: [other] });
    await clock.until('it failed', () => failure() !== undefined);
    expect(String(failure())).toContain(`${other} is not a CustomResourceDefinition`);
  });
});

it('an operator waits for an API server that is away, without registering anything', async () => {
  let isAway = true;
  const before = (): void => {
    if (isAway) throw new KubeError('Unreachable', 'away');
  };
  const { clock, operator, failure } = start({ leaderElection: true, faults: { before } });
  await clock.advance(30 * 60_000);
  expect(failure()).toBeUndefined();
  isAway = false;
  await clock.until('it leads', operator.isLeading);
});

it.each([true, false])(
  'an operator fails when a kind cannot begin to work (leader election: %s)',
  async (leaderElection) => {
    const lead = (): Promise<void> => Promise.reject(new Error('no thread is left'));
    const { clock, failure } = start({ leaderElection, lead });
    await clock.until('it failed', () => failure() !== undefined);
    expect(String(failure())).toContain('no thread is left');
  },
);

it.each([true, false])(
  'an operator outside of the cluster makes the namespace of its ledgers before it leads (leader election: %s)',
  async (leaderElection) => {
    const found: boolean[] = [];
    const lead = async (isLeading: boolean): Promise<void> => {
      if (isLeading)
        found.push(api.store.find(kinds.Namespace, { name: 'swarm-operator' }) !== undefined);
    };
    const { api, clock, operator } = start({ leaderElection, lead, isOutside: true });
    await clock.until('it leads', operator.isLeading);
    await clock.until('its kinds work', () => found.length > 0);
    expect(found).toEqual([true]);
  },
);
