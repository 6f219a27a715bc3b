import { describe, expect, it } from '@jest/globals';
import { refusal } from '../../../scripts/e2e/machine.ts';

describe('a machine without real nodes', () => {
  it.each([
    ['darwin', 0, 'a real node needs Linux, and this is darwin'],
    ['linux', 1000, 'a real node needs root: namespaces, mounts and cgroups are made'],
  ])('a machine without real nodes gets the reason: %s as user %d', (platform, uid, why) => {
    expect(refusal(platform, uid)).toBe(why);
  });
});
