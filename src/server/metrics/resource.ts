// Which kind and subresource does a path of the API server name? Never an object: a metric must not
// have a series for each.
const collection =
  /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/[^/]+(?:\/([^/]+))?)?$/;

export function resourceOf(path: string): string {
  const [, resource, subresource] = collection.exec(path) ?? [];
  if (resource === undefined) return 'discovery';
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
