// Which user has submitted a job, and who asks? Each as the API server authenticates them.
import { ANNOTATION_USER } from '../../api/job-user.ts';
import type { KubeObject } from '../../api/objects.ts';
import type { CallOptions } from '../../runtime/client/api.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';

type Asked = { readonly api: { userName(options?: CallOptions): Promise<string> } };

/** With --user: the user of the kubeconfig, as the API server authenticates it. */
const ME = 'me';

/** A job is submitted without its user rather than late. */
const SOON_MS = 5_000;

/** As it is where the API server does not answer who asks. */
export async function withOwnUser({ api }: Asked, object: KubeObject): Promise<KubeObject> {
  try {
    const user = await api.userName({ timeoutMs: SOON_MS });
    const annotations = { ...object.metadata.annotations, [ANNOTATION_USER]: user };
    return { ...object, metadata: { ...object.metadata, annotations } };
  } catch (error) {
    if (error instanceof KubeError) return object;
    throw error;
  }
}

/** The name that the flag --user stands for. */
export async function userNamed({ api }: Asked, user: string): Promise<string> {
  if (user !== ME) return user;
  try {
    return await api.userName();
  } catch (error) {
    if (!(error instanceof KubeError) || error.code === 'Unreachable') throw error;
    throw new CommandError(
      `the API server does not say which user you are (${error.message}); give the name: --user NAME`,
    );
  }
}
