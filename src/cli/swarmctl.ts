#!/usr/bin/env node
// swarmctl: the program. Its compiled modules are kept: compiling takes most of the time to start.
import { requireNode } from '../api/node-version.ts';

requireNode('swarmctl');
const { keepCompiled } = await import('./files/cache.ts');
keepCompiled();
// As `head` ends the pipe: quietly, with the exit code that a shell gives SIGPIPE; unless the
// command has something to put back first.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // EIO: the terminal is gone.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    if (!process.emit('SIGPIPE')) process.exit(141);
  });
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
