// What may be new, of any kind?
import type { GroupNews } from './groups.ts';
import type { PoolNews } from './pools.ts';

export type News = PoolNews | GroupNews;

export const isOfGroups = (news: News): news is GroupNews =>
  news.type === 'groups' || news.type === 'group' || news.type === 'group-gone';
