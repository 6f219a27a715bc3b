import { describe, expect, it } from '@jest/globals';
import { refusal } from '../../../scripts/e2e/machine.ts';

describe('where there can be no real node', () => {
  it.each([
    ['darwin', 0, 'a real node needs Linux, and this is darwin'],
    ['linux', 1000, 'a real node needs root: namespaces, mounts and cgroups are made'],
  ])('%s as user %d: it says why', (platform, uid, why) => {
    expect(refusal(platform, uid)).toBe(why);
  });
});
