// P11a, P11e, P11f: how soon does a group's operator scale all members, are the times that it
// records true, and how many writes does a transition take?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Replica } from '../test/faults/replica.ts';
import { operatorWrites } from '../test/integration/support/audit.ts';
import { type Group, makeGroup } from '../test/integration/support/group.ts';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { GroupWitness } from './groups/witness.ts';
import { type Measured, quantile } from './instruments/measure.ts';

const MEMBERS = 7;
const SLOW_SHARE = 0.1;
const SLOW_MS = 1_000;
const SIZES = [2, 1];
const SCALE = 'deployments/scale';
const STATUS = 'swarmgroups/status';

type Transition = {
  /** By the witness. */
  readonly patchMs: number;
  readonly readyMs: number;
  /** By the operator. */
  readonly recordedPatchMs: number;
  readonly recordedReadyMs: number;
  readonly scales: number;
  readonly statuses: number;
};

export async function benchGroups(transitions: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ controlPlane: { audit: true } });
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-groups-'));
  const names = Array.from({ length: MEMBERS }, (_, index) => `member-${index}`);
  try {
    const group = await makeGroup(swarm, 'measured', {
      members: Object.fromEntries(names.map((name) => [name, {}])),
      spec: { replicas: 1, members: names.map((name) => ({ kind: 'Deployment', name })) },
    });
    const replica = await Replica.start({ swarm, namespace: group.namespace, folder });
    const witness = await GroupWitness.start(swarm, group.namespace, MEMBERS);
    try {
      await group.atSize(1);
      const quick = await transitionsOf(swarm, group, witness, transitions);
      replica.proxy.addRules({
        when: ({ isWrite }) => isWrite,
        disturb: async (exchange) => {
          await delay(SLOW_MS);
          await replica.proxy.pass(exchange);
        },
      });
      const slowOnes = Math.ceil(transitions * SLOW_SHARE);
      const slow = await transitionsOf(swarm, group, witness, slowOnes);
      return [
        patchRow(`P11a ${MEMBERS} members, Together`, quick, 0.3),
        patchRow('P11a the same, each write takes a second', slow, 1.2),
        recordedRow([...quick, ...slow]),
        writesRow(quick),
      ];
    } finally {
      witness.stop();
      await replica.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
    await swarm.stop();
  }
}

async function transitionsOf(
  swarm: Swarm,
  group: Group,
  witness: GroupWitness,
  count: number,
): Promise<readonly Transition[]> {
  const measured: Transition[] = [];
  const writes = (): readonly string[] => operatorWrites(swarm.audit, group.namespace);
  for (let round = 0; round < count; round += 1) {
    const before = writes().length;
    const size = SIZES[round % SIZES.length] ?? 1;
    await group.kubectl('scale', 'swarmgroup/shop', `--replicas=${size}`);
    const { transition } = await group.until(
      `has completed ${size}`,
      (status) => status.transition?.to === size && status.transition.state === 'Completed',
    );
    const { patchMs, readyMs } = witness.last;
    // The log may be a moment behind.
    await eventually('the log has the end', () => {
      const made = writes().slice(before);
      return made.includes(SCALE) && made.at(-1) === STATUS;
    });
    const made = writes().slice(before);
    measured.push({
      patchMs,
      readyMs,
      recordedPatchMs: transition?.times?.patchMilliseconds ?? Number.NaN,
      recordedReadyMs: transition?.times?.totalMilliseconds ?? Number.NaN,
      scales: made.filter((resource) => resource === SCALE).length,
      statuses: made.filter((resource) => resource === STATUS).length,
    });
  }
  return measured;
}

function patchRow(name: string, all: readonly Transition[], target: number): Measured {
  const seconds = all.map(({ patchMs }) => patchMs / 1_000);
  const p99 = quantile(seconds, 0.99);
  return {
    name: `${name}: request seen to last patch, p99`,
    value: `${p99.toFixed(3)} s`,
    target: `${target} s`,
    isReached: p99 <= target,
    note: `${all.length} transitions, median ${quantile(seconds, 0.5).toFixed(3)} s`,
  };
}

const NEAR_MS = 100;

function recordedRow(all: readonly Transition[]): Measured {
  const isNear = (one: Transition): boolean =>
    Math.abs(one.patchMs - one.recordedPatchMs) <= NEAR_MS &&
    Math.abs(one.readyMs - one.recordedReadyMs) <= NEAR_MS;
  const near = all.filter(isNear).length;
  const furthest = Math.max(
    ...all.flatMap((one) => [
      Math.abs(one.patchMs - one.recordedPatchMs),
      Math.abs(one.readyMs - one.recordedReadyMs),
    ]),
  );
  return {
    name: 'P11e recorded times within 0.1 s of a witness',
    value: `${near} of ${all.length}`,
    target: '99 of 100',
    isReached: near / all.length >= 0.99,
    note: `furthest ${furthest.toFixed(0)} ms`,
  };
}

function writesRow(all: readonly Transition[]): Measured {
  const most = (of: (one: Transition) => number): number => Math.max(...all.map(of));
  const [scales, statuses] = [most((one) => one.scales), most((one) => one.statuses)];
  return {
    name: `P11f writes of a transition of ${MEMBERS}`,
    value: `${scales} scales, ${statuses} of status`,
    target: `${MEMBERS} scales, 3 of status`,
    isReached: scales <= MEMBERS && statuses <= 3,
    note: `the most of ${all.length}; a refused one counts`,
  };
}
