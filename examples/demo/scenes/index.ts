import type { Scene } from '../scene.ts';
import { command } from './command.ts';
import { ends } from './ends.ts';
import { flood } from './flood.ts';
import { interrupt } from './interrupt.ts';
import { less } from './less.ts';
import { python } from './python.ts';
import { removal } from './removal.ts';
import { scrollback } from './scrollback.ts';
import { shell } from './shell.ts';
import { top } from './top.ts';
import { vim } from './vim.ts';

/** From the simple to the unusual. */
export const scenes: readonly Scene[] = [
  shell,
  interrupt,
  scrollback,
  vim,
  less,
  python,
  top,
  ends,
  flood,
  removal,
  command,
];
