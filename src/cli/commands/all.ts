// Which commands are there, in the order of the help?
import type { Command } from '../arguments/command.ts';
import { completion } from './completion.ts';
import { confirmRemoval } from './confirm-removal.ts';
import { cordon, uncordon } from './cordon.ts';
import { explain } from './explain.ts';
import { groupExperiment } from './group/experiment.ts';
import { groupImport } from './group/import.ts';
import { groupPlan } from './group/plan.ts';
import { groupRetry } from './group/retry.ts';
import { groupStatus } from './group/status.ts';
import { groupTimes } from './group/times.ts';
import { history } from './history.ts';
import { jobList } from './job/list.ts';
import { jobLogs } from './job/logs.ts';
import { jobRender } from './job/render.ts';
import { jobRun } from './job/run.ts';
import { jobStatus } from './job/status.ts';
import { jobResume, jobSuspend } from './job/suspend.ts';
import { jobWhy } from './job/why.ts';
import { logs } from './logs.ts';
import { move } from './move.ts';
import { pause, resume } from './pause.ts';
import { plan } from './plan.ts';
import { playground } from './playground.ts';
import { queuePlan } from './queue/plan.ts';
import { queueStatus } from './queue/status.ts';
import { rerun, restart } from './restart.ts';
import { status } from './status.ts';
import { streams } from './streams.ts';
import { suspend } from './suspend.ts';
import { top } from './top.ts';
import { validate } from './validate.ts';
import { version } from './version.ts';
import { workerCheck } from './worker-check.ts';

export const commands: readonly Command[] = [
  status,
  streams,
  plan,
  explain,
  validate,
  history,
  top,
  logs,
  pause,
  resume,
  suspend,
  restart,
  rerun,
  move,
  cordon,
  uncordon,
  confirmRemoval,
  groupStatus,
  groupPlan,
  groupTimes,
  groupRetry,
  groupImport,
  groupExperiment,
  jobRun,
  jobList,
  jobStatus,
  jobWhy,
  jobLogs,
  jobSuspend,
  jobResume,
  jobRender,
  queueStatus,
  queuePlan,
  workerCheck,
  playground,
  version,
  completion,
];
