// Does the operator take the administrator's sources, and say what is wrong with others? No value
// is shown: a secret may be in the wrong place.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readSourceSettings } from '../../../../src/runtime/metric-sources/configured.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = path.join(folder, 'sources.yaml');

function read(text: string) {
  writeFileSync(file, text);
  return readSourceSettings(file);
}

const source = (more: object): string =>
  JSON.stringify({
    sources: [{ name: 'default', address: 'https://metrics:9090', namespaces: ['shop'], ...more }],
  });

describe('sources', () => {
  it('sources are read from YAML', () => {
    const text = `
sources:
  - name: default
    address: https://prometheus.monitoring:9090/path/
    caFile: /etc/metrics/ca.crt
    tokenFile: /etc/metrics/token
    namespaces: [shop, teastore]
  - { name: other, address: "http://10.0.0.1:9090", namespaces: ["*"] }
`;
    expect(read(text)).toEqual([
      {
        name: 'default',
        address: 'https://prometheus.monitoring:9090/path',
        caFile: '/etc/metrics/ca.crt',
        tokenFile: '/etc/metrics/token',
        namespaces: ['shop', 'teastore'],
      },
      { name: 'other', address: 'http://10.0.0.1:9090', namespaces: ['*'] },
    ]);
  });

  it('a file may name no sources', () => expect(read('sources: []')).toEqual([]));

  it.each([
    ['another form', '[]', 'needs a list `sources`'],
    ['no YAML', 'sources: [', 'is not YAML'],
    ['a text', '{ sources: [a] }', 'sources[0] is no map; name, address and namespaces are needed'],
    ['no name', source({ name: undefined }), 'sources[0].name: small letters, digits and -'],
    ['a name with a space', source({ name: 'a b' }), 'sources[0].name: small letters'],
    ['no address', source({ address: undefined }), '.address: such as https://prometheus'],
    ['another scheme', source({ address: 'file:///etc/passwd' }), '.address: such as https'],
    [
      'a password',
      source({ address: 'https://me:hunter2@m' }),
      '.address: must not contain a user or a password',
    ],
    ['a query', source({ address: 'https://m/?a=b' }), '.address: must not contain a query or a #'],
    [
      'a token that others could read',
      source({ address: 'http://m', tokenFile: '/token' }),
      '.tokenFile needs an https address',
    ],
    ['no namespaces', source({ namespaces: undefined }), '.namespaces: a list of names is needed'],
    ['an empty list', source({ namespaces: [] }), '.namespaces: a list of names is needed'],
    ['a namespace with a star', source({ namespaces: ['a*'] }), '.namespaces: a list of names'],
    ['a path that is no text', source({ caFile: 3 }), 'sources[0].caFile: expected a path'],
    [
      'an unknown field',
      source({ token: 'hunter2' }),
      'sources[0].token: unknown field; allowed are name, ',
    ],
    [
      'a name twice',
      'sources: [{name: a, address: "http://m", namespaces: [b]}, {name: a, address: "http://n", namespaces: [b]}]',
      'sources[1].name: a is not unique',
    ],
  ])('sources with %s are refused', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(`${file} (--metric-sources-file)`);
    expect(() => read(text)).not.toThrow('hunter2');
  });

  it('a missing file of sources is refused', () => {
    expect(() => readSourceSettings('/nowhere')).toThrow('/nowhere (--metric-sources-file) cannot');
  });
});
