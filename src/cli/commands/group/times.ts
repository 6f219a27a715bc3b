// swarmctl group times: how long did transitions take, and which member was the slowest?
import type { SwarmGroup } from '../../../api/validate.ts';
import { plural } from '../../../core/text.ts';
import {
  type Command,
  command,
  exitCodes,
  groupExitCodes,
  groupFlags,
  output,
} from '../../arguments/command.ts';
import { print } from '../../arguments/terminal.ts';
import { readGroup, withCluster } from '../../cluster/connect.ts';
import { spreadOf } from '../../group/percentiles.ts';
import { type Cell, type Line, right, type Table, tableLines } from '../../render.ts';
import { durationText, sinceText } from '../../views/time.ts';

export const groupTimes: Command = command(
  {
    name: 'group times',
    summary: 'show how long the last transitions of a group took, and which member was the slowest',
    operands: { usage: 'GROUP', least: 1, most: 1 },
    about: `Shows the last 20 transitions, newest first. TOTAL is the time until the last member was ready, PATCH the time until the API server had
accepted the new size of the last member; both by the operator's clock, from the moment when it saw the request. A dash means: not
measured, because the transition failed or another leader took over. Also shows percentiles of the completed transitions, and the members
of the last transition.

${groupExitCodes}`,
    examples: [
      ['swarmctl group times teastore', 'one group'],
      ['swarmctl group times teastore -o json', 'as JSON'],
    ],
    flags: { output, ...groupFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const times = timesOf(await readGroup(cluster, name));
      print(terminal, values.output, times, () => linesOf(times, terminal.width, Date.now()));
      return exitCodes.ok;
    }),
);

type Times = ReturnType<typeof timesOf>;

function timesOf({ meta: { namespace, name }, status }: SwarmGroup) {
  const history = status?.history ?? [];
  const completed = history.filter(({ outcome }) => outcome === 'Completed');
  return {
    namespace,
    group: name,
    total: spreadOf(completed.map(({ totalMilliseconds }) => totalMilliseconds)),
    patch: spreadOf(completed.map(({ patchMilliseconds }) => patchMilliseconds)),
    history,
    members: status?.transition?.times?.members ?? [],
  };
}

function linesOf(times: Times, width: number, now: number): readonly Line[] {
  const { namespace, group, total, patch, history, members } = times;
  const facts = [
    `${plural(history.length, 'transition')}, ${total.count} completed and measured`,
    ...spreadText('total', total),
    ...spreadText('patch', patch),
  ];
  return [
    [
      { text: `SwarmGroup ${namespace}/${group}`, style: 'strong' },
      { text: `: ${facts.join('; ')}` },
    ],
    ...(history.length === 0 ? [] : ['', ...tableLines(historyTable(times, now), width)]),
    ...(members.length === 0 ? [] : ['', ...tableLines(membersTable(times), width)]),
  ];
}

function spreadText(what: string, spread: Times['total']): readonly string[] {
  const { p50Milliseconds, p90Milliseconds, maxMilliseconds } = spread;
  if (maxMilliseconds === undefined) return [];
  return [
    `${what} p50 ${durationText(p50Milliseconds)}, p90 ${durationText(p90Milliseconds)}, longest ${durationText(maxMilliseconds)}`,
  ];
}

const historyTable = ({ history }: Times, now: number): Table => ({
  columns: [...['AGE', 'FROM', 'TO', 'TOTAL', 'PATCH'].map(right), 'OUTCOME', 'REASON', 'SLOWEST'],
  rows: history.map((it): Cell[] => [
    sinceText(it.requestTime, now),
    it.from,
    it.to,
    durationText(it.totalMilliseconds),
    durationText(it.patchMilliseconds),
    { text: it.outcome, style: it.outcome === 'Completed' ? 'good' : 'busy' },
    it.reason,
    it.slowest,
  ]),
});

const membersTable = ({ members }: Times): Table => ({
  columns: ['MEMBER OF THE LAST', ...['PATCH', 'READY'].map(right), ''],
  rows: members.map((it): Cell[] => [
    `${it.kind}/${it.name}`,
    durationText(it.patchMilliseconds),
    durationText(it.readyMilliseconds),
    '',
  ]),
});
