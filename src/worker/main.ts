#!/usr/bin/env node
import { buildText } from '../api/build.ts';
// What happens when a worker's container starts? Settings are read, the runtime runs, and SIGTERM
// drains it.
import { errorText } from '../api/error-text.ts';
import { commandFor, type Template } from './launch/command.ts';
import { createProcesses } from './launch/processes.ts';
import { readBuild } from './report/build.ts';
import { createLog } from './report/log.ts';
import { startRuntime } from './runtime.ts';
import { readSettings, type WorkerSettings } from './settings/settings.ts';

const write = (text: string | Buffer): void => void process.stdout.write(text);

const read = readSettings(process.argv.slice(2), process.env);
switch (read.type) {
  case 'Help':
    write(read.text);
    break;
  case 'Version':
    write(`${buildText(readBuild())}\n`);
    break;
  case 'Problems':
    for (const problem of read.problems) process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
    break;
  case 'Settings':
    await run(read.settings, read.command);
}

async function run(settings: WorkerSettings, command: Template): Promise<void> {
  const log = createLog(write, () => new Date());
  try {
    const runtime = await startRuntime({
      settings,
      log,
      launch: (onEvent) =>
        createProcesses({
          commandFor: (job) => commandFor(command, job, settings.worker, process.env),
          onEvent,
          write,
        }),
    });
    // Whatever ends this process, its streams must not go on without anybody to answer for them.
    process.on('exit', runtime.kill);
    const stop = (signal: string): void => {
      log.info('asked to stop', { signal });
      void runtime.stop().then((end) => {
        log.info(end === 'Drained' ? 'drained' : 'ends although some processes do not');
        process.exit(end === 'Drained' ? 0 : 1);
      });
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  } catch (error) {
    log.warn(`cannot serve on ${settings.bindAddress}:${settings.port}: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
