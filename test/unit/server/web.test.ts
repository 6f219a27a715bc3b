// Is the page served as it was built, under a policy that allows only its own parts?

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import type { Served } from '../../../src/http/bounded-server.ts';
import { noSnapshots } from '../../../src/server/introspection/kinds.ts';
import { serveIntrospection } from '../../../src/server/introspection/serve.ts';
import { readWeb } from '../../../src/server/web.ts';

let folder: string;
let served: Served | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-web-'));
});

afterEach(async () => {
  await served?.close();
  served = undefined;
  rmSync(folder, { recursive: true });
});

async function get(
  asked: string,
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  served ??= await serveIntrospection(0, {
    snapshots: noSnapshots(),
    isLeading: () => true,
    web: readWeb(pathToFileURL(`${folder}/`)),
  });
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${served.port}${asked}`);
  return { status: statusCode, headers, text: await body.text() };
}

function build(): void {
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(path.join(folder, 'assets/index-abc.js'), 'export {};');
  writeFileSync(path.join(folder, 'notes.secret'), 'not for anybody');
}

describe('the page', () => {
  it('the page is served at /, under a policy that allows only what this server serves', async () => {
    build();
    const { status, headers, text } = await get('/');
    expect({ status, text }).toEqual({ status: 200, text: '<!doctype html>' });
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
  });

  it('browsers may cache the parts of the page, since another build has other names', async () => {
    build();
    const { status, headers } = await get('/assets/index-abc.js');
    expect({ status, headers }).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': expect.stringContaining('immutable'),
      },
    });
  });

  it.each([
    '/notes.secret',
    '/assets/../notes.secret',
    '/assets/%2e%2e/notes.secret',
    '/../../etc/passwd',
    '/index.html',
    '//',
  ])('the operator serves no other file: %s', async (asked) => {
    build();
    expect((await get(asked)).status).toBe(404);
  });

  it('the operator answers with advice if its page was not built', async () => {
    const { status, headers, text } = await get('/');
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 404,
      type: 'text/plain; charset=utf-8',
    });
    expect(text).toContain('The page was not built with this operator');
    expect((await get('/api/v1/pools')).status).toBe(200);
  });
});
