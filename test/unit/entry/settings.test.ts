import { describe, expect, it } from '@jest/globals';
import { helpText, parseSettings, settingRows, settingWarnings } from '../../../src/settings.ts';

const settingsOf = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => {
  const parsed = parseSettings(args, environment);
  if (parsed.wants !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.settings;
};

describe('settings', () => {
  it('the settings have defaults that fit a cluster', () => {
    expect(settingsOf([])).toMatchObject({
      kinds: ['pools', 'groups', 'queues', 'jobs'],
      namespaces: [],
      leaderElection: true,
      concurrency: 16,
      bindAddress: undefined,
      healthPort: 8081,
      metricsPort: 8080,
      introspectionPort: 8090,
      logLevel: 'info',
      registerCrds: false,
    });
  });

  it.each([
    ['an argument that is no flag', ['two\nlines'], {}],
    ['a flag without its value', ['--namespaces', '--context'], {}],
    ['a long value', [`--concurrency=${'x'.repeat(100_000)}`], {}],
    ['a variable of two lines', [], { SWARM_CONCURRENCY: '3\n4' }],
  ])('settings with %s are refused in one line', (_, args, environment) => {
    const parsed = parseSettings(args, environment);
    if (parsed.wants !== 'correction') throw new Error('they are accepted');
    for (const problem of parsed.problems) expect(problem).toMatch(/^[\P{Cc}]{10,1000}$/u);
  });

  it('settings are read from the environment, and a flag takes precedence', () => {
    const environment = { SWARM_CONCURRENCY: '3', SWARM_NAMESPACES: 'a, b,' };
    expect(settingsOf([], environment)).toMatchObject({ concurrency: 3, namespaces: ['a', 'b'] });
    expect(settingsOf(['--concurrency', '5'], environment).concurrency).toBe(5);
  });

  it.each([
    ['pools,groups,queues,jobs', ''],
    ['queues,jobs', ''],
    ['pools', ''],
    ['pools,queues', '--kinds has queues without jobs'],
    ['jobs', '--kinds has jobs without queues'],
  ])('of --kinds %s the operator warns: "%s"', (kinds, warns) => {
    const warnings = settingWarnings(settingsOf(['--kinds', kinds]));
    expect(warnings.map((text) => text.split(':')[0])).toEqual(warns === '' ? [] : [warns]);
  });

  it.each([
    ['--concurrency', 'many', '--concurrency is "many"; allowed is a whole number from 1 to 256'],
    ['--concurrency', '0', '--concurrency is "0"; allowed is a whole number from 1 to 256'],
    [
      '--health-port',
      '70000',
      '--health-port is "70000"; allowed is a whole number from 0 to 65535',
    ],
    ['--log-level', 'loud', '--log-level is "loud"; allowed is one of debug, info, warn, error'],
    [
      '--kinds',
      'pools,queue',
      '--kinds is "pools,queue"; allowed is some of pools, groups, queues, jobs',
    ],
    ['--kinds', ',', '--kinds is ","; allowed is some of pools, groups, queues, jobs'],
    ['--leader-election', 'yes', '--leader-election is "yes"; allowed is true or false'],
    ...['0.0.0.0', '10.0.0.1', 'localhost', '127.0.0.1.example'].map((address) => [
      '--introspection-address',
      address,
      `--introspection-address is "${address}"; allowed is a loopback address, such as 127.0.0.1`,
    ]),
    ...[
      'Cell',
      'v1/Cell',
      'example.org/v1/cells/Cell',
      'example.org/../Cell',
      'example.org/v1/',
    ].map((kind) => [
      '--member-kinds',
      kind,
      `--member-kinds has "${kind}"; allowed is GROUP/VERSION/KIND, such as example.org/v1/Cell`,
    ]),
    [
      '--member-kinds',
      'example.org/v1/Cell,apps/v1/Deployment',
      '--member-kinds has "apps/v1/Deployment"; groups can always have Deployments as members; remove it',
    ],
    [
      '--member-kinds',
      'k8slab.info/v1alpha1/SwarmGroup',
      '--member-kinds has "k8slab.info/v1alpha1/SwarmGroup"; a group cannot be a member of a group',
    ],
  ])('the setting %s %s is refused with what is allowed', (flag, value, problem) => {
    expect(parseSettings([flag, value], {})).toEqual({ wants: 'correction', problems: [problem] });
  });

  it('the refusal of settings names the variable of a wrong value, and every problem at once', () => {
    expect(parseSettings(['--log-format', 'xml'], { SWARM_RESYNC_SECONDS: '-1' })).toEqual({
      wants: 'correction',
      problems: [
        'SWARM_RESYNC_SECONDS is "-1"; allowed is a whole number from 1 to 86400',
        '--log-format is "xml"; allowed is one of auto, json, text',
      ],
    });
  });

  it('the operator refuses an unknown flag', () => {
    expect(parseSettings(['--frobnicate'], {})).toMatchObject({
      wants: 'correction',
      problems: [expect.stringContaining('--frobnicate')],
    });
  });

  it('the help text names all settings, with their variables', () => {
    for (const { flag, variable } of settingRows) {
      expect(helpText()).toContain(`--${flag}`);
      expect(helpText()).toContain(variable);
    }
  });
});
