import { asVtrError, type Coordinator, type SessionInfo, type SpawnRequest } from '#model';

/** Models write bash lines; sh exists on every system. */
const usualShells = ['bash', '/bin/sh'];

/** Characters of shell lines that are unusual in program names. */
const shellCharacters = /[\s;&|<>()$`"'*?[\]{}~#=!\\]/;

/** A requested program with arguments; without arguments, possibly a shell line. */
export interface AskedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Runs lines. Default: bash, or sh if there is no bash. */
  readonly shell: string | undefined;
}

/**
 * Starts a program. Some agents send a whole shell line as the command, without arguments: a command
 * that is not found and looks like a line runs in a shell.
 *
 * @throws VtrError as `Coordinator.spawn`
 */
export async function startProgram(
  coordinator: Coordinator,
  { command, args, shell }: AskedProgram,
  request: SpawnRequest,
): Promise<SessionInfo> {
  const shells = shell === undefined ? usualShells : [shell];
  const isLine = args.length === 0 && shellCharacters.test(command);
  const lines = isLine ? shells.map((each) => ({ program: each, args: ['-c', command] })) : [];
  return firstFound([{ program: command, args }, ...lines], (program) =>
    coordinator.spawn({ ...request, ...program }),
  );
}

type Program = Pick<SpawnRequest, 'program' | 'args'>;

/** Starts the first program that is found. @throws VtrError the last one's failure if none is found */
async function firstFound(
  [program = {}, ...others]: readonly Program[],
  start: (program: Program) => Promise<SessionInfo>,
): Promise<SessionInfo> {
  try {
    return await start(program);
  } catch (error) {
    if (others.length === 0 || asVtrError(error).code !== 'PROGRAM_NOT_FOUND') throw error;
    return firstFound(others, start);
  }
}
