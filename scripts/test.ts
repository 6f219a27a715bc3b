// Every test: the quick gate, then those against a real Kubernetes (built or downloaded first, if it is not there).
import { findBinaries } from '../src/playground/binaries.ts';
import { jest, run } from './run.ts';

const args = process.argv.slice(2);
run('generated files are up to date', 'node', ['scripts/generate.ts', '--check']);
run('types', 'tsc', ['--noEmit']);
run('lint and format', 'biome', ['check', '--error-on-warnings']);
console.log('\n▸ the local Kubernetes');
const binaries = await findBinaries(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']);
console.log(`  ${binaries['kube-apiserver']}`);
console.log('\n▸ unit and integration tests');
const { passed, failed, skipped } = jest(['unit', 'integration'], args);
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 ? 1 : 0);
