import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { decodeWork, showWorkIn, type WorkKind, workBytes } from '#base';
import { sharedMemory } from '#libc';

/** The name of the memory: see {@link sharedMemory}. */
const name = 'vtr-work';

let memory: Uint8Array | null = null;

/** Shows what this process works on, from now on, to {@link workOf} in other processes of the user. */
export function showWork(): void {
  memory ??= sharedMemory(name, workBytes);
  showWorkIn(memory);
}

const texts: Readonly<Record<WorkKind, (session: string) => string>> = {
  output: (session) => `output of session ${session}`,
  search: (session) => `a search in session ${session}`,
  save: (session) => `saving session ${session}`,
  call: (session) => `a call for session ${session}`,
  recording: (session) => `the recording of session ${session}`,
};

/** Returns what a daemon works on, such as `output of session build`; null if it shows nothing, or not to this process. */
export function workOf(pid: number): string | null {
  const directory = `/proc/${pid}/fd`;
  try {
    for (const fd of readdirSync(directory)) {
      if (linkOf(`${directory}/${fd}`) !== `/memfd:${name} (deleted)`) continue;
      const work = decodeWork(readFileSync(`${directory}/${fd}`));
      return work && texts[work.kind](work.session);
    }
  } catch {
    // It has ended, belongs to another user, or the system has no /proc.
  }
  return null;
}

/** The descriptor may have been closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
