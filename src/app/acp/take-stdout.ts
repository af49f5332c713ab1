import { Writable } from 'node:stream';

/**
 * Takes stdout for the protocol alone: whatever else of this process writes there writes to stderr
 * from now on, because one stray line breaks the other side.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // An editor that is gone is the end of the proxy, which has an agent to end first.
  stdout.removeAllListeners('error');
  const taken = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => taken.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return taken;
}
