// Compiles src/ to dist/: what is published and what the images run, and of what that is made.
import { cpSync, rmSync } from 'node:fs';
import { root, run } from './run.ts';
import { writeBill } from './sbom.ts';

rmSync(`${root}dist`, { recursive: true, force: true });
run('compile to dist/', 'tsc', ['-p', 'tsconfig.build.json']);
// Written by the generator as CommonJS: the compiler leaves it where it is.
cpSync(`${root}src/api/generated/validators.cjs`, `${root}dist/api/generated/validators.cjs`);
cpSync(`${root}src/api/generated/validators.d.cts`, `${root}dist/api/generated/validators.d.cts`);
writeBill();
