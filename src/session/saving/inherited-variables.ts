import { readFileSync } from 'node:fs';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the variables that a running program was started with; none except on Linux. */
export function variablesOf(pid: number): Variables {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return Object.fromEntries(variables.map((each) => splitAt(each)));
  } catch {
    return {};
  }
}

function splitAt(variable: string): [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, at), variable.slice(at + 1)];
}
