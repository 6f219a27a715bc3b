// What does the reference page of all settings contain?
import { settingRows } from '../../src/settings.ts';
import { helpText } from '../../src/worker/settings.ts';
import { code, page, table } from './markdown.ts';

const GENERATED =
  '<!-- GENERATED from src/settings.ts and src/worker/settings.ts by scripts/generate.ts. -->';

export function settingsReference(): string {
  return page([
    GENERATED,
    '# Settings',
    'Every setting is a flag, and an environment variable of the same name. The flag wins. With an invalid value the program exits at once with ' +
      'code 2 and a message that names the setting, the value and what is allowed.',
    '## swarm-operator',
    'In a cluster, set the variables in the Deployment: [envs/dev](../../envs/dev/operator.yaml) shows how. All are optional.',
    table(['Flag', 'Variable', 'Default', 'Meaning'], settingRows.map(operatorRow)),
    '`--version` prints the version, `--help` this list.',
    '## swarm-worker',
    `Set them in the pod template of your workers, as [samples/tv](../../samples/tv/workers.yaml) does.`,
    `\`\`\`text\n${helpText().trimEnd()}\n\`\`\``,
  ]);
}

type Row = (typeof settingRows)[number];

/** Some describe their default in their help. */
function operatorRow({ flag, value, variable, initial, help }: Row): readonly string[] {
  const [meaning = '', told = '–'] = help.split('; default: ');
  return [
    code(`--${flag} ${value}`),
    code(variable),
    initial === '' ? told : code(initial),
    meaning,
  ];
}
