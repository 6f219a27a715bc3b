// What workers wrote down, said shortly.
import type { WorkerRecord, WorkerRecords } from '../../../src/demo/checks/records.ts';

/** "w0: 1+a 5-a 7!" is: w0 started a at 1, had stopped it at 5, and was told to end at 7. */
export function log(text: string): WorkerRecords {
  const [worker = '', words = ''] = text.split(': ');
  const records = words.split(' ').map((word): WorkerRecord => {
    const [, at = '', sign, stream = ''] = /^(\d+)([-+!])(.*)$/.exec(word) ?? [];
    if (sign === '!') return { what: 'told to end', at: Number(at) };
    return { what: sign === '+' ? 'started' : 'stopped', at: Number(at), stream };
  });
  return { worker, pod: `pod of ${worker}`, records };
}
