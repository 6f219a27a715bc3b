// Workers that are probed in virtual time: they answer what a test says, at once, late, or never.
import type { WorkerProbe } from '../../../src/api/report.ts';
import { WorkerProbes } from '../../../src/probes/probes.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const probeOf = (podUid: string, changed: Partial<WorkerProbe> = {}): WorkerProbe => ({
  podUid,
  url: `http://${podUid}`,
  awaiting: '1',
  isOutstanding: true,
  most: { jobs: 1_000, bytes: 64 * 1024 },
  ...changed,
});

export function setUp(concurrency = 128, auditMs = 30_000) {
  const clock = new VirtualClock();
  const probed: { readonly url: string; readonly at: number }[] = [];
  const woken: string[] = [];
  const answers = new Map<string, string | Error | 'silence' | 'slow' | (() => string)>();
  let underWay = 0;
  let most = 0;
  const get = async (url: string): Promise<string> => {
    probed.push({ url, at: clock.monotonic() });
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      const answer = answers.get(url) ?? '{"version":1}';
      if (answer === 'silence') {
        await new Promise<void>((_, reject) => {
          clock.after(2_000, () => reject(new Error('no answer in time')));
        });
      }
      if (answer === 'slow') {
        await new Promise<void>((resolve) => void clock.after(1_900, resolve));
        return '{"version":1}';
      }
      if (answer instanceof Error) throw answer;
      return typeof answer === 'string' ? answer : answer();
    } finally {
      underWay -= 1;
    }
  };
  const workers = new WorkerProbes({
    clock,
    concurrency,
    auditMs,
    get,
    onChange: (key) => woken.push(key),
  });
  const timesOf = (uid: string): readonly number[] =>
    probed.filter(({ url }) => url === `http://${uid}`).map(({ at }) => at);
  return { clock, probed, woken, answers, workers, timesOf, most: () => most };
}
