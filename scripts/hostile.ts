// Does the operator, with the heap of its Deployment, serve honest pools while a tenant with the
// role `edit` writes the worst it can?
import { attackKinds } from '../test/hostile/attack-order.ts';
import { soak } from '../test/hostile/soak.ts';
import { getBinaries } from './needs.ts';
import { parseOptions } from './options.ts';
import { record } from './run.ts';

const most = 999_999_999;
const { values } = parseOptions({
  name: 'hostile --',
  summary: 'run a hostile tenant next to twenty honest pools, on a real API server',
  operands: { usage: '', least: 0, most: 0 },
  about: `The operator runs in a separate process with leader election and the heap size of its Deployment. The seed determines the order of attacks.
Attacks: ${attackKinds.join(', ')}.
Exit codes: 0 every check passed, 1 at least one failed, 2 wrong command line.`,
  flags: {
    minutes: {
      type: 'number',
      value: 'NUMBER',
      fallback: 10,
      least: 1,
      most: 1_440,
      help: 'the duration of the attack',
    },
    seconds: {
      type: 'whole',
      value: 'NUMBER',
      least: 5,
      most: 86_400,
      help: 'the duration in seconds, instead of --minutes',
    },
    seed: {
      type: 'whole',
      value: 'NUMBER',
      least: 0,
      most,
      help: 'seed of the order of attacks; default: random',
    },
    withoutAttacker: { type: 'switch', help: 'run without the attacker, for comparison' },
    log: { type: 'text', value: 'FILE', help: "a file for the operator's log" },
    only: { type: 'text', value: 'KINDS', help: 'only these attacks, separated by commas' },
  },
  examples: [
    ['npm run hostile -- --minutes 10 --seed 7', 'ten minutes'],
    ['npm run hostile -- --seconds 10', 'as .ci/run does'],
    ['npm run hostile -- --only list-alias,sockets-idle --minutes 1', 'two of the attacks'],
  ],
});

/** Characters of a refusal. */
const LONGEST = 240;

/** The phase for comparison: as long as ten changes take, or a tenth of the duration. */
const LEAST_CALM_SECONDS = 10;

const only = values.only?.split(',');
const unknown = (only ?? []).filter((kind) => !attackKinds.includes(kind));
if (unknown.length > 0) {
  console.error(
    `unknown attack "${unknown.join('", "')}"; the attacks are ${attackKinds.join(', ')}`,
  );
  process.exit(2);
}
const seconds = values.seconds ?? 60 * values.minutes;
const seed = values.seed ?? Date.now() % most;
await getBinaries();
const { checks, figures, report } = await soak({
  seconds,
  calmSeconds: Math.max(LEAST_CALM_SECONDS, seconds / 10),
  seed,
  isAttacked: !values.withoutAttacker,
  only,
  logFile: values.log,
  say: (line) => console.log(`▸ ${line}`),
});

if (report !== undefined) {
  console.log(
    '\n| attack | times | writes taken | refused | the last refusal |\n| --- | --- | --- | --- | --- |',
  );
  for (const { kind, runs, taken, refused, lastRefusal = '' } of report.tallies)
    console.log(`| ${kind} | ${runs} | ${taken} | ${refused} | ${lastRefusal.slice(0, LONGEST)} |`);
  const sum = (of: 'runs' | 'taken' | 'refused'): number =>
    report.tallies.reduce((total, tally) => total + tally[of], 0);
  console.log(`| all | ${sum('runs')} | ${sum('taken')} | ${sum('refused')} | |`);
}
console.log(
  `\n| figure | |\n| --- | --- |\n${figures.map(([what, value]) => `| ${what} | ${value} |`).join('\n')}\n`,
);
for (const { name, problems } of checks) {
  console.log(`${problems.length === 0 ? '✓' : '✗'} ${name}`);
  for (const problem of problems.slice(0, 10)) console.log(`    ${problem}`);
  if (problems.length > 10) console.log(`    and ${problems.length - 10} more`);
}
const failed = checks.filter(({ problems }) => problems.length > 0).length;
if (failed > 0) {
  const last =
    report?.last.map(({ at, kind, on }) => `${new Date(at).toISOString()} ${kind} on ${on}`) ?? [];
  console.log(`\nseed ${seed}; the last attacks:\n${last.map((line) => `  ${line}`).join('\n')}`);
}
record('hostile', { passed: checks.length - failed, failed, skipped: 0 });
console.log(`\n${checks.length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
