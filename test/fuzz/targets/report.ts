// Fuzzed: a worker's answer about the streams that it runs.
import { HIGHEST_VERSION } from '../../../src/api/assignment.ts';
import { readBoundedReport, readReport } from '../../../src/api/report.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';

const MOST_JOBS = 2;

function check(text: string): string {
  const report = readReport(text);
  mustBeSame(readReport(text), report, 'two readings differ');
  const bounded = readBoundedReport(text, MOST_JOBS);
  if (typeof bounded === 'string') mustBeMessage(bounded);
  else mustBeSame(bounded, report, 'within its bound it reads otherwise');
  if (report === undefined) return 'none';
  must(
    (report.jobs?.length ?? 0) <= MOST_JOBS || typeof bounded === 'string',
    'more jobs than the bound are taken',
  );
  must(report.version >= 0 && report.version <= HIGHEST_VERSION, 'a version is beyond its bounds');
  must(
    report.read === undefined || (report.read >= 0 && report.read <= HIGHEST_VERSION),
    'a version is beyond its bounds',
  );
  must(report.jobs?.every((job) => typeof job === 'string') !== false, 'a job is no text');
  must(report.podUid !== '', 'a UID is empty');
  mustBeSame(
    JSON.stringify(readReport(JSON.stringify(report))),
    JSON.stringify(report),
    'what a worker would write of it reads otherwise',
  );
  return `ok ${Object.keys(report).join()}`;
}

export const report: Target = {
  name: 'answer',
  files: ['src/api/report.ts'],
  form: 'json',
  seeds: [
    JSON.stringify({
      version: 7,
      read: 9,
      jobs: ['cnbc', 'cars:new'],
      podUid: '0b1c2d3e-0000-4000-8000-000000000001',
    }),
    '{"version":1}',
    '{"version":3,"jobs":[1,true,null],"podUid":""}',
  ],
  large: () => [
    `{"version":1,"jobs":[${'"a",'.repeat(250_000)}"b"]}`,
    `{"version":1,"jobs":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    `{"version":1,"podUid":"${'u'.repeat(1_000_000)}"}`,
    `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join()}}`,
  ],
  words: [
    '"version":',
    '"jobs":',
    '"read":',
    '"podUid":',
    'version',
    'jobs',
    'read',
    'podUid',
    '{"toString":1}',
  ],
  longest: 1_048_576,
  read: readReport,
  check,
};
