#!/usr/bin/env node
// What may follow `kubectl swarm`? kubectl asks a program of this name on PATH when its own
// completion is loaded.
import { requireNode } from '../api/node-version.ts';

requireNode('kubectl_complete-swarm');
const { keepCompiled } = await import('./files/cache.ts');
keepCompiled();
const { complete } = await import('./complete.ts');
process.stdout.write(await complete(process.argv.slice(2)), () => process.exit());
