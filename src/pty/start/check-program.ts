import { checkCwd } from './check-request.ts';
import { resolveProgram } from './resolve-program.ts';

/**
 * What a start would find wrong with a program and its place, before there is one.
 *
 * @param cwd absolute
 * @param path PATH of the program's environment
 * @returns the program's absolute path
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY
 */
export async function checkProgram(program: string, cwd: string, path?: string): Promise<string> {
  await checkCwd(cwd);
  return resolveProgram(program, cwd, path);
}
