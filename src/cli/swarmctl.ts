#!/usr/bin/env node
// swarmctl: the program. Its compiled modules are kept: compiling takes most of the time to start.
import { keepCompiled } from './files/cache.ts';

keepCompiled();
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
