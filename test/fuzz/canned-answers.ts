// How does the client get responses without a server? From a dispatcher with canned responses.
import { KubeConfig, type RequestContext } from '@kubernetes/client-node';
import { Dispatcher } from 'undici';

export type CannedAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** Returns one response after the other, then `last` again and again. */
export class CannedAnswers extends Dispatcher {
  #answers: readonly CannedAnswer[] = [];
  readonly #last: CannedAnswer;
  asked = 0;

  constructor(last: CannedAnswer) {
    super();
    this.#last = last;
  }

  begin(answers: readonly CannedAnswer[]): void {
    this.#answers = answers;
    this.asked = 0;
  }

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { status, headers, body } = this.#answers[this.asked] ?? this.#last;
    this.asked += 1;
    let failure: Error | null = null;
    const controller: Dispatcher.DispatchController = {
      get aborted() {
        return failure !== null;
      },
      get reason() {
        return failure;
      },
      paused: false,
      rawHeaders: Object.entries(headers).flat(),
      abort: (reason) => {
        if (failure !== null) return;
        failure = reason;
        handler.onResponseError?.(controller, reason);
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, status, { ...headers }, '');
    if (failure !== null) return true;
    if (body.length > 0) handler.onResponseData?.(controller, Buffer.from(body));
    handler.onResponseEnd?.(controller, {});
    return true;
  }

  override async close(): Promise<void> {}
}

/** The configuration of a cluster whose responses come from the dispatcher. */
export function configWith(dispatcher: Dispatcher): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'canned', server: 'http://127.0.0.1:4', skipTLSVerify: true },
    { name: 'nobody' },
  );
  const asBefore = config.applySecurityAuthentication.bind(config);
  config.applySecurityAuthentication = async (context: RequestContext): Promise<void> => {
    await asBefore(context);
    context.setDispatcher(dispatcher);
  };
  return config;
}
