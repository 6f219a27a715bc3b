// A job is deleted while no operator runs: everything of it goes, and the next operator gives its
// quota to the next job.
import { type JobFault, one } from '../job-faults.ts';

export const deletedWithoutOperator: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    await cell.submit('first');
    await cell.until('first', 'Running');
    await cell.submit('second');
    await cell.until('second', 'Waiting');
    await cell.replica.kill();
    await cell.kubectl('delete', 'swarmjob', 'first');
    const all = ['get', 'job,service,configmap,pod', '-l', 'k8slab.info/job', '-o', 'name'];
    await cell.eventually('nothing of it is left', async () => (await cell.kubectl(...all)) === '');
    await cell.replica.startAgain();
  },
  settle: async (cell) => {
    await cell.until('second', 'Running');
    await cell.finish('second');
    await cell.mustHave('second', 1, 0);
  },
};
