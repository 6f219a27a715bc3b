// What does a path of the API server speak of? Its kind and subresource, never a name: names have
// no bound.
const collection =
  /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/[^/]+(?:\/([^/]+))?)?$/;

export function resourceOf(path: string): string {
  const [, resource, subresource] = collection.exec(path) ?? [];
  if (resource === undefined) return 'discovery';
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
