// What is answered about one pool?
import { explain } from '../../pool/plan/explain.ts';
import { answerPart, type IntrospectionAnswer, no, nothing, ok } from './answer.ts';
import { boardOf } from './board.ts';
import { blockedText, planFor, workersIn } from './plans.ts';
import { detailOf, type PoolSnapshot } from './pools.ts';
import { type StreamIndex, streamsLike, streamsOf, workersOf } from './workers.ts';

const itself = <T>(it: T): T => it;

export function answerOfPool(
  snapshot: PoolSnapshot,
  [what, item, part, ...more]: readonly string[],
  query: URLSearchParams,
): IntrospectionAnswer {
  if (what === undefined) return ok(detailOf(snapshot));
  if (more.length > 0) return nothing();
  if (item === undefined) return wholePool(snapshot, what, query);
  if (what === 'streams' && part === undefined) return explained(snapshot, item);
  if (what !== 'workers' || part !== 'streams') return nothing();
  const list = streamsOf(snapshot, item);
  return list === undefined ? nothing() : streamsIn(list, query);
}

function wholePool(
  snapshot: PoolSnapshot,
  what: string,
  query: URLSearchParams,
): IntrospectionAnswer {
  switch (what) {
    case 'board':
      return ok(boardOf(snapshot));
    case 'plan':
      return planned(snapshot, query);
    case 'streams':
      return streamsIn(streamsLike(snapshot, query.get('contains') ?? ''), query);
    case 'workers':
      return answerPart(workersOf(snapshot), ({ name }) => name, itself, query);
    default:
      return nothing();
  }
}

const streamsIn = ({ names, show }: StreamIndex, query: URLSearchParams): IntrospectionAnswer =>
  answerPart(names, itself, show, query);

function planned(snapshot: PoolSnapshot, query: URLSearchParams): IntrospectionAnswer {
  const workers = workersIn(query);
  if (typeof workers === 'string') return no(400, workers);
  const plan = planFor(snapshot, workers);
  return typeof plan === 'string' ? no(409, plan) : ok(plan);
}

function explained({ world, decision, now }: PoolSnapshot, stream: string): IntrospectionAnswer {
  if (decision.basis === undefined) return nothing();
  const found = explain(world, decision.basis, stream, now);
  return found.ok ? ok(found.explanation) : no(409, blockedText(found.blocked));
}
