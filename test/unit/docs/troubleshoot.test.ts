// Do the pages on troubleshooting explain every reason in the code, and no other?
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readDefinitions } from '../../../scripts/definitions/schema.ts';
import { fieldsOf } from '../../../scripts/reference/fields.ts';
import * as groupReasons from '../../../src/group/reasons.ts';
import * as jobReasons from '../../../src/job/reasons.ts';
import { jobConditions } from '../../../src/job/status/conditions.ts';
import * as poolReasons from '../../../src/pool/reasons.ts';
import * as queueReasons from '../../../src/queue/reasons.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The values that the definition of a kind allows in a field. */
const valuesOf = (kind: string, field: string): readonly unknown[] | undefined =>
  fieldsOf(
    readDefinitions(new URL('../../../crds/', import.meta.url)).find((it) => it.kind === kind)
      ?.schema ?? {},
    '',
  ).find(({ path }) => path === field)?.schema.enum;

/** The fields of an object in the definition of a kind. */
const namesIn = (kind: string, field: string): readonly string[] =>
  fieldsOf(
    readDefinitions(new URL('../../../crds/', import.meta.url)).find((it) => it.kind === kind)
      ?.schema ?? {},
    '',
  ).flatMap(({ path }) => (path.startsWith(`${field}.`) ? [path.slice(field.length + 1)] : []));

type Row = readonly [
  what: string,
  heading: string,
  head: string,
  wanted: readonly unknown[] | undefined,
];

type Told = {
  readonly page: string;
  readonly folder: string;
  readonly reasons: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  readonly least: number;
};

const pages: readonly Told[] = [
  {
    page: 'docs/how-to/troubleshoot.md',
    folder: 'src/pool/',
    reasons: poolReasons,
    rows: [
      ['obstacle', 'Nothing can be decided', 'reason', poolReasons.obstacleReasons],
      ['stream without a worker', 'A stream has no worker', 'reason', poolReasons.placementReasons],
      ['progress', 'Workers are not there yet', 'reason', poolReasons.progressReasons],
      [
        'state of a worker',
        'Workers are not there yet',
        'state',
        valuesOf('SwarmPool', '.status.workers[].state'),
      ],
      ['other reason', 'Other reasons of conditions', 'reason', poolReasons.stateReasons],
      ['event', 'Events of a pool', 'reason', poolReasons.eventReasons],
      ['change', 'Why something changed', 'reason', poolReasons.changeReasons],
    ],
    least: 40,
  },
  {
    page: 'docs/how-to/troubleshoot-groups.md',
    folder: 'src/group/',
    reasons: groupReasons,
    rows: [
      ['obstacle', 'Nothing can be decided', 'reason', groupReasons.obstacleReasons],
      [
        'conflict',
        'An autoscaler, a pool, an older group or a user scales a member',
        'reason',
        groupReasons.conflictReasons,
      ],
      ['progress', 'Why a group is not Ready', 'reason', groupReasons.progressReasons],
      [
        'state of a member',
        'Why a group is not Ready',
        'state',
        valuesOf('SwarmGroup', '.status.members[].state'),
      ],
      ['other reason', 'Other reasons of conditions', 'reason', groupReasons.stateReasons],
      ['limit', 'Other reasons of conditions', 'limit', groupReasons.limitReasons],
      ['proposal', 'Why the policy proposes a size', 'reason', groupReasons.proposalReasons],
      ['metric', 'Why there is no metric', 'reason', groupReasons.metricReasons],
      ['request', 'Why a transition began', 'reason', groupReasons.requestReasons],
      ['event', 'Events of a group', 'reason', groupReasons.eventReasons],
    ],
    least: 15,
  },
  {
    page: 'docs/how-to/troubleshoot-jobs.md',
    folder: 'src/queue/',
    reasons: queueReasons,
    rows: [
      ['job that never starts', 'Why a job never starts', 'reason', queueReasons.neverReasons],
      [
        'job that waits',
        'Why a job waits',
        'reason',
        [...queueReasons.roomReasons, ...queueReasons.pauseReasons, 'Queued'],
      ],
      [
        'state of a queue',
        'Why a queue admits nothing',
        'reason',
        [...queueReasons.obstacleReasons, ...queueReasons.conditionReasons],
      ],
      ['event of a pause', 'Why a queue admits nothing', 'event', queueReasons.pauseEventReasons],
      [
        'event of a labelled batch Job',
        'Why a labelled batch Job is queued again',
        'event',
        queueReasons.labelledJobReasons,
      ],
    ],
    least: 10,
  },
  {
    page: 'docs/how-to/troubleshoot-jobs.md',
    folder: 'src/job/',
    reasons: jobReasons,
    rows: [
      ['state of a job', 'The states of a job', 'state', valuesOf('SwarmJob', '.status.state')],
      ['obstacle', 'Nothing can be decided', 'reason', jobReasons.obstacleReasons],
      [
        'job that is held up',
        'Why an admitted job does not start',
        'reason',
        jobReasons.heldUpReasons,
      ],
      ['progress', 'How far a job is', 'reason', jobReasons.progressReasons],
      ['stop', 'Why a job is stopped', 'reason', jobReasons.stopReasons],
      ['failure', 'Why a job failed', 'reason', [...jobReasons.failureReasons, 'DeadlineExceeded']],
      ['cause', 'Why a job failed', 'cause', namesIn('SwarmJob', '.status.failures')],
      [
        'condition',
        'Conditions of a job',
        'condition',
        jobConditions({ state: 'Waiting', reason: '', message: '' }).map(({ type }) => type),
      ],
      ['other reason', 'Conditions of a job', 'reason', jobReasons.stateReasons],
    ],
    least: 15,
  },
];

describe.each(pages)('$page tells of $folder: every', ({ page, rows }) => {
  const text = readFileSync(`${root}${page}`, 'utf8');

  /** The first cells of the rows of tables with this head, under a heading. */
  function told(heading: string, head: string): readonly string[] {
    const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
    const table = section.split('\n\n').find((part) => part.startsWith(`| ${head} |`)) ?? '';
    return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason = '']) => reason);
  }

  it.each(rows)('the page lists every %s in the code, and no other', (_, heading, head, wanted) => {
    expect([...told(heading, head)].sort()).toEqual(
      [...(wanted ?? ['nothing to compare with'])].sort(),
    );
  });
});

describe.each(pages)('the reasons in $folder', ({ folder, reasons, least }) => {
  const all = [...new Set(Object.values(reasons).flatMap((it) => (Array.isArray(it) ? it : [])))];
  const files = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'reasons.ts',
  );
  const source = files.map((file) => readFileSync(`${root}${folder}${file}`, 'utf8')).join('\n');
  /** A reason that several kinds share. */
  const shared = readFileSync(`${root}src/core/blocked.ts`, 'utf8');

  it('the code uses every reason that is declared', () => {
    const used = source + shared;
    expect(all.filter((reason) => !used.includes(`'${reason}'`))).toEqual([]);
  });

  it('every reason that the code uses is declared, also those without a type', () => {
    const forms = [
      /\breason: '(\w+)'/g,
      /\bstalled(?:<.*>)?\(\s*'(\w+)'/g,
      /\bcondition\(\s*'\w+',\s*'\w+',\s*'(\w+)'/g,
      /\bcheck\(\s*'(\w+)'/g,
      /\bwaiting\(\s*'(\w+)'/g,
      /\bbecause\(\s*'(\w+)'/g,
      /\bheldUp\(\s*'(\w+)'/g,
      /\blimited\(\w+, '(\w+)'/g,
    ];
    const given = forms.flatMap((form) =>
      [...source.matchAll(form)].map(([, reason = '']) => reason),
    );
    expect(given.length).toBeGreaterThan(least);
    expect(given.filter((reason) => !all.includes(reason) && reason !== 'Manual')).toEqual([]);
  });
});
