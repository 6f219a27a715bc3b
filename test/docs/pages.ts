// In which order are the pages typed, what do they start from, and which commands are left out?

export type Page = {
  readonly page: string;
  /** Commands that a reader of this page has typed before. */
  readonly given?: readonly string[];
  /** The reader's folder. */
  readonly folder?: string;
};

const operator = [
  'kubectl apply -k .',
  'kubectl -n swarm-operator rollout status deployment/swarm-operator --timeout=2m',
];
const pool = [
  'kubectl apply -k samples/tv',
  'kubectl -n swarm wait --for=condition=Converged swarmpool/tv --timeout=2m',
];

/** The first one starts the cluster; each page continues on it. */
export const pages: readonly Page[] = [
  { page: 'docs/tutorial.md' },
  { page: 'docs/install.md' },
  { page: 'README.md', given: operator },
  { page: 'docs/how-to/upgrade.md', given: pool },
  {
    page: 'docs/how-to/plan.md',
    given: ['kubectl config set-context --current --namespace=swarm'],
    folder: 'samples/tv',
  },
  { page: 'docs/how-to/troubleshoot.md' },
  { page: 'docs/how-to/observe.md' },
  { page: 'docs/how-to/streams.md' },
  { page: 'docs/how-to/weights.md' },
  { page: 'docs/how-to/size.md' },
  { page: 'docs/how-to/own-worker.md' },
  { page: 'docs/how-to/exclusive.md' },
  { page: 'docs/how-to/deployments.md' },
  { page: 'docs/how-to/long-lists.md' },
  { page: 'docs/how-to/migrate.md' },
  {
    page: 'docs/how-to/troubleshoot-groups.md',
    given: [
      'kubectl apply -k samples/teastore',
      'kubectl -n teastore wait --for=condition=Ready swarmgroup/teastore --timeout=2m',
    ],
  },
  { page: 'docs/how-to/groups-autoscale.md' },
  { page: 'docs/how-to/groups.md' },
  { page: 'docs/how-to/groups-experiment.md' },
  { page: 'docs/how-to/jobs.md', given: operator },
  { page: 'docs/how-to/gangs.md' },
  {
    page: 'docs/how-to/troubleshoot-jobs.md',
    given: [
      'kubectl apply -f samples/jobs/queue.yaml -f samples/jobs/job.yaml',
      'kubectl -n jobs wait --for=condition=Running swarmjob/long --timeout=2m',
      'kubectl apply -f samples/jobs/nightly.yaml',
      'kubectl -n jobs create job nightly --from=cronjob/nightly',
      "kubectl -n jobs wait --for=jsonpath='{.status.ready}'=1 job/nightly --timeout=2m",
    ],
  },
];

export type Untyped = {
  readonly commands: RegExp;
  readonly why: string;
  /** A file of this repository that covers the same. */
  readonly elsewhere: string;
};

export const untyped: readonly Untyped[] = [
  {
    commands: /^docker build /,
    why: 'needs docker and base images',
    elsewhere: 'scripts/e2e/images.ts',
  },
  {
    commands: /^npm run demo$/,
    why: 'stays until Ctrl-C, on a Kubernetes of its own',
    elsewhere: '.ci/run',
  },
  {
    commands: /^helm /,
    why: 'kubectl has installed the same here',
    elsewhere: 'test/chart/release.test.ts',
  },
  {
    commands: /^npm start -- --register-crds true$/,
    why: 'takes the ports of this machine',
    elsewhere: 'src/playground/operator-process.ts',
  },
  {
    commands:
      /^(?:swarmctl (?:suspend|resume|restart) tv cctv0:updated$|swarmctl move tv |kubectl .*annotate swarmpool tv --overwrite k8slab\.info\/restart=)/,
    why: 'the page shows no output of them',
    elsewhere: 'test/integration/pool/one-stream.test.ts',
  },
  {
    commands: /^kubectl .*port-forward /,
    why: 'the playground has no port-forward',
    elsewhere: 'test/integration/server/introspection.test.ts',
  },
  {
    commands: /^swarmctl worker-check --run 'python3 worker\.py'$/,
    why: 'takes half a minute, and shows a broken worker',
    elsewhere: 'test/peers/workers/samples.test.ts',
  },
  {
    commands: /^swarm-worker /,
    why: 'stays, and needs a pool and the program that it names',
    elsewhere: 'test/unit/docs/templates.test.ts',
  },
  {
    commands: /^(?:kubectl apply -f samples\/flux\/|swarmctl job shell )/,
    why: 'takes an image with Flux, and a kubelet',
    elsewhere: 'test/e2e/stories/flux.ts',
  },
  { commands: /^npm run sim\b/, why: 'takes minutes', elsewhere: 'test/sim/pools.test.ts' },
  {
    commands: /^npm run fuzz\b/,
    why: 'takes minutes',
    elsewhere: 'test/unit/fuzz/parsers.test.ts',
  },
  { commands: /^npm run hostile\b/, why: 'takes minutes', elsewhere: '.ci/run' },
  {
    commands: /^npm run test:faults\b/,
    why: 'takes minutes',
    elsewhere: 'test/faults/cells.test.ts',
  },
  {
    commands: /^npm run mutants\b/,
    why: 'takes hours',
    elsewhere: 'test/unit/scripts/mutants.test.ts',
  },
];

/** It keeps running: the next command is typed after this output. */
export const stays: readonly { readonly command: string; readonly says: RegExp }[] = [
  { command: 'npm run playground', says: /^kubectl get nodes/m },
];

/** Typed after all pages. */
export const last = 'swarmctl playground down';

/** The number of changes depends on how quickly pods were Ready. */
export const loose: readonly RegExp[] = [
  /get swarmpools -o wide$/,
  /^swarmctl history /,
  /^swarmctl explain tv news$/,
  /^swarmctl status tv /,
  // How often a stream was started again depends on the moment.
  /^swarmctl streams cameras-pool --failing$/,
  /^kubectl get swarmpool cameras-pool$/,
];
