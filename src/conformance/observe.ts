// Which promises can be seen from outside, without moving anything?
import { fieldsIn, type RequestWorker, reportIn, shown, type WorkerResponse } from './ask.ts';
import type { Ledger } from './promises.ts';

const atOnce = 20;
const versionPath = '/internal/version';
const healthPath = '/internal/health';

/**
 * `podUid` where it is known from somewhere else. Answers whether there is anything to go on with.
 */
export async function observe(
  ask: RequestWorker,
  ledger: Ledger,
  podUid?: string,
): Promise<boolean> {
  const answer = await ask(versionPath);
  const report = reportIn(answer);
  if (typeof report === 'string') {
    ledger.broken('answers', 'a report such as {"version":7,"jobs":["a"],"podUid":"…"}', report);
    return false;
  }
  ledger.kept('answers');
  judgeJobs(fieldsIn(answer)['jobs'], ledger);
  judgePodUid(fieldsIn(answer)['podUid'], podUid, ledger);
  await judgeHealth(ask, ledger);
  await judgeSteadfastness(ask, ledger);
  return true;
}

function judgeJobs(jobs: unknown, ledger: Ledger): void {
  if (jobs === undefined)
    ledger.notTried('jobs', 'it tells none, so nobody can verify what it runs');
  else if (!Array.isArray(jobs) || !jobs.every((job) => typeof job === 'string'))
    ledger.broken('jobs', 'a list of names', shown(jobs));
  else if (new Set(jobs).size < jobs.length) ledger.broken('jobs', 'each stream once', shown(jobs));
  else ledger.kept('jobs');
}

function judgePodUid(told: unknown, known: string | undefined, ledger: Ledger): void {
  if (told === undefined || told === '')
    ledger.notTried(
      'pod-uid',
      'it tells none, so an address that passed to another pod is not noticed',
    );
  else if (typeof told !== 'string') ledger.broken('pod-uid', 'a text', shown(told));
  else if (known === undefined)
    ledger.notTried(
      'pod-uid',
      `it tells ${shown(told)}, which cannot be compared: name the pod instead of an address`,
    );
  else if (told !== known) ledger.broken('pod-uid', known, shown(told));
  else ledger.kept('pod-uid');
}

async function judgeHealth(ask: RequestWorker, ledger: Ledger): Promise<void> {
  const answer = await ask(healthPath);
  if (answer.ok && answer.status === 200) ledger.kept('health');
  else ledger.broken('health', '200', inWords(answer));
}

async function judgeSteadfastness(ask: RequestWorker, ledger: Ledger): Promise<void> {
  const unknown = await ask('/no/such/path');
  if (!unknown.ok || unknown.status < 400)
    ledger.broken('steadfast', 'an error for /no/such/path, such as 404', inWords(unknown));
  const head = await ask(versionPath, 'HEAD');
  if (!head.ok) ledger.broken('steadfast', 'an answer to HEAD, if only an error', inWords(head));
  const many = await Promise.all(Array.from({ length: atOnce }, () => ask(versionPath)));
  for (const answer of many) {
    if (typeof reportIn(answer) === 'string')
      ledger.broken(
        'steadfast',
        `a report to each of ${atOnce} questions at a time`,
        inWords(answer),
      );
  }
  ledger.kept('steadfast');
}

const inWords = (answer: WorkerResponse): string =>
  answer.ok ? `status ${answer.status} ${shown(answer.text)}` : answer.reason;
