// What do the jobs of the walk run? Short shell commands that end in every way.
import type { Random } from '../../sim/random.ts';

/** Seconds; none outlives this for long, so that the walk can rest. */
const LONGEST = 7;
const GRACE_SECONDS = 4;

const waits = (seconds: number): string =>
  `n=0; while [ $n -lt ${10 * seconds} ]; do sleep 0.1; n=$((n+1)); done`;

export function command(random: Random): readonly string[] {
  const work = waits(random.between(1, LONGEST));
  const script = random.pick([
    work,
    work,
    `${work}; exit ${random.between(1, 3)}`,
    'exit 0',
    waits(1),
    `trap "exit 0" TERM; ${work}`,
    `trap "exit 0" TERM; ${waits(LONGEST)}`,
    `trap "exit 0" TERM; ${work}`,
    `trap "" TERM; ${work}`,
    `trap "sleep 2; exit 0" TERM; ${work}`,
  ]);
  return ['sh', '-c', script];
}

/** `cpu`: what each pod requests. */
export const podSpec = (random: Random, cpu: string): object => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: GRACE_SECONDS,
  containers: [
    { name: 'main', image: 'busybox', command: command(random), resources: { requests: { cpu } } },
  ],
});

export const graceSpec = { terminationGracePeriodSeconds: GRACE_SECONDS };

export const drawCpu = (random: Random): string => random.pick(['50m', '50m', '100m', '200m']);
