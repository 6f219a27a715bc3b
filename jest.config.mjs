import { availableParallelism } from 'node:os';

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

export default {
  // Read here and nowhere else: jest takes no time-out from a project. Those against a real
  // Kubernetes need it.
  testTimeout: 180_000,
  // Most of them wait for a cluster most of the time: a core left free is a core wasted.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Those that run beside one another wait most of the time, each for a worker of its own.
  maxConcurrency: 12,
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...common, setupFiles, displayName: 'sim', testMatch: ['<rootDir>/test/sim/**/*.test.ts'] },
    {
      ...common,
      setupFiles,
      displayName: 'integration',
      globalSetup: '<rootDir>/test/integration/support/shared/setup.mjs',
      globalTeardown: '<rootDir>/test/integration/support/shared/teardown.mjs',
      testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
    },
    { ...common, setupFiles, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
    // Not part of `npm test`, each run by a script of its own: test:faults, test:page.
    {
      ...common,
      setupFiles,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
    },
    { ...common, setupFiles, displayName: 'page', testMatch: ['<rootDir>/test/page/**/*.test.ts'] },
  ],
};
