import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  checkLifetime,
  checkLimits,
  checkRawBytes,
  checkScrollbackLines,
  checkSessionName,
  checkSize,
  maxRawBytes,
  type SpawnRequest,
} from '#model';
import { field } from '../convert/field.ts';
import { toEnds } from '../convert/lifetime.ts';
import { environmentModes } from '../convert/words.ts';
import type { SpawnRequestSchema } from '../gen/vtr.gen.ts';
import { checked } from './checked.ts';

/**
 * A request to spawn, as a message. Proto3 does not know an empty name or a size of 0 from none, and
 * has no place for half a byte, so these are checked here.
 *
 * @throws VtrError INVALID_NAME, INVALID_SIZE, INVALID_ARGUMENT
 */
export function toSpawnMessage(request: SpawnRequest): MessageInitShape<typeof SpawnRequestSchema> {
  const { name, program, args = [], cwd, env = {}, environment, size } = request;
  if (name !== undefined) checkSessionName(name);
  const sides = checked(name ?? '(no name)', () => {
    checkLifetime(request.lifetime ?? {});
    checkLimits(request.limits ?? {});
    checkScrollbackLines(request.scrollbackLines ?? 0);
    checkRawBytes(request.rawBytes ?? maxRawBytes);
    return size && checkSize(size);
  });
  return {
    ...(name === undefined ? {} : { name }),
    ...(program === undefined ? {} : { program }),
    args: [...args],
    ...(cwd === undefined ? { inDaemonDir: true } : { workingDir: cwd }),
    env: { ...env },
    environment: environmentModes.toWire(environment),
    ...(sides === undefined ? {} : { cols: sides.cols, rows: sides.rows }),
    ...field('shellIntegration', request.shellIntegration),
    ...toEnds(request),
    ...field('leaseId', request.lease),
    ...field('scrollbackLines', request.scrollbackLines),
    ...field('rawBytes', request.rawBytes),
  };
}
