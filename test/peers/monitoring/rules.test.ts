// Does each alert fire when it should, with the right message, and only then? Tested with promtool
// on the rules of the manifests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { asString, dig } from '../../../src/api/objects.ts';
import { programs } from '../../support/prometheus.ts';
import { ruleFile, rules } from './manifests.ts';

const run = programs === undefined ? describe.skip : describe;
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-rules-'));
writeFileSync(path.join(folder, 'rules.yaml'), dump(ruleFile));

afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Samples are a minute apart, in promtool's notation: `1x30` is thirty times 1, `0+2x5` grows by 2
 * five times.
 */
type Series = Readonly<Record<string, string>>;
type Firing = { readonly labels: Series; readonly summary: string };

function promtool(...args: readonly string[]): string {
  if (programs === undefined) return 'there is no promtool';
  const { status, stdout, stderr } = spawnSync(programs.promtool, args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return status === 0 ? 'SUCCESS' : `${stdout}${stderr}`;
}

function test(name: string, series: Series, expected: object): string {
  const file = path.join(folder, `${name}.yaml`);
  const input = Object.entries(series).map(([of, values]) => ({ series: of, values }));
  const tests = [{ interval: '1m', input_series: input, ...expected }];
  writeFileSync(file, dump({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }));
  return promtool('test', 'rules', file);
}

const ruleOf = (alert: string): unknown => rules.find((rule) => dig(rule, 'alert') === alert);

/** After this many minutes these alerts fire, and no others. */
function alerts(alert: string, series: Series, minutes: number, firing: readonly Firing[]): string {
  const rule = ruleOf(alert);
  const description = asString(dig(rule, 'annotations', 'description'));
  const expected = firing.map(({ labels, summary }) => ({
    exp_labels: { severity: dig(rule, 'labels', 'severity'), ...labels },
    exp_annotations: { summary, description },
  }));
  return test(alert, series, {
    alert_rule_test: [{ eval_time: `${minutes}m`, alertname: alert, exp_alerts: expected }],
  });
}

const pool = (name: string, more = ''): string =>
  `swarm_pool_${name}{namespace="n",pool="p"${more}}`;
const ofPool = { namespace: 'n', pool: 'p' };
const group = (name: string, more = ''): string =>
  `swarm_group_${name}{namespace="n",group="g"${more}}`;
const ofGroup = { namespace: 'n', group: 'g' };
const ended = (outcome: string, replica = 'a'): string =>
  group('transitions_total', `,outcome="${outcome}",instance="${replica}"`);
const operator = { namespace: 'ops', job: 'swarm' };
const leader = (replica: string): string =>
  `swarm_operator_leader{namespace="ops",job="swarm",instance="${replica}"}`;
const watches = (reason: string): string =>
  `swarm_operator_watch_restarts_total{namespace="ops",job="swarm",instance="a",resource="pods",reason="${reason}"}`;
const requests = (result: string): string =>
  `swarm_operator_api_requests_total{namespace="ops",job="swarm",instance="a",verb="patch",resource="configmaps",result="${result}"}`;
const worker = { namespace: 'n', pod: 'w-0' };
const ofWorker = (name: string): string => `swarm_worker_${name}{namespace="n",pod="w-0"}`;
const restarts = 'swarm_worker_stream_restarts_total{namespace="n",pod="w-0",stream="cnbc"}';

/** One more restart after each time of so many minutes, for an hour. */
const everyMinutes = (minutes: number): string =>
  Array.from({ length: 60 / minutes }, (_, count) => `${count}x${minutes - 1}`).join(' ');

type Row = readonly [
  alert: string,
  when: string,
  series: Series,
  minutes: number,
  labels: Series,
  summary: string,
  /** Series for which it does not fire at that time, by description. */
  quiet: Readonly<Record<string, Series>>,
];

const atWork = { [pool('stalled')]: '0x30', [pool('paused')]: '0x30' };
const slow = { [pool('converged')]: '0x30', ...atWork };
const steady = (name: string, value: number): Series => ({ [pool(name)]: `${value}x30` });

const unready = {
  [group('ready')]: '0x30',
  [group('stalled')]: '0x30',
  [group('paused')]: '0x30',
};
const stuck = { [group('stalled')]: '1x30', [group('conflicted')]: '0x30' };

const rows: readonly Row[] = [
  [
    'SwarmPoolNotConverged',
    'a pool has not converged for a quarter of an hour',
    slow,
    15,
    ofPool,
    'SwarmPool n/p has not converged for 15 minutes',
    {
      'it converged in between': { ...slow, [pool('converged')]: '0x7 1 0x20' },
      'it is stalled': { ...slow, [pool('stalled')]: '1x30' },
      'it is paused': { ...slow, [pool('paused')]: '1x30' },
    },
  ],
  [
    'SwarmPoolStalled',
    'a pool is stalled',
    steady('stalled', 1),
    5,
    ofPool,
    'SwarmPool n/p is stalled',
    {
      'it is not stalled': steady('stalled', 0),
      'it was stalled for a moment': { [pool('stalled')]: '0 1 1 0x30' },
    },
  ],
  [
    'SwarmPoolStreamsUnassigned',
    'streams have no worker',
    steady('streams_unassigned', 3),
    10,
    ofPool,
    '3 streams of SwarmPool n/p have no worker',
    { 'all have a worker': steady('streams_unassigned', 0) },
  ],
  [
    'SwarmPoolStreamsFailing',
    'streams fail',
    steady('streams_failing', 2),
    5,
    ofPool,
    '2 streams of SwarmPool n/p are failing',
    {
      'none fails': steady('streams_failing', 0),
      'one failed for a moment': { [pool('streams_failing')]: '0 1 1 0x30' },
    },
  ],
  [
    'SwarmPoolStreamsWithoutOwner',
    'streams run nowhere',
    steady('streams_without_owner', 2),
    10,
    ofPool,
    '2 streams of SwarmPool n/p run on no worker',
    { 'they are moving': { [pool('streams_without_owner')]: '0 2 2 0x20' } },
  ],
  [
    'SwarmPoolWorkersStuck',
    'workers do not confirm',
    steady('workers_stuck', 1),
    5,
    ofPool,
    '1 workers of SwarmPool n/p are stuck',
    { 'all confirm': steady('workers_stuck', 0) },
  ],
  [
    'SwarmPoolDoubledOwners',
    'streams are run twice',
    steady('streams_doubled', 4),
    5,
    ofPool,
    '4 streams of SwarmPool n/p run on more than one worker',
    { 'they are moving': { [pool('streams_doubled')]: '0 4 4 0x20' } },
  ],
  [
    'SwarmPoolExclusiveBroken',
    'an exclusive stream had two owners',
    { [pool('doubled_owners_total')]: '0 0 1x20', [pool('handoff_exclusive')]: '1x30' },
    3,
    ofPool,
    'SwarmPool n/p has handoff Exclusive, but a stream had two owners',
    {
      'the pool is not Exclusive': {
        [pool('doubled_owners_total')]: '0 0 1x20',
        [pool('handoff_exclusive')]: '0x30',
      },
      'it happened before the operator started': {
        [pool('doubled_owners_total')]: '7x20',
        [pool('handoff_exclusive')]: '1x30',
      },
    },
  ],
  [
    'SwarmGroupNotReady',
    'a group has not been ready for a quarter of an hour',
    unready,
    15,
    ofGroup,
    'SwarmGroup n/g has not been ready for 15 minutes',
    {
      'it was ready in between': { ...unready, [group('ready')]: '0x7 1 0x20' },
      'it is stalled': { ...unready, [group('stalled')]: '1x30' },
      'it is paused': { ...unready, [group('paused')]: '1x30' },
    },
  ],
  [
    'SwarmGroupStalled',
    'a group is stalled',
    stuck,
    5,
    ofGroup,
    'SwarmGroup n/g is stalled',
    {
      'it is not stalled': { ...stuck, [group('stalled')]: '0x30' },
      'it was stalled for a moment': { ...stuck, [group('stalled')]: '0 1 1 0x30' },
      'a member is in conflict': { ...stuck, [group('conflicted')]: '1x30' },
    },
  ],
  [
    'SwarmGroupConflicted',
    'a member is in conflict for long',
    { [group('conflicted')]: '1x30' },
    15,
    ofGroup,
    'An autoscaler, a pool, an older group or a user scales a member of SwarmGroup n/g',
    {
      'only the group scales its members': { [group('conflicted')]: '0x30' },
      'a conflict has ended': { [group('conflicted')]: '1x10 0x20' },
    },
  ],
  [
    'SwarmGroupMetricMissing',
    'a group has no metric to be sized by',
    { [group('metric_missing')]: '1x30' },
    15,
    ofGroup,
    'SwarmGroup n/g has had no metric for 15 minutes',
    {
      'there is one': { [group('metric_missing')]: '0x30' },
      'it came back in between': { [group('metric_missing')]: '1x10 0 1x14' },
    },
  ],
  [
    'SwarmGroupTransitionsFail',
    'three transitions fail, under two leaders',
    {
      [ended('RolledBack')]: '0x79 1x19 2x40 _x200',
      [ended('TimedOut', 'b')]: '_x140 0x19 1x200',
      [ended('Completed', 'b')]: '_x140 0x19 5x200',
    },
    300,
    ofGroup,
    'SwarmGroup n/g repeatedly fails to reach its size',
    {
      'two failed': { [ended('RolledBack')]: '0x79 1x19 2x300' },
      'three failed, the first one long ago': { [ended('TimedOut')]: '0x5 1x200 2x40 3x100' },
      'transitions end well, or are overtaken': {
        [ended('Completed')]: '0+1x340',
        [ended('Superseded')]: '0+1x340',
        [ended('TimedOut')]: '0x340',
      },
    },
  ],
  [
    'SwarmOperatorNoLeader',
    'two replicas run and none leads',
    { [leader('a')]: '1 1 0x30', [leader('b')]: '0x30' },
    7,
    operator,
    'The swarm operator has no leader',
    {
      'one leads': { [leader('a')]: '0x30', [leader('b')]: '1x30' },
      'they take turns': { [leader('a')]: '1 1 0x30', [leader('b')]: '0 0 0 1x30' },
    },
  ],
  [
    'SwarmOperatorWatchRestarts',
    'a watch breaks all the time',
    { [watches('Unreachable')]: '0+2x30' },
    20,
    { ...operator, resource: 'pods' },
    'The watch of pods keeps breaking',
    {
      'the watch is only renewed': { [watches('Gone')]: '0+9x30', [watches('Timeout')]: '0+9x30' },
      'it broke once': { [watches('Unavailable')]: '0 0 5x30' },
    },
  ],
  [
    'SwarmOperatorKindOff',
    'a CRD is not installed',
    { 'swarm_operator_kind_on{kind="SwarmPool",reason="NotInstalled"}': '0x60' },
    10,
    { kind: 'SwarmPool', reason: 'NotInstalled' },
    'The swarm operator does not reconcile SwarmPool (NotInstalled)',
    {
      'it works': { 'swarm_operator_kind_on{kind="SwarmPool",reason=""}': '1x60' },
      'the kind was left out': {
        'swarm_operator_kind_on{kind="SwarmPool",reason="LeftOut"}': '0x60',
      },
    },
  ],
  [
    'SwarmOperatorNamespaceUnreadable',
    'a namespace cannot be read',
    {
      'swarm_operator_namespace_unreadable{kind="SwarmPool",namespace="team-a",reason="Forbidden"}':
        '1x60',
    },
    10,
    { kind: 'SwarmPool', namespace: 'team-a' },
    'The swarm operator cannot read namespace team-a for SwarmPool',
    {
      'it is being listed': {
        'swarm_operator_namespace_unreadable{kind="SwarmPool",namespace="team-a",reason="Syncing"}':
          '1x60',
      },
    },
  ],
  [
    'SwarmOperatorForbidden',
    'a permission is missing',
    { [requests('403')]: '0+1x60' },
    20,
    { ...operator, verb: 'patch', resource: 'configmaps' },
    "The API server refuses the swarm operator's requests to patch configmaps",
    {
      'writes were refused only as stale': {
        [requests('409')]: '0+1x60',
        [requests('200')]: '0+9x60',
      },
    },
  ],
  [
    'SwarmWorkerBehind',
    'a worker does not apply what it read',
    { [ofWorker('wanted_version')]: '7x30', [ofWorker('confirmed_version')]: '6x30' },
    5,
    worker,
    'n/w-0 has not applied its assignment for 5 minutes',
    {
      'it has applied it': {
        [ofWorker('wanted_version')]: '7x30',
        [ofWorker('confirmed_version')]: '7x30',
      },
    },
  ],
  [
    'SwarmStreamRestarting',
    'a stream ends again and again',
    { [restarts]: everyMinutes(3) },
    20,
    { ...worker, stream: 'cnbc' },
    'n/w-0 keeps restarting stream cnbc',
    {
      'the stream runs': { [restarts]: '1x30' },
      'the stream ends every five minutes': { [restarts]: everyMinutes(5) },
      'it ended three times in a row': { [restarts]: '0x8 3x30' },
      'it has run well for a quarter of an hour': { [restarts]: '0+2x4 8x30' },
    },
  ],
];

run('the rules', () => {
  it('the rules pass promtool', () =>
    expect(promtool('check', 'rules', 'rules.yaml')).toBe('SUCCESS'));

  it('each alert has a test', () => {
    const named = rules.flatMap((rule) => asString(dig(rule, 'alert')) ?? []);
    expect(rows.map(([alert]) => alert).sort()).toEqual([...named].sort());
  });

  it('each alert is documented', () => {
    const text = readFileSync(new URL('../../../docs/how-to/observe.md', import.meta.url), 'utf8');
    const told = [...text.matchAll(/^\| `(Swarm\w+)`/gm)].map(([, name = '']) => name);
    expect([...told].sort()).toEqual(rows.map(([alert]) => alert).sort());
  });
});

run.each(rows)('%s', (alert, when, series, minutes, labels, summary, quiet) => {
  it(`${alert} fires when ${when}`, () =>
    expect(alerts(alert, series, minutes, [{ labels, summary }])).toBe('SUCCESS'));
  it.each(Object.entries(quiet))(`${alert} does not fire when %s`, (_, others) =>
    expect(alerts(alert, others, minutes, [])).toBe('SUCCESS'),
  );
});

run('SwarmOperatorNoLeader', () => {
  it('SwarmOperatorNoLeader fires when there is no operator at all', () => {
    const summary = 'The swarm operator has no leader';
    expect(alerts('SwarmOperatorNoLeader', { up: '1x30' }, 6, [{ labels: {}, summary }])).toBe(
      'SUCCESS',
    );
  });
});

run('SwarmStreamRestarting', () => {
  it('SwarmStreamRestarting goes on firing while a stream ends every three minutes', () => {
    const firing = [
      {
        labels: { ...worker, stream: 'cnbc' },
        summary: 'n/w-0 keeps restarting stream cnbc',
      },
    ];
    const series = { [restarts]: everyMinutes(3) };
    const told = Array.from({ length: 30 }, (_, at) =>
      alerts('SwarmStreamRestarting', series, 20 + at, firing),
    );
    expect(new Set(told)).toEqual(new Set(['SUCCESS']));
  });
});

const bucket = (le: string): string => pool('convergence_seconds_bucket', `,le="${le}"`);
const requestBucket = (le: string): string =>
  `swarm_operator_api_request_duration_seconds_bucket{verb="patch",instance="a",le="${le}"}`;

type Recorded = readonly [record: string, series: Series, labels: string, value: number];

const recorded: readonly Recorded[] = [
  [
    'namespace_pool:swarm_pool_convergence_seconds:p95_1h',
    { [bucket('1')]: '0+0x60', [bucket('2')]: '0+6x60', [bucket('+Inf')]: '0+6x60' },
    '{namespace="n",pool="p"}',
    1.95,
  ],
  [
    'namespace_pool:swarm_pool_streams_assigned:ratio',
    { [pool('streams')]: '8x60', [pool('streams_unassigned')]: '2x60' },
    '{namespace="n",pool="p"}',
    0.75,
  ],
  [
    'verb_resource_result:swarm_operator_writes:rate5m',
    { [requests('200')]: '0+60x60' },
    '{verb="patch",resource="configmaps",result="200"}',
    1,
  ],
  [
    'verb:swarm_operator_api_request_duration_seconds:p99_5m',
    {
      [requestBucket('1')]: '0+0x60',
      [requestBucket('2')]: '0+6x60',
      [requestBucket('+Inf')]: '0+6x60',
    },
    '{verb="patch"}',
    1.99,
  ],
];

run('the recording rules', () => {
  it.each(recorded)('the recording rule %s gives its value', (record, series, labels, value) => {
    const samples = [{ labels: `${record}${labels}`, value }];
    expect(
      test('recorded', series, {
        promql_expr_test: [{ expr: record, eval_time: '50m', exp_samples: samples }],
      }),
    ).toBe('SUCCESS');
  });

  it('each recording rule has a test', () => {
    const named = rules.flatMap((rule) => asString(dig(rule, 'record')) ?? []);
    expect(recorded.map(([record]) => record).sort()).toEqual([...named].sort());
  });
});
