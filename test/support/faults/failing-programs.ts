import { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { distantSite, type Functions, failureOf, replace } from './system-calls.ts';

/** Replaces what starts programs for `spawn` of Node. */
export function failPrograms(): void {
  replace(
    ChildProcess.prototype as unknown as Functions,
    'spawn',
    (original) =>
      function spawn(this: unknown, ...args) {
        const failure = failureOf('spawn', '', { site: distantSite() });
        if (failure === null) return original.apply(this, args);
        const { _handle: handle } = this as { _handle: { spawn(): number } };
        handle.spawn = () => -constants.errno[failure as keyof typeof constants.errno];
        return original.apply(this, args);
      },
  );
}
