import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { JsonCoordinator } from '#wire/service/short';
import { needs } from '../support/run/needs.ts';
import { runs } from '../support/run/runs.ts';
import { type Cut, CuttingProxy } from '../support/service/cutting-proxy.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

type Client = Pick<Coordinator, keyof JsonCoordinator & keyof Coordinator>;

const cut: fc.Arbitrary<Cut> = fc.oneof(
  fc.record({ up: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ down: fc.integer({ min: 1, max: 900 }) }),
);

let served: ServedCoordinator;
let proxy: CuttingProxy;
/** Whether sessions are left; clients wait for it. */
let recovered: () => Promise<boolean>;

beforeEach(async () => {
  served = await serveCoordinator();
  proxy = await CuttingProxy.open(served.socket);
  recovered = async () => true;
});
afterEach(async () => {
  await proxy.close();
  await served.end();
});

const recover = () => recovered();
const clients = {
  short: async () => ({ client: new JsonCoordinator(proxy.socket, { recover }), close: () => {} }),
  framed: async () => {
    const client = await connect({ socket: proxy.socket, recover });
    return { client, close: () => client.close() };
  },
} satisfies Record<string, () => Promise<{ client: Client; close(): unknown }>>;

const script = 'stty -echo; echo ready; while read -r x; do echo "got $x"; done';
const reading = { program: 'sh', args: ['-c', script] };

describe.each(Object.entries(clients))('the %s client, whose connection breaks', (_name, open) => {
  let client: Client;
  let close: () => unknown;

  beforeEach(async () => {
    ({ client, close } = await open());
  });
  afterEach(() => close());

  it('types input once, and its waits miss nothing, wherever a connection breaks', async () => {
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(cut, { minLength: 1, maxLength: 6 }),
      async (cuts) => {
        const name = `s${round++}`;
        const ready = { wait: { match: ['ready'] } };
        await served.local.spawn({ ...reading, ...ready, name });
        const { mark } = await served.local.read(name);
        const left = [...cuts];
        proxy.nextCut = () => left.shift() ?? null;
        proxy.cutAll();
        const words = ['one', 'two', 'three', 'four'];
        for (const word of words) {
          const wait = { match: [`got ${word}`], timeoutMs: 60_000 };
          const result = await client.sendText(name, `${word}\r`, { wait });
          expect(result.wait?.outcome).toBe('matched');
          expect((await client.info(name)).name).toBe(name);
        }
        proxy.nextCut = () => null;
        const { text } = await served.local.read(name, { since: mark });
        expect(text.tail.trim().split('\n')).toEqual(words.map((word) => `got ${word}`));
        await served.local.remove(name, { force: true });
      },
    );
    await fc.assert(property, runs(12));
  });

  it('repeats a wait from the mark that the caller knows, and asks for none', async () => {
    await served.local.spawn({ program: 'cat', name: 'one' });
    const markBefore = await client.mark('one');
    const mark = vi.spyOn(served.local, 'mark');
    const { sendText: own } = served.local;
    const send = vi.spyOn(served.local, 'sendText').mockImplementationOnce((...args) => {
      proxy.cutAll();
      return own.apply(served.local, args);
    });
    const wait = { match: ['it'] };
    const result = await client.sendText('one', 'it\r', { wait, markBefore });
    expect(result.wait?.outcome).toBe('matched');
    expect(mark).not.toHaveBeenCalled();
    const marks = send.mock.calls.map(([, , options]) => options?.wait?.since);
    expect(marks).toEqual([undefined, markBefore]);
  });

  it.each([
    ['output', { match: ['late'] }, 'echo late', 'matched'],
    ['the exit', {}, 'exit 3', 'exited'],
    ['a title', { match: ['late'], title: 'x' }, 'echo late', 'matched'],
  ])('a wait goes on: %s while it is away', async (_what, conditions, line, outcome) => {
    const program = { program: 'sh', args: ['-c', 'read line; eval "$line"; read more'] };
    await served.local.spawn({ ...program, name: 'one' });
    const wait = vi.spyOn(served.local, 'wait');
    const waiting = client.wait('one', { ...conditions, timeoutMs: 60_000 });
    await expect.poll(() => wait.mock.calls.length).toBeGreaterThan(0);
    const { back, asked } = away();
    proxy.cutAll();
    await asked;
    const fields = outcome === 'exited' ? {} : { match: ['late$'] };
    await served.local.sendText('one', `${line}\r`, { wait: fields });
    back();
    expect(await waiting).toMatchObject({ outcome, timeoutMs: 60_000 });
  });

  it('keeps the timeout of a wait over its tries', async () => {
    await served.local.spawn({ program: 'cat', name: 'one' });
    const { wait: own } = served.local;
    const wait = vi.spyOn(served.local, 'wait').mockImplementationOnce((...args) => {
      proxy.cutAll();
      return own.apply(served.local, args);
    });
    const waiting = client.wait('one', { match: ['never'], timeoutMs: 600 });
    const { outcome, timeoutMs, elapsedMs } = await waiting;
    expect([outcome, timeoutMs]).toEqual(['timed_out', 600]);
    expect(elapsedMs).toBeGreaterThanOrEqual(600);
    // What is left of it.
    expect(wait.mock.calls.at(-1)?.[1]?.timeoutMs).toBeLessThan(600);
  });

  needs('bash')('a run goes on, and its line is typed once', async () => {
    const bash = { program: 'bash', args: ['--norc'], env: { PS1: '$ ' }, name: 'one' };
    await served.local.spawn({ ...bash, wait: { prompt: true } });
    const line = 'echo begun; read -t 9 x; echo "got $x"; (exit 4)';
    const running = client.run('one', { line, asks: false, timeoutMs: 60_000 });
    await served.local.wait('one', { match: ['^begun'], since: 'start' });
    const { back, asked } = away();
    proxy.cutAll();
    await asked;
    await served.local.sendText('one', 'it\r');
    back();
    expect(await running).toMatchObject({ outcome: 'finished', exitCode: 4, command: { line } });
    expect((await served.local.commands('one')).commands).toHaveLength(1);
    const { text } = await served.local.commandOutput('one', { command: 1 });
    expect((await running).output).toEqual(text);
  });

  it('a call that may not be repeated reports that the sessions continue', async () => {
    await served.local.spawn({ program: 'cat', name: 'one' });
    const rename = vi.spyOn(served.local, 'rename').mockImplementation(() => {
      proxy.cutAll();
      return new Promise(() => {});
    });
    await expect(client.rename('one', 'two')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { restarting: true },
    });
    expect(rename).toHaveBeenCalledTimes(1);
  });

  it('a spawn makes one session', async () => {
    for (const down of [1, 20, 200, 400]) {
      proxy.cutAll();
      let cuts = 1;
      proxy.nextCut = () => (cuts-- > 0 ? { down } : null);
      await client.spawn({ program: 'cat' });
    }
    expect(await served.local.list()).toHaveLength(4);
  });
});

describe.each([
  ['short', async () => ({ client: new JsonCoordinator(proxy.socket), close: () => {} })],
  [
    'framed',
    async () => {
      const client = await connect({ socket: proxy.socket });
      return { client, close: () => client.close() };
    },
  ],
] as const)('the %s client, if its user repeats calls', (_name, open) => {
  it('has each effect once or reports that it failed, and a repeat with the same id is safe', async () => {
    const { client, close } = await open();
    let round = 0;
    const property = fc.asyncProperty(
      fc.array(cut, { minLength: 1, maxLength: 8 }),
      async (cuts) => {
        const name = `r${round++}`;
        const left = [...cuts];
        proxy.nextCut = () => left.shift() ?? null;
        proxy.cutAll();
        let failures = 0;
        const untilDone = async (call: () => Promise<unknown>) => {
          for (;;) {
            try {
              return await call();
            } catch (error) {
              expect(error).toMatchObject({ code: 'UNAVAILABLE' });
              failures++;
            }
          }
        };
        const wait = { match: ['ready'] };
        const spawn = { ...reading, name, inputId: `${name}-spawn`, wait };
        await untilDone(() => client.spawn(spawn));
        const { mark } = await served.local.read(name);
        const ids = { inputId: `${name}-text` };
        await untilDone(() => client.sendText(name, 'text\r', ids));
        const keys = ['k', 'e', 'y', 'enter'];
        await untilDone(() => client.sendKeys(name, keys, { inputId: `${name}-key` }));
        const raw = Buffer.from('raw\r');
        await untilDone(() => client.sendBytes(name, raw, { inputId: `${name}-raw` }));
        proxy.nextCut = () => null;
        // Also the connection of before.
        expect(failures).toBeLessThanOrEqual(cuts.length + 1);
        await served.local.sendText(name, 'end\r', { wait: { match: ['got end'] } });
        const { text } = await served.local.read(name, { since: mark });
        const words = ['text', 'key', 'raw', 'end'].map((word) => `got ${word}`);
        expect(text.tail.trim().split('\n')).toEqual(words);
        await served.local.remove(name, { force: true });
      },
    );
    await fc.assert(property, runs(10));
    await close();
  });
});

it('a publication reports that it has ended with its coordinator', async () => {
  const client = await connect({ socket: proxy.socket, recover });
  const publication = await client.publish({ by: 'test', name: 'out' });
  proxy.cutAll();
  await expect(publication.write(Buffer.from('x'))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/^session out: the coordinator ended, .* publish it again$/),
  });
  await client.close();
});

/** Until `back` is called, no coordinator answers. `asked` resolves when a client has noticed. */
function away() {
  let back = () => {};
  let notice = () => {};
  const arrival = new Promise<void>((resolve) => {
    notice = resolve;
  });
  const answer = new Promise<boolean>((resolve) => {
    back = () => resolve(true);
  });
  recovered = () => {
    notice();
    return answer;
  };
  return { back, asked: arrival };
}

it('a framed client repeats input with a wait from the mark that its first try told, and asks for none', async () => {
  const client = await connect({ socket: proxy.socket, recover });
  try {
    await served.local.spawn({ program: 'cat', name: 'one' });
    const before = await served.local.mark('one');
    const mark = vi.spyOn(served.local, 'mark');
    const { sendText: own } = served.local;
    const send = vi.spyOn(served.local, 'sendText').mockImplementationOnce(async (...args) => {
      const result = await own.apply(served.local, args);
      proxy.cutAll();
      return result;
    });
    const result = await client.sendText('one', 'it\r', { wait: { match: ['it'] } });
    expect(result).toMatchObject({ mark: before, wait: { outcome: 'matched' } });
    expect(mark).not.toHaveBeenCalled();
    const marks = send.mock.calls.map(([, , options]) => options?.wait?.since);
    expect(marks).toEqual([undefined, before]);
  } finally {
    await client.close();
  }
});
