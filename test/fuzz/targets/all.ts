// What is fuzzed? Every parser of foreign input.
import type { Target } from '../target.ts';
import { annotations } from './annotations.ts';
import { apiAnswers } from './answers.ts';
import { assignment } from './assignment.ts';
import { lists } from './lists.ts';
import { cronLines, metricAnswers } from './metrics.ts';
import { objects } from './objects.ts';
import { report } from './report.ts';
import { operatorSettings, workerSettings } from './settings.ts';
import { template } from './template.ts';
import { watch } from './watch.ts';

export const targets: readonly Target[] = [
  assignment,
  lists,
  report,
  template,
  operatorSettings,
  workerSettings,
  objects,
  apiAnswers,
  watch,
  annotations,
  metricAnswers,
  cronLines,
];
