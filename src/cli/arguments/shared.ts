// Which flags and exit codes mean the same in every command that has them?

export const clusterFlags = {
  namespace: {
    type: 'text',
    value: 'NAME',
    short: 'n',
    help: "the pool's namespace; left out: that of the context, or default",
  },
  context: { type: 'text', value: 'NAME', help: 'of the kubeconfig; left out: its current one' },
  kubeconfig: { type: 'text', value: 'FILE', help: 'left out: KUBECONFIG or ~/.kube/config' },
} as const;

export const allNamespaces = {
  type: 'switch',
  short: 'A',
  help: 'the pools of all namespaces',
} as const;

export const output = {
  type: 'choice',
  among: ['text', 'wide', 'json', 'yaml'],
  short: 'o',
  help: 'the form of the output; wide leaves nothing out',
} as const;

export const poolExitCodes =
  'Exit codes: 0 all is well, 1 it is not, 2 that is unknown (wrong command line, no such pool, no way to the cluster).';
