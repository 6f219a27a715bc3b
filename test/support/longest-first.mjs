// In which order do the test files run? Those that take longest first, or the last of them would
// run alone. Jest knows how long each took only where it ran before.
import Sequencer from '@jest/test-sequencer';

const longest = [
  'integration/deploy/uninstall',
  'integration/pool/workers/nodes',
  'sim/pools',
  'sim/groups',
  'integration/pool/workers/refresh',
  'integration/',
];

export default class LongestFirst extends (Sequencer.default ?? Sequencer) {
  sort(tests) {
    const rank = ({ path }) => {
      const index = longest.findIndex((part) => path.includes(`/test/${part}`));
      return index < 0 ? longest.length : index;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
