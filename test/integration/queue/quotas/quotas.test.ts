// Does the operator count pods in ResourceQuotas as the API server does, and refuse those that the
// API server refuses?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { requestsOf } from '../../../../src/core/pod-requests.ts';
import { kubernetesVersion } from '../../../../src/playground/binaries/releases.ts';
import { casesOf, clusterObjects, examples } from '../../../support/quota-answers/generate.ts';
import { difference, disagreements, knownOf } from '../../../support/quota-answers/judge.ts';
import { isSameAnswer, readTable, writeTable } from '../../../support/quota-answers/table.ts';
import { Swarm } from '../../support/swarm.ts';
import { type PlayedCase, QuotaPlay } from './play.ts';

const PODS_EACH = 16;
/** Another seed plays other namespaces. */
const FRESH = { seed: 2, cases: 18 };
/** Those in the table that the operator and the simulation are held to in other tests. */
const RECORDED = { seed: 1, cases: 12 };
const isUpdate = process.env['SWARM_UPDATE_QUOTA_ANSWERS'] === '1';

const recorded = isUpdate
  ? [...examples, ...casesOf(RECORDED.seed, RECORDED.cases, PODS_EACH)]
  : readTable().cases.map(({ pods, ...rest }) => ({
      ...rest,
      pods: pods.map(({ spec }) => spec),
    }));
const fresh = casesOf(FRESH.seed, FRESH.cases, PODS_EACH);

let swarm: Swarm;
let played: readonly PlayedCase[] = [];

beforeAll(async () => {
  // A PriorityClass that is the global default would change the pods of other tests.
  swarm = await Swarm.start({ controlPlane: {}, nodes: 0 });
  played = await new QuotaPlay(swarm.api).play([...recorded, ...fresh], clusterObjects);
  if (!isUpdate) return;
  const cases = played.slice(0, recorded.length).map(({ answered }) => answered);
  writeTable({ kubernetes: kubernetesVersion, ...clusterObjects, cases });
});

afterAll(() => swarm.stop());

const shareOf = (is: string): number => {
  const answers = played.flatMap(({ answered }) => answered.pods.map(({ answer }) => answer));
  return answers.filter((answer) => answer.is === is).length / answers.length;
};

it('the operator counts and refuses generated pods as the API server does', () => {
  expect(played.flatMap(({ answered }) => disagreements(answered, clusterObjects))).toEqual([]);
  // The pods are of all sorts.
  expect(shareOf('created')).toBeGreaterThan(0.4);
  expect(shareOf('lacking')).toBeGreaterThan(0.1);
  expect(shareOf('exceeding')).toBeGreaterThan(0.04);
  expect(shareOf('invalid')).toBeLessThan(0.1);
});

it('a template requests as much as the pod that the API server makes of it', () => {
  const wrong = played.flatMap(({ answered, stored }) => {
    const { defaults } = knownOf(answered, clusterObjects);
    return stored.flatMap((pod, at) => {
      if (pod === undefined) return [];
      const ofTemplate = requestsOf(answered.pods[at]?.spec, defaults);
      const differs = difference(ofTemplate, requestsOf(pod['spec']));
      return differs === undefined ? [] : [`${answered.name} pod ${at}: ${differs}`];
    });
  });
  expect(wrong).toEqual([]);
});

it('the API server answers as the table of its answers says', () => {
  const answers = new Map(played.map(({ answered }) => [answered.name, answered.pods]));
  const table = readTable();
  expect(table.kubernetes).toBe(kubernetesVersion);
  const wrong = table.cases.flatMap(({ name, pods }) =>
    pods.flatMap(({ answer }, at) => {
      const now = answers.get(name)?.[at]?.answer;
      return now !== undefined && isSameAnswer(now, answer)
        ? []
        : [`${name} pod ${at}: ${JSON.stringify(now)} instead of ${JSON.stringify(answer)}`];
    }),
  );
  expect(isUpdate ? [] : wrong).toEqual([]);
});
