import { availableParallelism, totalmem } from 'node:os';

const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' } }],
  },
};

// client-node is ESM and dot-i (CommonJS) requires it: imported first, the cycle does not arise. It
// takes half a second for each file: unit tests of what needs both import it themselves.
const setupFiles = ['<rootDir>/test/support/setup.ts'];

const onControlPlanes = {
  ...common,
  setupFiles,
  globalSetup: '<rootDir>/test/integration/support/shared/setup.mjs',
  globalTeardown: '<rootDir>/test/integration/support/shared/teardown.mjs',
};

export default {
  // The last resort against a test that hangs. It is the only limit of a hook or a test: each waits
  // for conditions, which have ends of their own, and a slow machine trips none.
  testTimeout: 1_800_000,
  // Most of them wait for a cluster most of the time: a core left free is a core wasted. Each has
  // a control plane of its own, which takes a gigabyte with all that runs on it.
  maxWorkers: Math.max(
    1,
    Math.min(availableParallelism() * 2, 8, Math.floor(totalmem() / 2 ** 31)),
  ),
  // No test leaves a handle open (seen with process.getActiveResourcesInfo at the end of each
  // worker), but a worker of a gigabyte takes more than half a second to end on a busy machine.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Those that run beside one another wait most of the time, each for a worker of its own.
  maxConcurrency: 12,
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...common, setupFiles, displayName: 'sim', testMatch: ['<rootDir>/test/sim/**/*.test.ts'] },
    // The life of each kind, its invalid objects, and its operator that is killed: in `npm test`.
    {
      ...onControlPlanes,
      displayName: 'kinds',
      testMatch: ['<rootDir>/test/integration/*/{life,bad-input,crash}.test.ts'],
    },
    // All others on a real API server: `npm run test:integration`.
    {
      ...onControlPlanes,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
      testPathIgnorePatterns: ['/test/integration/[^/]+/(life|bad-input|crash)\\.test\\.ts$'],
    },
    // Each is run by a script of its own: test:tools, test:docs, test:chart, test:peers,
    // test:faults, test:page, test:e2e. Most need more than `npm run demo`.
    ...['tools', 'docs', 'chart', 'peers', 'faults', 'page', 'e2e'].map((displayName) => ({
      ...common,
      setupFiles,
      displayName,
      testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
    })),
  ],
};
