import type { LocalCoordinator } from '#coordinator';
import type { SessionInfo } from '#model';
import { buildEnvironment, createPtyHost, type OutputChunk } from '#pty';

const program = 'yes';
/** `y` and CR LF, which the terminal writes for LF. */
const lineBytes = 3;

/** Programs that write as fast as they can, and the amount of their output. */
export interface Floods {
  bytes(): Promise<number> | number;
  end(): Promise<unknown>;
}

/** In sessions of a coordinator. */
export async function sessionFloods(coordinator: LocalCoordinator, count: number): Promise<Floods> {
  const floods: SessionInfo[] = [];
  for (let flood = 0; flood < count; flood++) floods.push(await coordinator.spawn({ program }));
  return {
    async bytes() {
      let lines = 0;
      for (const flood of floods) {
        // The number of all lines, including those removed from the scrollback.
        const { endLine } = await coordinator.readLines(flood, { from: 0, to: 0 });
        lines += endLine;
      }
      return lines * lineBytes;
    },
    end: () => Promise.all(floods.map((each) => coordinator.remove(each, { force: true }))),
  };
}

/** In pseudo-terminals whose output is only counted: the lower bound. */
export async function bareFloods(count: number): Promise<Floods> {
  const host = createPtyHost();
  const env = buildEnvironment({ base: process.env, cwd: '/' });
  let bytes = 0;
  const onOutput = (chunk: OutputChunk) => {
    bytes += chunk.bytes.length;
  };
  for (let flood = 0; flood < count; flood++) {
    const marker = { name: `flood-${flood}`, id: `${process.pid}-${flood}` };
    const size = { cols: 80, rows: 24 };
    const pty = await host.spawn({ program, args: [], cwd: '/', env, size, marker });
    pty.readOutput(0, onOutput);
  }
  return { bytes: () => bytes, end: () => host.close({ force: true }) };
}
