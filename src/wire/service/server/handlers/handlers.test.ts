import { describe, expect, it } from 'vitest';
import { VTR } from '#messages';
import type { Coordinator } from '#model';
import { ServedJsonConnection } from '../json-connection.ts';
import { SharedLimits } from '../limits/served-connection.ts';
import { vtrHandlers } from './handlers.ts';

const cases = VTR.methods
  .filter(({ methodKind }) => methodKind === 'unary' || methodKind === 'server_streaming')
  .flatMap(({ name, methodKind, input }) =>
    input.fields
      .filter((field) => field.enum !== undefined)
      .map((field) => ({ name, methodKind, field })),
  );

describe('a value of an enum that is not known', () => {
  const options = {
    maxSnapshots: 1,
    daemon: null,
    web: null,
    tmux: null,
    closing: new AbortController().signal,
  };
  const handlers = vtrHandlers({} as Coordinator, options);
  const connection = () => new ServedJsonConnection(handlers, new SharedLimits().connection());

  const call = (method: string, isUnary: boolean, request: Record<string, unknown>) =>
    isUnary ? connection().unary(method, request) : connection().stream(method, request).next();

  it('is refused by every method, with the field', async () => {
    expect(cases.length).toBeGreaterThan(3);
    for (const { name, methodKind, field } of cases) {
      const value = field.fieldKind === 'list' ? [99] : 99;
      const refused = call(name, methodKind === 'unary', { [field.jsonName]: value });
      await expect(refused, `${name}.${field.name}`).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`unknown value 99 of ${field.name}`),
      });
    }
  });

  it('is refused in the messages of a request', async () => {
    const events = [{ button: 1 }, { button: 77 }];
    await expect(call('SendMouse', true, { name: 'a', events })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('unknown value 77 of events[1].button'),
    });
  });
});
