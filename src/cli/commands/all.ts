// Which commands are there, in the order of the help? A command is loaded when it is run: loading
// all of them takes longer than most of them run.
import type { Command } from '../arguments/command.ts';

const byName: Readonly<Record<string, () => Promise<Command>>> = {
  status: async () => (await import('./status.ts')).status,
  streams: async () => (await import('./streams.ts')).streams,
  plan: async () => (await import('./plan.ts')).plan,
  explain: async () => (await import('./explain.ts')).explain,
  validate: async () => (await import('./validate.ts')).validate,
  history: async () => (await import('./history.ts')).history,
  top: async () => (await import('./top.ts')).top,
  logs: async () => (await import('./logs.ts')).logs,
  pause: async () => (await import('./pause.ts')).pause,
  resume: async () => (await import('./pause.ts')).resume,
  suspend: async () => (await import('./suspend.ts')).suspend,
  restart: async () => (await import('./restart.ts')).restart,
  rerun: async () => (await import('./restart.ts')).rerun,
  move: async () => (await import('./move.ts')).move,
  cordon: async () => (await import('./cordon.ts')).cordon,
  uncordon: async () => (await import('./cordon.ts')).uncordon,
  'confirm-removal': async () => (await import('./confirm-removal.ts')).confirmRemoval,
  'group status': async () => (await import('./group/status.ts')).groupStatus,
  'group plan': async () => (await import('./group/plan.ts')).groupPlan,
  'group times': async () => (await import('./group/times.ts')).groupTimes,
  'group retry': async () => (await import('./group/retry.ts')).groupRetry,
  'group import': async () => (await import('./group/import.ts')).groupImport,
  'group experiment': async () => (await import('./group/experiment.ts')).groupExperiment,
  'job run': async () => (await import('./job/run.ts')).jobRun,
  'job list': async () => (await import('./job/list.ts')).jobList,
  'job status': async () => (await import('./job/status.ts')).jobStatus,
  'job why': async () => (await import('./job/why.ts')).jobWhy,
  'job logs': async () => (await import('./job/logs.ts')).jobLogs,
  'job shell': async () => (await import('./job/shell.ts')).jobShell,
  'job suspend': async () => (await import('./job/suspend.ts')).jobSuspend,
  'job resume': async () => (await import('./job/suspend.ts')).jobResume,
  'job cancel': async () => (await import('./job/cancel.ts')).jobCancel,
  'job render': async () => (await import('./job/render.ts')).jobRender,
  'queue status': async () => (await import('./queue/status.ts')).queueStatus,
  'queue plan': async () => (await import('./queue/plan.ts')).queuePlan,
  'worker-check': async () => (await import('./worker-check.ts')).workerCheck,
  playground: async () => (await import('./playground.ts')).playground,
  version: async () => (await import('./version.ts')).version,
  completion: async () => (await import('./completion.ts')).completion,
};

export const commandNames: readonly string[] = Object.keys(byName);

/** Undefined: there is no command of this name. */
export const loadCommand = async (name: string): Promise<Command | undefined> =>
  Object.hasOwn(byName, name) ? byName[name]?.() : undefined;

export const loadCommands = async (): Promise<readonly Command[]> =>
  Promise.all(Object.values(byName).map((load) => load()));
