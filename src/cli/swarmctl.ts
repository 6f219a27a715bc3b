#!/usr/bin/env node
// swarmctl: what a person types. Its modules are compiled once and kept: most of its time would go
// into that, each time anew.
import { keepCompiled } from './files/cache.ts';

keepCompiled();
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
