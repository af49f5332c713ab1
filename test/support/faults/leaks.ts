import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** What an operation must give back, by kind: open files, child processes, handles of Node, paths. */
export type Held = Readonly<Record<string, readonly string[]>>;

/** How long it may take to give it back, on a slow machine, in ms. */
const patienceMs = 60_000;

/** Those of the test runner, and of waiting for the others. */
const transient = new Set(['Immediate', 'Timeout', 'FSReqPromise', 'FSReqCallback']);

/** @param directory whose files count */
export function openOf(directory: string): Held {
  return {
    file: openFiles(),
    child: children(),
    resource: process.getActiveResourcesInfo().filter((each) => !transient.has(each)),
    path: readdirSync(directory, { recursive: true }).map(String),
  };
}

/** Waits until no more is held than before. Returns what is. */
export async function stillHeld(before: Held, directory: string): Promise<string[]> {
  const lastMs = performance.now() + patienceMs;
  for (;;) {
    const more = Object.entries(openOf(directory)).flatMap(([kind, entries]) =>
      beyond(entries, before[kind] ?? []).map((each) => `${kind} ${each}`),
    );
    if (more.length === 0 || performance.now() > lastMs) return more;
    await delay(5);
  }
}

/** Returns the entries that are more often in `now`. */
function beyond(now: readonly string[], before: readonly string[]): string[] {
  const left = [...before];
  return now.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/^(socket|pipe):.*/, '$1')];
    } catch {
      // That of this listing.
      return [];
    }
  });
}

function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
}
