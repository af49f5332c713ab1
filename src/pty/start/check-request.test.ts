import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { checkStrings } from './check-request.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((each) => each.replaceAll('\0', ''));

it('a NUL is refused in any string of a request, and other strings are accepted', () => {
  const strings = fc.tuple(text, fc.array(text, { minLength: 1, maxLength: 5 }), text, text);
  const property = fc.property(
    strings,
    fc.nat(),
    fc.nat(),
    ([program, args, cwd, value], which, at) => {
      const all = [program, cwd, value, ...args];
      const request = ([first = '', second = '', third = '', ...others]: readonly string[]) =>
        ptyRequest(first, others, { cwd: second, env: { NAME: third } });
      expect(() => checkStrings(request(all))).not.toThrow();
      const spoilt = all[which % all.length] ?? '';
      const cut = at % (spoilt.length + 1);
      all[which % all.length] = `${spoilt.slice(0, cut)}\0${spoilt.slice(cut)}`;
      expect(() => checkStrings(request(all))).toThrow('NUL');
    },
  );
  fc.assert(property, runs(200));
});
