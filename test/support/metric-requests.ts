// How often has an operator asked its sources of metrics, with which result?
import { request } from 'undici';

/** By its own metrics. */
export async function metricRequests(port: number, result: string): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const line = `swarm_operator_metric_requests_total\\{source="default",result="${result}"\\} (\\d+)`;
  return Number(new RegExp(line).exec(await body.text())?.[1] ?? 0);
}
