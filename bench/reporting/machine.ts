import { cpus, loadavg, type } from 'node:os';

/** What a figure depends on, and nothing that names the machine. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly system: string;
  /** Processes that wanted a core in the minute before: what else it had to do. */
  readonly load: number;
}

export function thisMachine(): Machine {
  const all = cpus();
  return {
    node: process.versions.node,
    cores: all.length,
    cpu: all[0]?.model.trim() ?? 'an unknown processor',
    system: `${type()} ${process.arch}`,
    load: loadavg()[0] ?? 0,
  };
}
