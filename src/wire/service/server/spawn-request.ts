import { homedir } from 'node:os';
import { defaultSize, type SpawnRequest } from '#model';
import { field } from '../convert/field.ts';
import { fromEnds } from '../convert/lifetime.ts';
import { environmentModes } from '../convert/words.ts';
import type { SpawnRequest as SpawnMessage } from '../gen/vtr.gen.ts';

/** A request to spawn, in the words of the port. Proto3's empty values are values not given. */
export function fromSpawnMessage(message: SpawnMessage): SpawnRequest {
  const { name, workingDir, inDaemonDir, env, cols, rows } = message;
  const environment = environmentModes.fromWire(message.environment);
  const cwd = workingDir !== '' ? workingDir : inDaemonDir ? undefined : homedir();
  const hasSize = cols !== 0 || rows !== 0;
  return {
    ...(name === '' ? {} : { name }),
    ...programOf(message),
    ...(cwd === undefined ? {} : { cwd }),
    env,
    ...(environment === undefined ? {} : { environment }),
    ...(hasSize
      ? { size: { cols: cols || defaultSize.cols, rows: rows || defaultSize.rows } }
      : {}),
    ...field('shellIntegration', message.shellIntegration),
    ...fromEnds(message),
    ...field('lease', message.leaseId),
    ...field('scrollbackLines', message.scrollbackLines),
    ...field('rawBytes', message.rawBytes),
  };
}

/**
 * `command` of one word is a program, with more words a line for the shell, which the coordinator
 * chooses when no program is named.
 */
function programOf(message: SpawnMessage): Pick<SpawnRequest, 'program' | 'args'> {
  const { program, args } = message;
  if (program !== undefined) return { program, args };
  const command = message.command.trim();
  if (command === '') return { args };
  return /\s/.test(command) ? { args: ['-c', command] } : { program: command, args };
}
