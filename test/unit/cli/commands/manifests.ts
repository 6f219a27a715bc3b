// Manifests of a SwarmPool and a SwarmGroup with any spec, right or wrong.
export const pool = (spec: unknown, name = 'tv'): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  metadata: { name },
  spec,
});
export const group = (spec: unknown): object => ({ ...pool(spec, 'shop'), kind: 'SwarmGroup' });
