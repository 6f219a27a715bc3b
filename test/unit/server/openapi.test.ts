// Does the description of the introspection hold for every answer?
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemas } from '../../../src/api/introspection.ts';
import { asRecord, dig } from '../../../src/api/objects.ts';
import type { GroupWorld } from '../../../src/group/world.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { QueueWorld } from '../../../src/queue/world.ts';
import { openapi } from '../../../src/server/introspection/openapi.ts';
import * as groups from '../../support/group-worlds.ts';
import { carriedOut, settled } from '../../support/pool-decisions.ts';
import { NOW, scaled, withPod, withSpec, world } from '../../support/pool-worlds.ts';
import * as queues from '../../support/queue-worlds.ts';
import { introspected, questionOf } from './introspected.ts';

const operator = introspected();
const { see, seeGroup, seeQueues, ask, body } = operator;

describe('the description', () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'api', components: { schemas } });
  const problemsOf = (schema: string, value: unknown): unknown => {
    const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
    return validate === undefined ? `no schema ${schema}` : validate(value) ? [] : validate.errors;
  };
  const schemaOf = (path: string, status: number): string => {
    const found = dig(
      openapi.paths,
      path,
      'get',
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
      '$ref',
    );
    return String(found).replace('#/components/schemas/', '');
  };
  const paths = Object.keys(openapi.paths).filter(
    (path) =>
      dig(
        openapi.paths,
        path,
        'get',
        'responses',
        '200',
        'content',
        'application/json',
        'schema',
      ) !== undefined,
  );

  const base = settled(
    world({
      streams: [{ name: 'a', weight: 60 }, { name: 'b', weight: 60 }, { name: 'c' }],
      workers: 2,
    }),
  );
  const crowded = withSpec(base, {
    streams: ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 70 })),
  });
  const states: Readonly<Record<string, PoolWorld>> = {
    'is new': world({ streams: 3 }),
    'is at rest': base,
    'is being scaled': scaled(base, 3, { isReady: false }),
    'has too little room': carriedOut(crowded, decidePool(crowded, NOW)),
    'is paused': withSpec(scaled(base, 3), { paused: true }),
    'is blocked': { ...base, rival: 'older' },
    'was refused': { ...crowded, refused: { reason: 'Forbidden', message: 'no' } },
    'is Exclusive': withSpec(scaled(base, 3), { handoff: { type: 'Exclusive' } }),
    'has a silent worker': { ...withPod(base, 1, { isReady: false }), answers: {} },
    'has no valid spec': withSpec(base, { streams: [{ name: '' }] }),
  };

  const isOfGroups = (path: string): boolean => path.startsWith('/api/v1/groups');
  const isOfQueues = (path: string): boolean => path.startsWith('/api/v1/queues');

  it.each(Object.entries(states))(
    'the OpenAPI description holds for every answer when a pool %s',
    async (_, at) => {
      see(at);
      for (const path of paths.filter((it) => !isOfGroups(it) && !isOfQueues(it))) {
        const { status, body: answer } = await ask(questionOf(path));
        expect({ path, problems: problemsOf(schemaOf(path, status), answer) }).toEqual({
          path,
          problems: [],
        });
      }
    },
  );

  const staged = groups.settled(
    groups.groupWorld({
      members: { db: { stage: 0 }, web: { stage: 1, ratio: '1.5' } },
      spec: { transition: { order: 'Staged', timeoutSeconds: 60, onTimeout: 'Rollback' } },
    }),
  );
  const scaling = groups.next(groups.withSpec(staged, { replicas: 3 }));
  const groupStates: Readonly<Record<string, GroupWorld>> = {
    'is new': groups.groupWorld(),
    'has no size': groups.groupWorld({ spec: { replicas: undefined } }),
    'is at rest': staged,
    'is being scaled': groups.next(groups.ready(scaling, 'db')),
    'goes back': groups.later(groups.next(groups.next(scaling, 61_000)), 3_000),
    'is paused': groups.withSpec(staged, { paused: true, replicas: 7 }),
    'is blocked': groups.withSpec(staged, { replicas: -1 }),
    'was refused': { ...scaling, refused: { reason: 'Forbidden', message: 'no' } },
    'misses a member': groups.withSeen(staged, 'db', () => ({ found: undefined })),
    'is being deleted': {
      ...staged,
      group: { ...staged.group, meta: { ...staged.group.meta, isDeleting: true } },
    },
  };

  it.each(Object.entries(groupStates))(
    'the OpenAPI description holds for every answer when a group %s',
    async (_, at) => {
      seeGroup(at);
      for (const path of paths.filter(isOfGroups)) {
        const { status, body: answer } = await ask(questionOf(path));
        const problems = problemsOf(schemaOf(path, status), answer);
        expect({ path, status, problems }).toEqual({ path, status: 200, problems: [] });
      }
    },
  );

  const { queueOf, jobOf, podOf, runOf } = queues;
  const admitting = queues.atRest(
    queues.worldOf({
      queues: [queueOf({ pods: '2', cpu: '4' }, { jobDefaults: { activeDeadlineSeconds: 60 } })],
      jobs: ['a', 'b', 'c'].map((name) =>
        jobOf(name, { size: 2, resources: { requests: { cpu: '1' } } }),
      ),
    }),
  );
  const queueStates: Readonly<Record<string, QueueWorld>> = {
    'is new': queues.worldOf({ queues: [queueOf({ pods: '2' })] }),
    'has jobs': { ...admitting, runs: [runOf('a')], pods: [podOf('a')] },
    'holds pods of a job that is over': { ...admitting, jobs: [], pods: [podOf('a')] },
    'is blocked': { ...admitting, queues: [queueOf({ pods: '2' }, { strategy: 'Random' })] },
    'was refused': { ...admitting, refused: { reason: 'Forbidden', message: 'no' } },
    'waits for the first write of its leader': { ...admitting, epoch: 'leader-2' },
  };

  it.each(Object.entries(queueStates))(
    'the OpenAPI description holds for every answer when a queue %s',
    async (_, at) => {
      seeQueues(at);
      for (const path of paths.filter(isOfQueues)) {
        const { status, body: answer } = await ask(questionOf(path));
        const problems = problemsOf(schemaOf(path, status), answer);
        expect({ path, status, problems }).toEqual({ path, status: 200, problems: [] });
      }
    },
  );

  it('the OpenAPI description holds for refusals', async () => {
    const lists = ['/api/v1/pools', '/api/v1/groups', '/api/v1/queues'];
    for (const path of paths.filter((it) => !lists.includes(it))) {
      const { status, body: answer } = await ask(path);
      expect({ path, status, problems: problemsOf(schemaOf(path, status), answer) }).toEqual({
        path,
        status: 404,
        problems: [],
      });
    }
  });

  it('the OpenAPI description allows no unknown field, and no missing one', () => {
    expect(problemsOf('Gone', { namespace: 'a', name: 'b', secret: 'c' })).not.toEqual([]);
    expect(problemsOf('Gone', { namespace: 'a' })).not.toEqual([]);
  });

  it('the OpenAPI description is served unchanged, has all its schemas, and describes every field', async () => {
    expect(await body('/api/v1/openapi.json')).toEqual(JSON.parse(JSON.stringify(openapi)));
    const refs = [...JSON.stringify(openapi).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name = '']) => name,
    );
    expect(refs.filter((name) => !(name in schemas))).toEqual([]);
    const isTold = (value: unknown): boolean =>
      dig(value, 'enum') !== undefined || dig(value, 'description') !== undefined;
    const silent = (value: unknown): boolean =>
      Object.values(asRecord(dig(value, 'properties')) ?? {}).some(
        (field) => silent(field) || !isTold(field),
      );
    expect(Object.entries(schemas).filter(([, schema]) => silent(schema))).toEqual([]);
  });
});
