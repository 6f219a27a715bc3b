// Runs each command that it is sent in one process, and answers with what swarmctl printed.
import { run } from '../../../src/cli/run.ts';

const told = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (text: string | Uint8Array): boolean => {
    told[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    return true;
  };

process.on('message', (args: string[]) => {
  void run(args).then((code) => {
    process.send?.({ code, ...told });
    told.stdout = told.stderr = '';
  });
});
