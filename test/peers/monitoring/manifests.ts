// What does the monitoring component contain? Read from its own files.
import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { asList, asString, dig } from '../../../src/api/objects.ts';

const folder = new URL('../../../deploy/components/monitoring/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

const objects = ['operator.yaml', 'workers.yaml', 'rules.yaml'].flatMap((file) =>
  loadAll(read(file)),
);
const ofKind = (kind: string): readonly unknown[] =>
  objects.filter((object) => dig(object, 'kind') === kind);

/** In the form of a plain Prometheus, without the Prometheus Operator. */
export const ruleFile = {
  groups: ofKind('PrometheusRule').flatMap((rule) => asList(dig(rule, 'spec', 'groups'))),
};

export const rules = ruleFile.groups.flatMap((group) => asList(dig(group, 'rules')));

export const honorsLabels = ofKind('ServiceMonitor').every((monitor) =>
  asList(dig(monitor, 'spec', 'endpoints')).every(
    (endpoint) => dig(endpoint, 'honorLabels') === true,
  ),
);

type Panel = {
  readonly title: string;
  readonly queries: readonly string[];
  /** It is shown when its row is opened. */
  readonly isCollapsed: boolean;
};

const dashboard: unknown = JSON.parse(read('dashboard.json'));

const panelOf = (panel: unknown, isCollapsed: boolean): Panel => ({
  title: asString(dig(panel, 'title')) ?? '',
  queries: asList(dig(panel, 'targets')).map((target) => asString(dig(target, 'expr')) ?? ''),
  isCollapsed,
});

/** Grafana keeps the panels of a collapsed row in the row, those of an open one beside it. */
export const panels: readonly Panel[] = asList(dig(dashboard, 'panels')).flatMap((panel) =>
  dig(panel, 'type') === 'row'
    ? asList(dig(panel, 'panels')).map((it) => panelOf(it, dig(panel, 'collapsed') === true))
    : [panelOf(panel, false)],
);

/** Name, and the metric and label of its values. */
export const variables = asList(dig(dashboard, 'templating', 'list')).flatMap((variable) => {
  const found = /^label_values\((.*), (\w+)\)$/.exec(
    asString(dig(variable, 'query', 'query')) ?? '',
  );
  return found === null
    ? []
    : [
        {
          name: asString(dig(variable, 'name')) ?? '',
          series: found[1] ?? '',
          label: found[2] ?? '',
        },
      ];
});
