import { spawn } from 'node:child_process';
import type { Context } from '../context.ts';

/** Opens an address with BROWSER, or the desktop's own opener. It is printed in any case. */
export async function openInBrowser({ env, say }: Context, url: string): Promise<void> {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  // BROWSER may be a list of commands, of which the first one is tried.
  const program = env['BROWSER']?.split(':')[0] || opener;
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  const problem = await new Promise<Error | null>((resolve) => {
    child.once('error', resolve);
    child.once('spawn', () => resolve(null));
  });
  child.unref();
  if (problem !== null) say(`cannot run ${program}: ${problem.message}; open the link yourself`);
}
