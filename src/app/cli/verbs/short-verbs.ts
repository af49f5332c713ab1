import type { Verb } from '../verb.ts';
import type { ShortVerbName } from './short-verb-names.ts';

export const shortVerbs: Readonly<Record<ShortVerbName, () => Promise<Verb>>> = {
  ls: async () => (await import('./ls.ts')).ls,
  info: async () => (await import('./info.ts')).info,
  screen: async () => (await import('./screen.ts')).screen,
  read: async () => (await import('./read.ts')).read,
  send: async () => (await import('./send.ts')).send,
  key: async () => (await import('./key.ts')).key,
  wait: async () => (await import('./wait.ts')).wait,
  idle: async () => (await import('./idle.ts')).idle,
  commands: async () => (await import('./commands.ts')).commands,
};
