#!/usr/bin/env node
// What may follow `kubectl swarm`? kubectl asks a program of this name on PATH when its own
// completion is loaded.
import { requireNode } from '../api/node-version.ts';

requireNode('kubectl_complete-swarm');
const { keepCompiled } = await import('./files/cache.ts');
keepCompiled();
const [{ completionsFor }, { commands }] = await Promise.all([
  import('./arguments/completion.ts'),
  import('./commands/all.ts'),
]);
const shapes = commands.map(({ shape }) => shape);
process.stdout.write(completionsFor(shapes, process.argv.slice(2)));
