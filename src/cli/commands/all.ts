// Which commands are there, in the order of the help?
import type { Command } from '../arguments/main.ts';
import { plan } from './plan.ts';
import { workerCheck } from './worker-check.ts';

export const commands: readonly Command[] = [plan, workerCheck];
