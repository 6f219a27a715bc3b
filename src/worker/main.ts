#!/usr/bin/env node
// The program swarm-worker: reads its settings, runs a process for each stream, drains on SIGTERM.
import { hostAndPort } from '../api/address.ts';
import { buildText } from '../api/build.ts';
import { requireNode } from '../api/node-version.ts';
import { errorText } from '../api/text.ts';
import { commandFor } from './launch/command.ts';
import { createProcesses } from './launch/processes.ts';
import { withSecretFile } from './launch/secret-file.ts';
import { readBuild } from './report/build.ts';
import { createLog } from './report/log.ts';
import { startRuntime } from './runtime.ts';
import { helpText, type ReadSettings, readSettings } from './settings.ts';

requireNode('swarm-worker');
const write = (text: string | Buffer): void => void process.stdout.write(text);

const read = readSettings(process.argv.slice(2), process.env);
switch (read.wants) {
  case 'help':
    write(helpText());
    break;
  case 'version':
    write(`${buildText(readBuild())}\n`);
    break;
  case 'correction':
    for (const problem of read.problems) process.stderr.write(`${problem}\n`);
    process.stderr.write('see swarm-worker --help\n');
    process.exitCode = 2;
    break;
  case 'run':
    await run(read);
}

type Run = Extract<ReadSettings, { readonly wants: 'run' }>;

async function run({ settings, command, secretsFolder }: Run): Promise<void> {
  const log = createLog();
  try {
    const runtime = await startRuntime({
      settings,
      log,
      launch: (onEvent) =>
        createProcesses({
          commandFor: (job) =>
            withSecretFile(
              commandFor(command, job, settings.worker, process.env),
              job,
              secretsFolder,
            ),
          onEvent,
          write,
        }),
    });
    // However this process ends, its streams must not go on: no report would name them.
    process.on('exit', runtime.kill);
    const stop = (signal: string): void => {
      log.info('asked to stop', { signal });
      void runtime.stop().then((end) => {
        log.info(end === 'Drained' ? 'drained' : 'exiting although some processes have not ended');
        process.exit(end === 'Drained' ? 0 : 1);
      });
    };
    void runtime.failed.then((error) => {
      log.warn(`fatal error: ${errorText(error)}`);
      // Prints the stack: an unexpected error is a bug.
      console.error(error);
      process.exit(1);
    });
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  } catch (error) {
    const { bindAddress, port } = settings;
    const at = bindAddress === undefined ? `port ${port}` : hostAndPort(bindAddress, port);
    log.warn(`cannot serve on ${at}: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
