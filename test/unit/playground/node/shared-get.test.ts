// Callers that read one object share requests, and get no response older than their call.
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { SharedGet } from '../../../../src/playground/node/volumes/shared-get.ts';

function setUp() {
  const open: PromiseWithResolvers<KubeObject>[] = [];
  const get = (): Promise<KubeObject> => {
    const answer = Promise.withResolvers<KubeObject>();
    open.push(answer);
    return answer.promise;
  };
  const shared = new SharedGet({ get });
  const ask = (name = 'a'): Promise<string | undefined> =>
    shared
      .get(kinds.ConfigMap, { namespace: 'n', name })
      .then(({ metadata }) => metadata.resourceVersion);
  const answer = async (index: number, version: string): Promise<void> => {
    open[index]?.resolve({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion: version },
    });
    await new Promise(setImmediate);
  };
  return { ask, answer, open };
}

describe('a shared request', () => {
  it('a shared request is never older than the calls that it answers', async () => {
    const { ask, answer, open } = setUp();
    const first = ask();
    const others = [ask(), ask(), ask()];
    expect(open).toHaveLength(1);
    await answer(0, '1');
    expect(await first).toBe('1');
    expect(open).toHaveLength(2);
    const late = ask();
    await answer(1, '2');
    expect(await Promise.all(others)).toEqual(['2', '2', '2']);
    await answer(2, '3');
    expect(await late).toBe('3');
    expect(open).toHaveLength(3);
  });

  it('a shared request that fails, fails only the calls that it answers', async () => {
    const { ask, answer, open } = setUp();
    const first = ask();
    const second = ask();
    open[0]?.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await new Promise(setImmediate);
    await answer(1, '2');
    expect(await second).toBe('2');
  });

  it('a shared request is for one object', async () => {
    const { ask, open } = setUp();
    void ask('a');
    void ask('b');
    expect(open).toHaveLength(2);
  });
});
