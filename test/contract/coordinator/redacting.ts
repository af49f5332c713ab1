import { describe, expect, it } from 'vitest';
import type { SubscriptionEvent } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const hidden = `ghp_${'•'.repeat(36)}`;
const secret = token.slice(4);
const redact = { redact: true };

export function redactingContract(fixture: CoordinatorFixture): void {
  /** A session of a shell whose command printed a token. */
  const shown = async () => {
    const publication = await fixture.coordinator.publish({
      by: 'x',
      program: 'bash',
      args: ['--token', token],
      labels: { key: token },
      size: { cols: 30, rows: 6 },
    });
    const mark = await fixture.coordinator.mark(publication.session);
    const command = `\x1b]633;E;echo ${token}\x07\x1b]133;C\x07`;
    const printed = `\x1b]0;title ${token}\x07a ${token} b\r\n\x1b]133;D;0\x07`;
    const prompt = '\x1b]133;A\x07$ \x1b]133;B\x07';
    await publication.write(Buffer.from(`${prompt}echo\r\n${command}${printed}${prompt}`));
    return { publication, session: publication.session, mark };
  };

  describe('redact', () => {
    it('replaces a secret in a transcript', async () => {
      const { coordinator } = fixture;
      const size = { cols: 60, rows: 4 };
      const publication = await coordinator.publish({ by: 'x', program: 'agent', size });
      for (const rows of [`a ${token}\r\nb\r\nc`, 'b\r\nc\r\nd'])
        await publication.write(
          Buffer.from(`\x1b[?1049h\x1b[?2026h\x1b[H\x1b[J${rows}\x1b[?2026l`),
        );
      const read = await coordinator.read(publication.session, { ...redact, transcript: true });
      expect(read.text.tail).toBe(`a ${hidden}\nb\nc\nd`);
      expect(read.redacted).toBe(1);
    });

    it('replaces a secret in each answer, and counts', async () => {
      const { coordinator } = fixture;
      const { session, mark } = await shown();
      const screen = await coordinator.screen(session, redact);
      expect(screen.text.slice(1, 3).join('')).toBe(`a ${hidden} b`);
      expect(screen).toMatchObject({ title: `title ${hidden}`, redacted: 2 });
      const answers = {
        cells: await coordinator.screen(session, { ...redact, format: 'cells' }),
        lines: await coordinator.readLines(session, redact),
        read: await coordinator.read(session, { ...redact, since: mark }),
        raw: await coordinator.read(session, { ...redact, format: 'raw', maxBytes: 40 }),
        search: await coordinator.search(session, { ...redact, pattern: 'a (.*)' }),
        commands: await coordinator.commands(session, redact),
        output: await coordinator.commandOutput(session, redact),
        wait: await coordinator.wait(session, {
          ...redact,
          since: mark,
          match: ['ghp_(\\w+)'],
          timeoutMs: 60_000,
          read: { since: mark },
        }),
        list: await coordinator.list({ ...redact, activity: true }),
        info: await coordinator.info(session, { ...redact, activity: true }),
      };
      for (const [name, answer] of Object.entries(answers)) {
        const bytes = 'raw' in answer ? Buffer.from(answer.raw?.bytes ?? []).toString() : '';
        const text = bytes + JSON.stringify(answer);
        for (let at = 0; at + 6 <= secret.length; at++) {
          expect(text, name).not.toContain(secret.slice(at, at + 6));
        }
        const [{ redacted } = { redacted: 0 }] = [answer].flat();
        expect(redacted, name).toBeGreaterThan(0);
      }
      expect(answers.lines).toMatchObject({ redacted: 1 });
      expect(answers.wait.match).toMatchObject({
        text: `a ${hidden} b`,
        matched: hidden,
        groups: [hidden.slice(4)],
      });
      expect(answers.info.args).toEqual(['--token', hidden]);
    });

    it('replaces nothing, and counts nothing, unless it is requested', async () => {
      const { coordinator } = fixture;
      const { session } = await shown();
      const { redacted, text } = await coordinator.read(session);
      expect(text.tail).toContain(token);
      expect(redacted).toBeUndefined();
      expect((await coordinator.readLines(session, { ...redact, to: 1 })).redacted).toBe(0);
    });

    it('finds a secret whose rest is written later, and hides its beginning until then', async () => {
      const { coordinator } = fixture;
      const { publication, session } = await shown();
      const since = await coordinator.mark(session);
      const write = (text: string) => publication.write(Buffer.from(text));
      await write(token.slice(0, 20));
      const first = await coordinator.read(session, { ...redact, since });
      expect(first.text.tail).toBe(`$ ghp_${'•'.repeat(16)}`.slice(2));
      await write(token.slice(20));
      const rest = await coordinator.read(session, { ...redact, since: first.mark });
      expect(rest).toMatchObject({ text: { tail: '•'.repeat(20) }, redacted: 1 });
      await write(' done');
      const after = await coordinator.read(session, { ...redact, since: rest.mark });
      expect(after).toMatchObject({ text: { tail: ' done' }, redacted: 0 });
    });

    it('replaces a secret that the session showed once in each later answer, also if that was erased', async () => {
      const { coordinator } = fixture;
      const { publication, session } = await shown();
      const write = (text: string) => publication.write(Buffer.from(text));
      // Nobody read it with redact.
      await write('git clone https://me:hunter2@example.org/x\r\n\x1b[H\x1b[2J');
      await write('\x1b]0;pw hunter2\x07the word hunter2 alone\r\n');
      const answers = {
        screen: await coordinator.screen(session, redact),
        lines: await coordinator.readLines(session, redact),
        read: await coordinator.read(session, redact),
        raw: await coordinator.read(session, { ...redact, format: 'raw', maxBytes: 60 }),
        search: await coordinator.search(session, { ...redact, pattern: 'word' }),
        wait: await coordinator.wait(session, {
          ...redact,
          match: ['(\\w+) alone'],
          since: 'start',
        }),
        list: await coordinator.list(redact),
      };
      for (const [name, answer] of Object.entries(answers)) {
        const bytes = 'raw' in answer ? Buffer.from(answer.raw?.bytes ?? []).toString() : '';
        expect(bytes + JSON.stringify(answer), name).not.toContain('hunter');
        expect(bytes + JSON.stringify(answer), name).toContain('•••••••');
      }
      const { data } = await coordinator.record(session);
      expect(Buffer.from(data).toString()).not.toContain('hunter2');
      expect(Buffer.from(data).toString()).toContain('the word ••••••• alone');
    });

    it('does not take words of examples and of programs for secrets', async () => {
      const { coordinator } = fixture;
      const { publication, session } = await shown();
      const texts = [
        'postgres://postgres:postgres@localhost postgres:password@x https://a:$SECRETKEY@x',
        'PASSWORD=settings.password TOKEN=$(cat token) "password": "required" TOKEN=******',
      ];
      await publication.write(Buffer.from(`${texts.join('\r\n')}\r\n`));
      const words = 'postgres password settings.password required $SECRETKEY $(cat ****** ';
      await publication.write(Buffer.from(`\x1b[H\x1b[2J${words}`));
      const { text } = await coordinator.screen(session, redact);
      expect(text.join('')).toBe(words.trimEnd());
    });

    it('replaces secrets in the events of a session, in its state and in what follows it', async () => {
      const { coordinator } = fixture;
      const { publication, session } = await shown();
      const write = (text: string) => publication.write(Buffer.from(text));
      await write(`half ${token.slice(0, 14)}`);
      const since = 'start';
      const events = await coordinator.subscribe(session, { ...redact, since, scrollbackLines: 0 });
      await write(
        `${token.slice(14)} end\r\n\x1b]0;${token}\x07\x1b]52;c;${btoa(token)}\x07last ${token}`,
      );
      await publication.exit({ code: 0, signal: null });
      const sessionEvents: SubscriptionEvent[] = [];
      for await (const event of events) sessionEvents.push(event);
      const [state] = sessionEvents;
      expect(state).toMatchObject({ type: 'snapshot' });
      expect(sessionEvents.map(({ type }) => type)).not.toContain('clipboard');
      const bytesOf = (event: SubscriptionEvent) =>
        event.type === 'output' ? event.bytes : event.type === 'snapshot' ? event.dump : [];
      const texts = sessionEvents.map((each) => Buffer.from(bytesOf(each)).toString());
      const text = texts.join('').replace(/\x1b\[=0;0w/g, '');
      expect(text).toContain(' end');
      expect(text).toContain(`last ${hidden}`);
      const all =
        text + JSON.stringify(sessionEvents.map((each) => ({ ...each, bytes: 0, dump: 0 })));
      for (let at = 0; at + 6 <= secret.length; at++) {
        expect(all).not.toContain(secret.slice(at, at + 6));
      }
      let offset = state?.type === 'snapshot' ? state.offset : -1;
      for (const each of sessionEvents) {
        if (each.type !== 'output') continue;
        expect(each.offset).toBe(offset);
        offset += each.bytes.length;
      }
    });

    it('replaces secrets in a watch of all sessions, which has no frames then', async () => {
      const { coordinator, driver } = fixture;
      const { session } = await shown();
      const watch = await coordinator.watchSessions(redact);
      for await (const event of watch) {
        if (event.type !== 'sessions') continue;
        expect(JSON.stringify(event)).not.toContain(secret.slice(0, 6));
        expect(event.sessions).toMatchObject([{ id: session.id, labels: { key: hidden } }]);
        break;
      }
      watch.dispose();
      const frames = { sessions: [session] };
      const framed = coordinator.watchSessions({ ...redact, frames });
      expect(await driver.codeOf(framed)).toBe('INVALID_ARGUMENT');
    });

    it('refuses patterns on raw output, whose match could be a part of a secret', async () => {
      const { coordinator, driver } = fixture;
      const { session } = await shown();
      const wait = coordinator.wait(session, { ...redact, raw: true, match: ['x'] });
      expect(await driver.codeOf(wait)).toBe('INVALID_ARGUMENT');
    });
  });
}
