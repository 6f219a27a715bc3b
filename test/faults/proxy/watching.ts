// What does a client of the proxy see of one watch? Each line of the server, or not.
import type { ServerResponse } from 'node:http';
import type { Call } from './call.ts';

export class Watching {
  readonly call: Call;
  readonly #response: ServerResponse;
  readonly #filter: (line: string) => readonly string[];
  #isSilent = false;
  #rest = '';

  constructor(call: Call, response: ServerResponse, filter: (line: string) => readonly string[]) {
    this.call = call;
    this.#response = response;
    this.#filter = filter;
  }

  take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) for (const said of this.#filter(line)) this.say(`${said}\n`);
  }

  say(text: string): void {
    if (!this.#isSilent) this.#response.write(text);
  }

  /** No more events, and no close: as when a router on the way has forgotten the connection. */
  goSilent(): void {
    this.#isSilent = true;
  }

  end(): void {
    if (!this.#isSilent) this.#response.end(this.#rest);
  }
}
