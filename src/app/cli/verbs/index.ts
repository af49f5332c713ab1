import type { Verb } from '../verb.ts';
import { completion } from './completion.ts';
import { configAdd, configLs, configResolve, configRm } from './config.ts';
import { doctor } from './doctor.ts';
import { grep } from './grep.ts';
import { idle } from './idle.ts';
import { info } from './info.ts';
import { key } from './key.ts';
import { kill } from './kill.ts';
import { ls } from './ls.ts';
import { raw } from './raw.ts';
import { resize } from './resize.ts';
import { rm } from './rm.ts';
import { screen } from './screen.ts';
import { send } from './send.ts';
import { serve } from './serve.ts';
import { spawn } from './spawn.ts';
import { wait } from './wait.ts';

/** All verbs, in the order in which help shows them. */
export const verbs: readonly Verb[] = [
  spawn,
  ls,
  info,
  screen,
  grep,
  send,
  key,
  raw,
  wait,
  idle,
  resize,
  kill,
  rm,
  serve,
  configLs,
  configAdd,
  configRm,
  configResolve,
  doctor,
  completion,
];
