// Which objects of any kind may have changed?
import type { GroupNews } from './groups.ts';
import type { PoolNews } from './pools.ts';
import type { QueueNews } from './queues.ts';

export type News = PoolNews | GroupNews | QueueNews;

export const isOfGroups = (news: News): news is GroupNews =>
  news.type === 'groups' || news.type === 'group' || news.type === 'group-gone';

export const isOfQueues = (news: News): news is QueueNews =>
  news.type === 'queues' || news.type === 'queue' || news.type === 'queue-gone';
