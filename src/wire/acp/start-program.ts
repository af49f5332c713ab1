import { asVtrError, type Coordinator, type SessionInfo, type SpawnRequest } from '#model';

/** Models write for bash; sh is everywhere. */
const usualShells = ['bash', '/bin/sh'];

/** No name of a program holds any of these by habit; a line for a shell can hardly do without. */
const shellCharacters = /[\s;&|<>()$`"'*?[\]{}~#=!\\]/;

/** What is to be run: a program with its arguments; without arguments perhaps a line for a shell. */
export interface AskedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** That runs lines; one of the usual ones when absent. */
  readonly shell: string | undefined;
}

/**
 * Agents in use send a whole shell line as the command, and no arguments: what is no program then,
 * and looks like a line, is one.
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

/** Of several programs the first that there is; the last one's failure where there is none. */
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
