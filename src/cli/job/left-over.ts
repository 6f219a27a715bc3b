// What becomes of a job whose `job run` ends before it? The user decides, or the job is deleted
// because it cannot start; a job that stays is named.
import { kinds } from '../../api/kinds.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import type { Terminal } from '../arguments/terminal.ts';
import type { Cluster } from '../cluster/connect.ts';
import type { GivenUp } from './start.ts';

type Meta = Pick<SwarmJob['meta'], 'name' | 'namespace' | 'uid'>;

const titleOf = ({ namespace, name }: Meta): string => `SwarmJob ${namespace}/${name}`;

export const leftText = (meta: Meta): string =>
  `${titleOf(meta)} is left in the cluster; \`swarmctl job logs ${meta.name} --namespace ${meta.namespace} --follow\` goes on with it`;

/** A second Ctrl-C, or Enter alone, leaves the job. */
export async function leaveOrDelete(
  { api }: Pick<Cluster, 'api'>,
  meta: Meta,
  terminal: Pick<Terminal, 'ask' | 'note'>,
): Promise<void> {
  const what = titleOf(meta);
  const answer = await terminal.ask(
    `\nleave ${what} in the cluster, or delete it? (leave/delete) [leave] `,
  );
  if (answer !== undefined && /^d(elete)?$/i.test(answer.trim())) {
    const { namespace, name, uid } = meta;
    await api.delete(kinds.SwarmJob, { namespace, name }, { uid });
    terminal.note(`${what} is deleted`);
  } else terminal.note(leftText(meta));
}

/** False: it has changed since it was `seen`, and may start now. */
export async function endGivenUp(
  { api }: Pick<Cluster, 'api'>,
  seen: Pick<SwarmJob, 'meta' | 'status'>,
  { is, why }: GivenUp,
  terminal: Pick<Terminal, 'problem' | 'note'>,
): Promise<boolean> {
  const { namespace, name, uid, resourceVersion } = seen.meta;
  // What an attempt has written is worth a look.
  if (is === 'timeout' || seen.status?.attempt !== undefined) {
    terminal.problem(why);
    terminal.note(leftText(seen.meta));
    return true;
  }
  try {
    await api.delete(kinds.SwarmJob, { namespace, name }, { uid, resourceVersion });
    terminal.problem(why);
    terminal.note(`${titleOf(seen.meta)} is deleted; with --wait, it stays and waits`);
  } catch (error) {
    if (hasCode(error, 'Conflict')) return false;
    if (!(error instanceof KubeError)) throw error;
    terminal.problem(`${why}\n${titleOf(seen.meta)} could not be deleted: ${error.message}`);
    terminal.note(leftText(seen.meta));
  }
  return true;
}
