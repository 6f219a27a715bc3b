// Where does the attack take place? On a real control plane, with twenty honest pools in one
// namespace, and two namespaces of a user with the role `admin`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../src/api/kinds.ts';
import { asRecord, dig } from '../../src/api/objects.ts';
import {
  type OperatorProcess,
  startOperatorProcess,
} from '../../src/playground/operator-process.ts';
import { names, workload } from '../integration/support/shape.ts';
import { Swarm } from '../integration/support/swarm.ts';
import { eventually } from '../support/processes.ts';
import { SimulatedWorkers } from '../support/simulated-workers.ts';
import type { Victim } from './tenant.ts';
import { GAUGE_FILE } from './thread-gauge.ts';

export const HONEST = 'honest';
export const HONEST_JOBS = 'honest-jobs';
export const TENANTS = ['tenant-a', 'tenant-b'] as const;
export const POOLS = 20;
export const WORKERS = 3;
export const STREAMS = 9;
/** The memory that deploy/ gives the operator's container, and the heap that Node takes of it. */
export const MEMORY_MIB = 512;
const HEAP_MIB = 256;

const userRoles = new URL('../../deploy/user-roles.yaml', import.meta.url).pathname;
const gauge = new URL('./thread-gauge.ts', import.meta.url).href;

/**
 * What an administrator allows a tenant: without a quota, Kubernetes itself would create all the
 * pods that a StatefulSet with two thousand million replicas asks for, or die of it. No revision of
 * a StatefulSet, so no pod from its controller: the test creates pods by hand.
 */
const quota = {
  pods: '150',
  'count/controllerrevisions.apps': '0',
  'count/configmaps': '2500',
  'count/events': '5000',
  'count/jobs.batch': '300',
};

export class HostileArena {
  readonly swarm: Swarm;
  readonly workers: SimulatedWorkers;
  readonly folder = mkdtempSync(path.join(tmpdir(), 'swarm-hostile-'));
  readonly gaugeFile: string;
  readonly pools: readonly string[] = names(POOLS, 'pool-');
  readonly #logFile: string;

  private constructor(swarm: Swarm, workers: SimulatedWorkers, logFile?: string) {
    this.#logFile = logFile ?? path.join(this.folder, 'operator.log');
    this.gaugeFile = `${this.#logFile}.gauge`;
    for (const file of [this.#logFile, this.gaugeFile]) rmSync(file, { force: true });
    this.swarm = swarm;
    this.workers = workers;
  }

  static async make(logFile?: string): Promise<HostileArena> {
    const swarm = await Swarm.start({ nodes: 0, keepsAudit: false });
    const arena = new HostileArena(
      swarm,
      await SimulatedWorkers.start(swarm.playground.plane.kubeconfig, HONEST),
      logFile,
    );
    try {
      await swarm.kubectl('apply', '-f', userRoles);
      for (const name of [HONEST, HONEST_JOBS, ...TENANTS])
        await swarm.api.create(kinds.Namespace, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name },
        });
      await Promise.all([arena.#admitTenant(), arena.#settleHonest()]);
      return arena;
    } catch (error) {
      await arena.stop();
      throw error;
    }
  }

  /** As in its Deployment: elected, and with the heap that Node takes in a container of 512 MiB. */
  async operator(): Promise<OperatorProcess> {
    const { swarm } = this;
    const kubeconfig = await swarm.kubeconfigOf('swarm-operator', 'swarm-operator');
    return startOperatorProcess({
      kubeconfig,
      guard: swarm.playground.guard,
      logFile: this.#logFile,
      args: ['--lease-namespace', 'swarm-operator'],
      environment: {
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning --max-old-space-size=${HEAP_MIB} --max-semi-space-size=1 --import=${gauge}`,
        [GAUGE_FILE]: this.gaugeFile,
      },
    });
  }

  attackersKubeconfig(): Promise<string> {
    return this.swarm.kubeconfigOf(TENANTS[0], 'attacker');
  }

  async victim(): Promise<Victim> {
    const { api } = this.swarm;
    const sets = (await api.list(kinds.StatefulSet, HONEST)).items.map(
      ({ metadata: { name, uid = '' } }) => [name, uid],
    );
    const podUids = (await api.list(kinds.Pod, HONEST)).items.flatMap(
      ({ metadata: { uid } }) => uid ?? [],
    );
    return { namespace: HONEST, pools: this.pools, sets: Object.fromEntries(sets), podUids };
  }

  async stop(): Promise<void> {
    await this.workers.stop();
    await this.swarm.stop();
    rmSync(this.folder, { recursive: true });
  }

  async #settleHonest(): Promise<void> {
    for (const pool of this.pools) {
      const shape = {
        streams: [],
        workers: WORKERS,
        volume: { configMap: { name: `${pool}-assignments`, optional: true } },
      };
      await this.swarm.create(kinds.StatefulSet, HONEST, pool, renamed(workload(shape), pool));
      const streams = names(STREAMS, 'h').map((name) => ({ name }));
      await this.swarm.create(kinds.SwarmPool, HONEST, pool, {
        spec: { workers: { targetRef: { name: pool } }, streams },
      });
    }
    await eventually(
      'all honest pods are Ready',
      () => this.workers.ready === POOLS * WORKERS,
      300,
    );
  }

  async #admitTenant(): Promise<void> {
    const { swarm } = this;
    for (const namespace of TENANTS) {
      await swarm.apply(
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'tenant', namespace },
          spec: { hard: quota },
        },
        {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'attacker', namespace: TENANTS[0] },
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'attacker', namespace },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
          subjects: [{ kind: 'ServiceAccount', name: 'attacker', namespace: TENANTS[0] }],
        },
      );
      await eventually(`the quota of ${namespace} holds`, async () => {
        const told = await swarm.kubectl(
          '-n',
          namespace,
          'get',
          'resourcequota',
          'tenant',
          '-o',
          'jsonpath={.status.hard.pods}',
        );
        return told !== '';
      });
      await eventually(`the attacker may write queues in ${namespace}`, async () => {
        const who = `--as=system:serviceaccount:${TENANTS[0]}:attacker`;
        return (
          await swarm
            .kubectl('-n', namespace, 'auth', 'can-i', 'create', 'swarmqueues', who)
            .catch(() => 'no')
        ).startsWith('yes');
      });
      await eventually(`pods can be made in ${namespace}`, async () =>
        (await swarm.kubectl('-n', namespace, 'get', 'serviceaccounts', '-o', 'name')).includes(
          'serviceaccount/default',
        ),
      );
    }
  }
}

/** Each honest pool has workers of its own. */
function renamed(made: ReturnType<typeof workload>, app: string): object {
  const labels = { app };
  const template = dig(made.spec, 'template');
  const spec = {
    ...made.spec,
    selector: { matchLabels: labels },
    template: { ...asRecord(template), metadata: { labels } },
  };
  return { metadata: { labels }, spec };
}
