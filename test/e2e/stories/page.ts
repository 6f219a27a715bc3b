// Is the page in the image, and does kubectl port-forward reach it?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { asList, asString, dig } from '../../../src/api/objects.ts';
import { operatorNamespace, type World } from '../world.ts';

export function page(world: () => World): void {
  it('kubectl port-forward reaches the page and its data', async () => {
    const { binaries, kubeconfig } = world().cluster.plane;
    const pod = `pod/${(await world().leadingPod()).metadata.name}`;
    const forward = spawn(
      binaries.kubectl,
      ['--kubeconfig', kubeconfig, '-n', operatorNamespace, 'port-forward', pod, ':8090'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      const [line] = await once(createInterface(forward.stdout), 'line');
      const address = `http://127.0.0.1:${/127\.0\.0\.1:(\d+)/.exec(String(line))?.[1]}`;
      const html = await fetch(`${address}/`);
      expect(html.headers.get('content-security-policy')).toContain("default-src 'none'");
      const script = /<script[^>]* src="([^"]+)"/.exec(await html.text())?.[1] ?? 'no script';
      const code = await fetch(new URL(script, `${address}/`));
      expect(code.status).toBe(200);
      expect(code.headers.get('content-type')).toContain('javascript');
      const pools: unknown = await (await fetch(`${address}/api/v1/pools`)).json();
      expect(dig(pools, 'leading')).toBe(true);
      expect(asList(dig(pools, 'items')).map((pool) => asString(dig(pool, 'name')))).toContain(
        'tv',
      );
    } finally {
      forward.kill();
      if (forward.exitCode === null && forward.signalCode === null) await once(forward, 'exit');
    }
  });
}
