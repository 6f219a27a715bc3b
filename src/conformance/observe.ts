// Which promises does the worker keep, as far as requests alone show, without changing anything?
import { fieldsIn, type RequestWorker, reportIn, shown, type WorkerResponse } from './ask.ts';
import type { Ledger } from './promises.ts';
import { brokenTelling } from './telling.ts';

const atOnce = 20;
const versionPath = '/internal/version';
const healthPath = '/internal/health';

/** `podUid`: of the worker's pod, if that is known. */
export async function observe(ask: RequestWorker, ledger: Ledger, podUid?: string): Promise<void> {
  const answer = await ask(versionPath);
  const report = reportIn(answer);
  const isReport = typeof report !== 'string';
  const expected = 'a report such as {"version":7,"jobs":["a"],"podUid":"…"}';
  ledger.judge('answers', expected, isReport ? undefined : report);
  if (!isReport) return;
  const fields = fieldsIn(answer);
  ledger.trying('jobs');
  judgeJobs(fields['jobs'], ledger);
  ledger.trying('pod-uid');
  judgePodUid(fields['podUid'], podUid, ledger);
  ledger.trying('tells');
  judgeTelling(fields, ledger);
  ledger.trying('health');
  await judgeHealth(ask, ledger);
  ledger.trying('steadfast');
  await judgeSteadfastness(ask, ledger);
}

function judgeJobs(jobs: unknown, ledger: Ledger): void {
  if (jobs === undefined)
    ledger.notTried('jobs', 'its report has no `jobs`, so the check cannot verify what it runs');
  else if (!Array.isArray(jobs) || !jobs.every((job) => typeof job === 'string'))
    ledger.broken('jobs', 'a list of names', shown(jobs));
  else if (new Set(jobs).size < jobs.length) ledger.broken('jobs', 'each stream once', shown(jobs));
  else ledger.kept('jobs');
}

function judgePodUid(reported: unknown, known: string | undefined, ledger: Ledger): void {
  if (reported === undefined || reported === '')
    ledger.notTried(
      'pod-uid',
      'its report has no `podUid`, so the operator would not notice that the address belongs to another pod now',
    );
  else if (typeof reported !== 'string') ledger.broken('pod-uid', 'a text', shown(reported));
  else if (known === undefined)
    ledger.notTried(
      'pod-uid',
      `its report has ${shown(reported)}, which the check cannot compare; give the pod instead of an address`,
    );
  else if (reported !== known) ledger.broken('pod-uid', known, shown(reported));
  else ledger.kept('pod-uid');
}

function judgeTelling(fields: Readonly<Record<string, unknown>>, ledger: Ledger): void {
  if (fields['streams'] === undefined) {
    ledger.notTried(
      'tells',
      'its report has no `streams`, so the states of its streams are unknown',
    );
    return;
  }
  const broken = brokenTelling(fields, Date.now());
  ledger.judge('tells', broken?.expected ?? '', broken?.got);
}

async function judgeHealth(ask: RequestWorker, ledger: Ledger): Promise<void> {
  const answer = await ask(healthPath);
  const isHealthy = answer.ok && answer.status === 200;
  ledger.judge('health', '200', isHealthy ? undefined : inWords(answer));
}

async function judgeSteadfastness(ask: RequestWorker, ledger: Ledger): Promise<void> {
  const unknown = await ask('/no/such/path');
  if (!unknown.ok || unknown.status < 400)
    ledger.broken('steadfast', 'an error for /no/such/path, such as 404', inWords(unknown));
  const head = await ask(versionPath, 'HEAD');
  if (!head.ok) ledger.broken('steadfast', 'an answer to HEAD, even an error', inWords(head));
  const many = await Promise.all(Array.from({ length: atOnce }, () => ask(versionPath)));
  const failed = many.find((answer) => typeof reportIn(answer) === 'string');
  const expected = `a report for each of ${atOnce} concurrent requests`;
  ledger.judge('steadfast', expected, failed && inWords(failed));
}

const inWords = (answer: WorkerResponse): string =>
  answer.ok ? `status ${answer.status} ${shown(answer.text)}` : answer.reason;
