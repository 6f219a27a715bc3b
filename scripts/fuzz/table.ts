// How are the results of a run printed?
import type { Explored } from './explore.ts';

export function tableOf(explored: readonly Explored[]): string {
  const rows = explored.map(({ target, reports, found }) => {
    const sum = (of: (report: (typeof reports)[number]) => number): number =>
      reports.reduce((total, report) => total + of(report), 0);
    const files = reports.flatMap((report) => report.files);
    const blocks = files.reduce((total, file) => total + file.blocks, 0);
    const reached = files.reduce((total, file) => total + file.reached, 0);
    const executions = sum((report) => report.executions);
    const perSecond = executions / Math.max(0.001, sum(({ cpuMs }) => cpuMs) / 1_000);
    const longest = Math.max(0, ...reports.map(({ longestMs }) => longestMs));
    return `| ${target.name} | ${executions} | ${perSecond.toFixed(0)} | ${longest.toFixed(0)} ms | ${sum(({ inputs }) => inputs)} | ${reached} of ${blocks} | ${found.length} |`;
  });
  const unreached = explored.flatMap(({ reports }) =>
    reports.flatMap(({ files }) =>
      files.flatMap(({ file, unreached: lines }) =>
        lines.length === 0 ? [] : [`${file}: ${lines.join(', ')}`],
      ),
    ),
  );
  return [
    '| target | executions | per second of processor time | slowest reading | corpus | blocks reached | findings |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    'lines of blocks that were not reached:',
    ...unreached.map((line) => `  ${line}`),
  ].join('\n');
}
