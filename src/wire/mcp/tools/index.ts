import type { Tool } from '../tool.ts';
import { createSession } from './create-session.ts';
import { listSessions } from './list-sessions.ts';
import { read } from './read.ts';
import { run } from './run.ts';
import { search } from './search.ts';
import { send } from './send.ts';
import { destroySession, getInfo, resize } from './sessions.ts';
import { wait } from './wait.ts';

/**
 * Listed in this order, always the same: hosts cache the list. Not more than eight, because a search of Codex among its
 * tools returns eight.
 */
export const terminalTools: readonly Tool[] = [
  createSession,
  run,
  send,
  read,
  wait,
  search,
  listSessions,
  destroySession,
  getInfo,
  resize,
];
