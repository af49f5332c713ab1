import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkSessionName, checkSize, type SpawnRequest } from '#model';
import { field } from '../convert/field.ts';
import { environmentModes } from '../convert/words.ts';
import type { SpawnRequestSchema } from '../gen/vtr.gen.ts';
import { checked } from './checked.ts';

/**
 * A request to spawn, as a message. Proto3 does not know an empty name or a size of 0 from none, so
 * both are checked here.
 *
 * @throws VtrError INVALID_NAME, INVALID_SIZE
 */
export function toSpawnMessage(request: SpawnRequest): MessageInitShape<typeof SpawnRequestSchema> {
  const { name, program, args = [], cwd, env = {}, environment, size } = request;
  if (name !== undefined) checkSessionName(name);
  const sides = size && checked(name ?? '(no name)', () => checkSize(size));
  return {
    ...(name === undefined ? {} : { name }),
    ...(program === undefined ? {} : { program }),
    args: [...args],
    ...(cwd === undefined ? { inDaemonDir: true } : { workingDir: cwd }),
    env: { ...env },
    environment: environmentModes.toWire(environment),
    ...(sides === undefined ? {} : { cols: sides.cols, rows: sides.rows }),
    ...field('shellIntegration', request.shellIntegration),
  };
}
