// swarmctl group experiment: how long do groups take from size to size, in each order?
import { closeSync, openSync, writeSync } from 'node:fs';
import { kinds } from '../../../api/kinds.ts';
import type { KubeObject } from '../../../api/objects.ts';
import { parseSwarmGroup } from '../../../api/validate.ts';
import { plural } from '../../../core/text.ts';
import { hasCode, KubeError } from '../../../runtime/client/errors.ts';
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  groupExitCodes,
  groupFlags,
  output,
} from '../../arguments/command.ts';
import { print, type Terminal } from '../../arguments/terminal.ts';
import { timeoutFlag } from '../../arguments/waiting.ts';
import { interrupts } from '../../cluster/changes.ts';
import { type Cluster, readObject, withCluster } from '../../cluster/connect.ts';
import { readMemberAnnotations } from '../../cluster/member-annotations.ts';
import { heldIn } from '../../experiment/held-group.ts';
import { whyNotTried } from '../../experiment/preconditions.ts';
import { csvHeader, csvLines, type Measurement } from '../../experiment/record.ts';
import { type Experiment, GroupTrial, type Surroundings } from '../../experiment/run.ts';
import { summaryOf, summaryTable } from '../../experiment/summary.ts';
import { sizesIn } from '../../experiment/walk.ts';
import { WatchedGroups } from '../../experiment/watched-groups.ts';
import { tableLines } from '../../render.ts';

export const groupExperiment: Command = command(
  {
    name: 'group experiment',
    summary: 'measure how long groups take from size to size, repeatedly, in each order',
    operands: { usage: 'GROUP...', least: 1, most: 100 },
    about: `Scales the groups, one after the other, through the sizes and back to the first: with --sizes 1,3,5,2 a round is 1 -> 3 -> 5 -> 2 -> 1.
The command sets the next size when all members are ready at the current one. It does not record the warm-up rounds. It writes progress
to standard error. The times are those that the operator measured (status.transition.times); unmeasured values stay empty.

CSV, with a line for each member of each transition, goes to --out, by default to standard output; a summary follows (on standard error
if the CSV is on standard output). Each line is written as soon as it is known, but on a terminal all lines are written at the end.

A group must have policy.type Manual, be Ready, and be neither paused nor scaled by an autoscaler. At the end the command restores the
size and the order of the group, also after Ctrl-C (a second Ctrl-C exits at once, and prints what was not restored). If a transition
fails, or another client of the API server changes the group, the rounds of that group end: the command reports it, restores the group
except for what the other client set, and continues with the next group. If a size is not reached within twice the group's
transition.timeoutSeconds plus --timeout, as where no operator runs, the experiment ends: the command restores the group and exits with 1.
The Kubernetes role edit has all permissions that it needs.

${groupExitCodes}
1 means: a group is not suitable, a transition failed or did not end in time, another client changed a group, or the experiment was
interrupted.`,
    examples: [
      [
        'swarmctl group experiment teastore --sizes 1,3,5,2 --out times.csv',
        'ten rounds in each order',
      ],
      [
        'swarmctl group experiment web cache --sizes 1,2 --repeat 3 --warm-up 0 --order Staged > times.csv',
        'a short experiment with two groups',
      ],
    ],
    flags: {
      sizes: {
        type: 'list',
        value: 'N,N...',
        required: 'missing; expected two or more sizes, such as 1,3,5,2',
        help: 'the sizes of a round',
      },
      repeat: {
        type: 'whole',
        value: 'N',
        least: 1,
        most: 1_000,
        fallback: 10,
        help: 'number of recorded rounds',
      },
      warmUp: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 100,
        fallback: 1,
        help: 'number of warm-up rounds, which are not recorded',
      },
      order: {
        type: 'choices',
        value: 'ORDER,...',
        among: ['Together', 'Staged'],
        help: 'the values of transition.order to test',
      },
      out: { type: 'text', value: 'FILE', help: 'the CSV file; an existing file is overwritten' },
      timeout: timeoutFlag('10m', "for each size, beyond twice the group's time-out"),
      output,
      ...groupFlags,
    },
  },
  ({ values, operands }, terminal) => {
    const { repeat, warmUp, order: orders, output: format } = values;
    const experiment: Experiment = { sizes: sizesIn(values.sizes), orders, repeat, warmUp };
    const names = [...new Set(operands)];
    if (names.length < operands.length) throw new CommandError('a group is named more than once');
    return withCluster(values, async (cluster) => {
      const objects = await triable(cluster, names, experiment, terminal);
      if (objects === undefined) return exitCodes.no;
      const file = values.out === '-' ? undefined : values.out;
      const isPrinted = file === undefined && (format === 'text' || format === 'wide');
      const csv = file !== undefined ? csvFile(file) : isPrinted ? csvOn(terminal) : noCsv;
      csv.write(csvHeader);
      const measurements: Measurement[] = [];
      const record = (it: Measurement): void => {
        measurements.push(it);
        for (const line of csvLines(it)) csv.write(line);
      };
      const given = { experiment, timeoutMs: values.timeout, record };
      const isWhole = await tryAll(cluster, objects, given, terminal);
      csv.end();
      const summary = summaryOf(measurements);
      const lines = summary.length === 0 ? [] : tableLines(summaryTable(summary), terminal.width);
      if (isPrinted) for (const line of lines) terminal.note(line);
      else print(terminal, format, { summary, measurements }, () => lines);
      return isWhole ? exitCodes.ok : exitCodes.no;
    });
  },
);

/** Undefined: not all can be tried, and each is told why. */
async function triable(
  cluster: Cluster,
  names: readonly string[],
  { sizes }: Experiment,
  terminal: Terminal,
): Promise<readonly KubeObject[] | undefined> {
  const objects = await Promise.all(
    names.map((name) => readObject(cluster, kinds.SwarmGroup, name)),
  );
  const autoscalers = await autoscalersIn(cluster, terminal);
  const now = systemClock.now();
  const refusals = objects.map(async (object) => {
    const annotations = await readMemberAnnotations(cluster, parseSwarmGroup(object));
    const why = whyNotTried({ object, sizes, autoscalers, annotations, now });
    return why === undefined ? [] : [`SwarmGroup ${object.metadata.name}: ${why}`];
  });
  const refused = (await Promise.all(refusals)).flat();
  for (const text of refused) terminal.problem(text);
  return refused.length === 0 ? objects : undefined;
}

async function autoscalersIn(
  { api, namespace }: Cluster,
  terminal: Terminal,
): Promise<readonly KubeObject[]> {
  try {
    return (await api.list(kinds.HorizontalPodAutoscaler, namespace)).items;
  } catch (error) {
    if (!(error instanceof KubeError) || !hasCode(error, 'Forbidden', 'NotFound')) throw error;
    terminal.problem(`cannot check whether an autoscaler scales a group: ${error.message}`);
    return [];
  }
}

type Csv = { readonly write: (line: string) => void; readonly end: () => void };

const noCsv: Csv = { write: () => undefined, end: () => undefined };

/** Opened before anything is scaled. */
function csvFile(file: string): Csv {
  const opened = openSync(file, 'w');
  return {
    write: (line) => void writeSync(opened, `${line}\n`),
    end: () => closeSync(opened),
  };
}

/** On a terminal it is printed at once, since it would mix with the lines of progress. */
function csvOn({ out, width }: Terminal): Csv {
  const isTerminal = width < Number.MAX_SAFE_INTEGER;
  const lines: string[] = [];
  return {
    write: (line) => (isTerminal ? void lines.push(line) : out(line)),
    end: () => (lines.length > 0 ? out(lines.join('\n')) : undefined),
  };
}

type Given = Pick<Surroundings, 'timeoutMs' | 'record'> & { readonly experiment: Experiment };

async function tryAll(
  { api, namespace }: Cluster,
  objects: readonly KubeObject[],
  { experiment, ...given }: Given,
  terminal: Terminal,
): Promise<boolean> {
  const { ended, abandoned, release } = interrupts();
  const tell = (text: string): void => terminal.note(text);
  const groups = new WatchedGroups({ api, clock: systemClock, tell }, namespace);
  const around = { api, clock: systemClock, groups, tell, ...given, ended, abandoned };
  let current: GroupTrial | undefined;
  abandoned.addEventListener('abort', () => {
    const { name, left = [] } = current ?? {};
    if (left.length > 0) terminal.problem(`${name} was not restored: ${left.join(', ')}`);
    // A request that has no answer must not keep the process.
    process.exit(exitCodes.no);
  });
  const whole: boolean[] = [];
  try {
    for (const object of objects) {
      const found = heldIn(object);
      if (ended.aborted || found === undefined) break;
      current = new GroupTrial(experiment, around, object, found);
      whole.push(await current.run());
      if (current.isLate) break;
    }
  } finally {
    await groups.stop();
    release();
  }
  const left = objects.length - whole.length;
  if (left > 0) terminal.problem(`${plural(left, 'group')} not measured`);
  return !ended.aborted && whole.length === objects.length && whole.every(Boolean);
}
