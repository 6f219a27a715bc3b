import { describe, expect, it } from '@jest/globals';
import { buildMetric, buildOf, buildText } from '../../../src/api/build.ts';

const packageJson = '{ "version": "1.2.3" }';

describe('a build', () => {
  it('the text of a build names its version, and commit and date where an image sets them', () => {
    const build = buildOf(packageJson, {
      SWARM_BUILD_COMMIT: 'abc',
      SWARM_BUILD_DATE: '2026-01-01',
    });
    expect(buildText(build)).toBe('1.2.3 (commit abc, built 2026-01-01)');
    expect(buildText(buildOf(packageJson, {}))).toBe('1.2.3 (commit unknown, built unknown)');
  });

  it('the metric of a build is always 1, and no value ends its label early', () => {
    const build = buildOf(packageJson, { SWARM_BUILD_COMMIT: 'a"b\\' });
    expect(buildMetric('x_build_info', build).at(-1)).toBe(
      'x_build_info{version="1.2.3",commit="a\\"b\\\\",date="unknown"} 1',
    );
  });
});
