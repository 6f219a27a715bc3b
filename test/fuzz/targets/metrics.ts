// Fuzzed: what a source of metrics answers, and the cron lines of a group.
import { cronProblem, dueAround } from '../../../src/api/cron.ts';
import { answerIn } from '../../../src/runtime/metric-sources/answer.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

const NOW = Date.parse('2026-03-29T00:30:00Z');
const DAY_MS = 86_400_000;

function checkAnswer(text: string): string {
  const answer = answerIn(200, text);
  mustBeSame(answerIn(200, text), answer, 'two readings differ');
  if (answer.state === 'failed') {
    if (answer.detail !== '') mustBeMessage(answer.detail);
    must(answer.detail.length <= 200, 'a detail is too long');
    return answer.trouble;
  }
  must(Number.isFinite(answer.value) && answer.value >= 0, 'a value cannot size a group');
  must(Number.isFinite(answer.timeMs), 'a sample has no time');
  for (const status of [204, 302, 401, 500])
    must(answerIn(status, text).state === 'failed', 'a status of a failure gives a value');
  return 'ok';
}

const series = (value: unknown): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: [{ metric: { a: 'b' }, value }] },
  });

export const metricAnswers: Target = {
  name: 'answers of metric sources',
  files: ['src/runtime/metric-sources/answer.ts'],
  guides: [],
  form: 'json',
  seeds: [
    series([1_767_225_600.781, '180']),
    series([1_767_225_600, '1.5e+03']),
    JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [1, '3'] } }),
    series([1, 'NaN']),
    series([1, '-1']),
    JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: [] } }),
    JSON.stringify({ status: 'error', errorType: 'bad_data', error: 'parse error' }),
  ],
  large: () => [series([1, '9'.repeat(60_000)]), '['.repeat(65_000), 'x'.repeat(65_536)],
  words: ['"vector"', '"scalar"', '"string"', '"+Inf"', '"0x10"', '"1e999"', '"histogram"', '-0'],
  longest: 65_536,
  read: (text) => answerIn(200, text),
  check: checkAnswer,
};

function checkLine(text: string): string {
  const [timeZone = '', schedule = ''] = text.split('|');
  const line = { schedule, timeZone };
  const problem = cronProblem(line, 'spec.x[0]');
  if (problem !== undefined) {
    mustBeMessage(problem.message);
    return outcomeOf(problem.message);
  }
  const due = dueAround(line, NOW);
  must(due !== undefined, 'a line that is taken is never due');
  must(due.lastMs <= NOW && NOW < due.nextMs, 'a time is on the wrong side of now');
  mustBeSame(dueAround(line, due.nextMs - 1), due, 'the times before and after differ within');
  mustBeSame(dueAround(line, due.nextMs)?.lastMs, due.nextMs, 'the next time is not the last then');
  must(due.nextMs - due.lastMs <= 41 * 366 * DAY_MS, 'two times are too far apart');
  return 'ok';
}

export const cronLines: Target = {
  name: 'cron lines',
  files: ['src/api/cron.ts'],
  guides: [],
  form: 'text',
  seeds: [
    'Europe/Paris|0 8 * * 1-5',
    'UTC|*/15 0-6/3,22 * * *',
    'America/New_York|30 2 * mar,NOV sun',
    'Australia/Lord_Howe|15 2 L * *',
    'UTC|0 0 29 2 *',
    'UTC|0 0 31 2 *',
    '|0 8 * *',
  ],
  large: () => [`UTC|${'1,'.repeat(120)}2 * * * *`, `UTC|${'*'.repeat(250)}`, 'x'.repeat(320)],
  words: ['*', '/', '-', ',', 'L', 'W', '#', '?', 'mon', 'JAN', '59', '23', '31', 'Etc/GMT+5'],
  longest: 320,
  read: (text) => cronProblem({ schedule: text, timeZone: 'UTC' }, ''),
  check: checkLine,
};
