// P11g: how long does it take to bring the seven services of samples/teastore from one size to
// another, by a group and by a loop of kubectl? With real pods on the playground's node.
import { fileURLToPath } from 'node:url';
import { Swarm } from '../test/integration/support/swarm.ts';
import { eventually } from '../test/support/processes.ts';
import { replicasAt, Teastore, type Way } from './groups/ways.ts';
import { GroupWitness } from './groups/witness.ts';
import { type Measured, quantile } from './instruments/measure.ts';

const SIZES = [1, 3, 5, 2] as const;
/** The one that takes longest to start, and the one that has the most pods. */
const SLOWEST = ['teastore-image', 'teastore-webui'] as const;
const ALLOWED_SECONDS = 0.5;

const sample = fileURLToPath(new URL('../samples/teastore', import.meta.url));

type Step = { readonly from: number; readonly to: number };

const steps: readonly Step[] = SIZES.slice(1).map((to, index) => ({ from: SIZES[index] ?? 1, to }));

export async function benchTeastore(repeat: number): Promise<readonly Measured[]> {
  const swarm = await Swarm.start({ controlPlane: {} });
  try {
    await swarm.operator('--leader-election', 'false');
    await swarm.kubectl('apply', '-k', sample);
    const names = Object.keys(replicasAt(1));
    const witness = await GroupWitness.start(swarm, 'teastore', names.length);
    const teastore = new Teastore(swarm);
    const together = teastore.byGroup('Together');
    const alone = SLOWEST.map((member) => teastore.alone(member));
    const ways = [
      together,
      teastore.byGroup('Staged'),
      teastore.byLoop('all at once'),
      teastore.byLoop('by stage'),
      ...alone,
    ];
    try {
      await untilReady(witness, replicasAt(1));
      const seconds = await measure(ways, witness, repeat);
      return rowsOf(ways, together, alone, seconds);
    } finally {
      witness.stop();
    }
  } finally {
    await swarm.stop();
  }
}

type Seconds = ReadonlyMap<string, readonly number[]>;

const keyOf = ({ name }: Way, { from, to }: Step): string => `${from} -> ${to}, ${name}`;

/** All ways in turn, so that other work on the machine hits each alike. */
async function measure(
  ways: readonly Way[],
  witness: GroupWitness,
  repeat: number,
): Promise<Seconds> {
  const seconds = new Map<string, number[]>();
  for (let round = 0; round < repeat; round += 1)
    for (const way of ways) {
      await way.prepare();
      for (const step of steps) {
        const key = keyOf(way, step);
        const taken = await secondsOf(way, step, witness);
        seconds.set(key, [...(seconds.get(key) ?? []), taken]);
      }
      const last = SIZES.at(-1) ?? 1;
      await way.go(last, SIZES[0]);
      await untilReady(witness, replicasAt(SIZES[0]));
    }
  return seconds;
}

/** From before the command until the last member is ready, as a watch of the members sees it. */
async function secondsOf(way: Way, { from, to }: Step, witness: GroupWitness): Promise<number> {
  const start = performance.now();
  await way.go(from, to);
  const end = await untilReady(witness, way.replicasAt(to));
  return (end - start) / 1_000;
}

async function untilReady(
  witness: GroupWitness,
  wanted: Readonly<Record<string, number>>,
): Promise<number> {
  let end: number | undefined;
  await eventually('the members are ready', () => {
    end = witness.readyAt(wanted);
    return end !== undefined;
  });
  return end ?? Number.NaN;
}

function rowsOf(
  ways: readonly Way[],
  together: Way,
  alone: readonly Way[],
  seconds: Seconds,
): readonly Measured[] {
  const median = (way: Way, step: Step): number =>
    quantile(seconds.get(keyOf(way, step)) ?? [], 0.5);
  return steps.flatMap((step) => {
    const most = Math.max(...alone.map((way) => median(way, step))) + ALLOWED_SECONDS;
    return ways.map((way): Measured => {
      const taken = seconds.get(keyOf(way, step)) ?? [];
      const value = `p50 ${median(way, step).toFixed(2)} s, max ${Math.max(...taken).toFixed(2)} s`;
      const row = { name: `P11g ${keyOf(way, step)}`, value, note: `${taken.length} times` };
      if (way !== together) return row;
      const target = `${most.toFixed(2)} s: the slowest member alone + ${ALLOWED_SECONDS} s`;
      return { ...row, target, isReached: median(way, step) <= most };
    });
  });
}
