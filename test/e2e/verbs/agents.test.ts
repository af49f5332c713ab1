import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';

/** The first message of a host of the older protocol; the end of input follows. */
const opening = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
})}\n`;

/** The value that hosts pass for an option that the user has not set. */
const unset = (option: string): string => `$\{user_config.${option}}`;

describe('vtr mcp', () => {
  it.each([[[]], [['--embedded']]])('%j answers a host, and exits with it', async (flags) => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['mcp', ...flags], { input: opening });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('reports an invalid option at the start', async () => {
    const place = new Place();
    const env = { VTR_MAX_SESSIONS: 'many', VTR_TERM: unset('term'), VTR_DEFAULT_ROWS: '' };
    const { status, stderr, stdout } = await place.vtr(['mcp'], { env, input: opening });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('VTR_MAX_SESSIONS is "many"; it must be a whole number');
    const fine = { ...env, VTR_MAX_SESSIONS: unset('max_sessions') };
    expect((await place.vtr(['mcp'], { env: fine, input: opening })).status).toBe(0);
  });
});

describe('vtr acp', () => {
  it('relays the messages of agent and editor, and exits with the status of the agent', async () => {
    const place = new Place();
    const agent = ['sh', '-c', 'cat; exit 3'];
    const run = await place.vtr(['acp', '--', ...agent], {
      input: '{"method":"_x", "id":1.0}\r\n',
    });
    expect(run).toMatchObject({ status: 3, stdout: '{"method":"_x", "id":1.0}\r\n', stderr: '' });
  });

  it.each([[[]], [['--embedded']]])(
    'writes only messages to stdout, even with logging: %j',
    async (flags) => {
      const words = ['acp', '--log-level', 'info', ...flags, '--', 'cat'];
      const { stdout, stderr } = await new Place().vtr(words, { input: '{"method":"_x"}\n' });
      expect(stdout).toBe('{"method":"_x"}\n');
      expect(stderr).toContain('started cat');
    },
  );

  it('starts no daemon for an agent that requests no terminal', async () => {
    const place = new Place();
    await place.vtr(['acp', '--', 'true']);
    expect((await place.vtr(['serve', '--stop'])).stderr).toContain('no coordinator');
  });
});
