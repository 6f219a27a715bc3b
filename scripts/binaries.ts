// Are all binaries of the tests in the cache? Downloads or builds those that are missing, so that
// no test has to.
import { findBinaries } from '../src/playground/binaries/binaries.ts';
import { type BinaryName, releases } from '../src/playground/binaries/releases.ts';

const names = Object.keys(releases).filter((name): name is BinaryName => name in releases);
for (const file of Object.values(await findBinaries(names))) console.log(file);
