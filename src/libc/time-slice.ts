import { linuxAbi as abi, type Loaded, loadLibc } from './libc.ts';

const { bytes, sched_policy, sched_runtime } = abi.schedAttr;

let loaded: Loaded<'schedAttr'> | null | undefined;

/** Loads koffi at the first call: some 5 ms. */
function calls(): Loaded<'schedAttr'> | null {
  if (loaded !== undefined) return loaded;
  const isKnown = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  try {
    loaded = isKnown ? loadLibc(['schedAttr']) : null;
  } catch {
    loaded = null;
  }
  return loaded;
}

/** The calling thread, which is the one of JavaScript. */
const thisThread = 0;

/** Returns the attributes of this thread, as `struct sched_attr`; null if it has no time slice that could be set. */
function attributes({ libc }: Loaded<'schedAttr'>): Buffer | null {
  const read = Buffer.alloc(bytes);
  if (libc.schedAttr(abi.SYS_sched_getattr, thisThread, read, bytes, 0) !== 0) return null;
  const policy: number = read.readUInt32LE(sched_policy);
  return policy === abi.SCHED_OTHER || policy === abi.SCHED_BATCH ? read : null;
}

/**
 * The time slice of this thread, in ms: how long it runs before the scheduler chooses again. One that wakes up and has a
 * shorter slice interrupts it at once. The share of the processor is the same with each slice. What this thread starts
 * inherits it.
 */
export const timeSlice = {
  /** Returns null where it is not known: on other systems, without koffi, before Linux 6.12. */
  get(): number | null {
    const system = calls();
    const runtime = (system && attributes(system)?.readBigUInt64LE(sched_runtime)) ?? 0n;
    return runtime === 0n ? null : Number(runtime) / 1e6;
  },

  /**
   * Without effect where it cannot be set.
   *
   * @param ms 0.1 to 100; 0: the default of the system
   */
  set(ms: number): void {
    const system = calls();
    const changed = system && attributes(system);
    if (system === null || changed === null) return;
    changed.writeBigUInt64LE(BigInt(Math.round(ms * 1e6)), sched_runtime);
    // The nice value and the policy are those that were read: no privilege is needed.
    system.libc.schedAttr(abi.SYS_sched_setattr, thisThread, changed, 0, 0);
  },
};
