import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { WebAccess } from './web-access.ts';

const session = { id: 'id-1', name: 'codex', begin: { line: 9, command: 2 } };
const hourMs = 60 * 60 * 1000;

function accessOf() {
  const clock = new VirtualClock();
  return { clock, access: new WebAccess({ clock }) };
}

function loggedIn(access: WebAccess, token: string): string {
  const result = access.login(token);
  if (typeof result === 'string') throw new Error(result);
  return result.cookie;
}

describe('a link', () => {
  it('[S3.32] is good for one login', () => {
    const { access } = accessOf();
    const token = access.newLink();
    const cookie = loggedIn(access, token);
    expect(access.visitor(cookie)).toMatchObject({ share: null });
    expect(access.login(token)).toBe('used');
    expect(access.visitor(token)).toBeNull();
  });

  it('[S3.32] that is used again makes a warning, unless its browser is logged in', () => {
    const { access, clock } = accessOf();
    const token = access.newLink();
    loggedIn(access, token);
    expect(access.login(token, { uid: null, isKnown: true })).toBe('used');
    expect(access.warnings).toEqual([]);
    clock.advance(60_000);
    expect(access.login(token, { uid: 7, isKnown: false })).toBe('used');
    const warning = { atMs: clock.wallMs(), again: true, uid: 7 };
    expect(access.warnings).toEqual([warning]);
    const next = new WebAccess({ clock, saved: JSON.parse(JSON.stringify(access.saved)) });
    expect([next.warnings, next.login(token)]).toEqual([[warning], 'used']);
    for (let times = 0; times < 20; times++) next.login(token);
    expect(next.warnings).toHaveLength(16);
    next.endLogins();
    expect(next.warnings).toEqual([]);
  });

  it('[S3.32] that another user of the machine used makes a warning', () => {
    const { access, clock } = accessOf();
    const [own, theirs] = [access.newLink(), access.newLink()];
    access.login(own, { uid: null, isKnown: false });
    expect(access.login(theirs, { uid: 7, isKnown: false })).toMatchObject({
      cookie: expect.any(String),
    });
    expect(access.warnings).toEqual([{ atMs: clock.wallMs(), again: false, uid: 7 }]);
  });

  it('[S3.32] calls back when it is used, expires or is ended', () => {
    const { access, clock } = accessOf();
    const ended: string[] = [];
    const link = (name: string) => access.newLink(() => ended.push(name));
    const used = link('used');
    link('late');
    loggedIn(access, used);
    expect(ended).toEqual(['used']);
    clock.advance(60_000);
    expect(ended).toEqual(['used', 'late']);
    link('ended');
    access.endLogins();
    link('closed');
    access.close();
    expect(ended).toEqual(['used', 'late', 'ended', 'closed']);
  });

  it('[S3.32] expires after 60 s', () => {
    const { access, clock } = accessOf();
    const [first, second] = [access.newLink(), access.newLink()];
    clock.advance(59_999);
    expect(access.login(first)).toMatchObject({ cookie: expect.any(String) });
    clock.advance(1);
    expect(access.login(second)).toBe('wrong');
  });
});

describe('wrong tokens', () => {
  it('[S3.32] are told apart from too many: the sixth within a minute', () => {
    const { access, clock } = accessOf();
    const tries = () => Array.from({ length: 6 }, (_, at) => access.login(`wrong ${at}`));
    const five = Array<string>(5).fill('wrong');
    expect(tries()).toEqual([...five, 'too_many']);
    // Those who have a token are not locked out by those who guess.
    expect(access.login(access.newLink())).toMatchObject({ cookie: expect.any(String) });
    expect(access.login('again')).toBe('too_many');
    clock.advance(60_000);
    expect(tries()).toEqual([...five, 'too_many']);
  });
});

describe('a login', () => {
  it('[S3.32] ends after 12 hours without use', () => {
    const { access, clock } = accessOf();
    const cookie = loggedIn(access, access.newLink());
    for (let times = 0; times < 3; times++) {
      clock.advance(11 * hourMs);
      expect(access.visitor(cookie)).not.toBeNull();
    }
    clock.advance(12 * hourMs);
    expect(access.visitor(cookie)).toBeNull();
  });

  it('[S3.32] stays when a share is used to log in again and again', () => {
    const { access } = accessOf();
    const cookie = loggedIn(access, access.newLink());
    const [other, many] = [access.share(session, {}), access.share(session, {})];
    const visitor = loggedIn(access, other.secret);
    for (let times = 0; times < 300; times++) loggedIn(access, many.secret);
    expect([cookie, visitor].map((each) => access.visitor(each)?.share)).toEqual([
      null,
      other.share,
    ]);
    expect(access.saved.logins).toHaveLength(256);
  });

  it('[S3.32] continues after a restart, and what is saved contains no secret', () => {
    const { access, clock } = accessOf();
    const cookie = loggedIn(access, access.newLink());
    const { secret } = access.share(session, {});
    const visitors = loggedIn(access, secret);
    const text = JSON.stringify(access.saved);
    for (const each of [cookie, secret, visitors]) expect(text).not.toContain(each);
    const next = new WebAccess({ clock, saved: JSON.parse(text) });
    expect(next.visitor(cookie)).toMatchObject({ share: null });
    expect(next.visitor(visitors)).toMatchObject({ share: { sessionId: 'id-1' } });
    expect(next.login(secret)).toMatchObject({ cookie: expect.any(String) });
  });

  it('[S3.32] continues after a crash if it was used: its use is saved every 10 minutes', () => {
    const clock = new VirtualClock();
    const saved: string[] = [];
    const onChange = (access: WebAccess) => void saved.push(JSON.stringify(access.saved));
    const access = new WebAccess({ clock, onChange });
    const cookie = loggedIn(access, access.newLink());
    // As a page that is open.
    for (let atMs = 0; atMs < 13 * hourMs; atMs += 20_000) {
      clock.advance(20_000);
      expect(access.visitor(cookie)).not.toBeNull();
    }
    expect(saved).toHaveLength(1 + 13 * 6);
    const next = new WebAccess({ clock, saved: JSON.parse(saved.at(-1) ?? '') });
    expect(next.visitor(cookie)).not.toBeNull();
  });

  it('is forgotten when too many browsers have one, the least used first', () => {
    const { access, clock } = accessOf();
    const cookies = Array.from({ length: 300 }, () => {
      clock.advance(10);
      return loggedIn(access, access.newLink());
    });
    const isKnown = cookies.map((cookie) => access.visitor(cookie) !== null);
    expect(isKnown).toEqual(cookies.map((_, at) => at >= 44));
  });
});

describe('a share', () => {
  it('[S3.32] has an id that no command takes for a flag', () => {
    const { access } = accessOf();
    const ids = Array.from({ length: 100 }, () => access.share(session, {}).share.id);
    expect(ids.filter((id) => !/^[0-9a-f]{8}$/.test(id))).toEqual([]);
  });

  it('[S3.32] is good for its whole time, on several devices', () => {
    const { access, clock } = accessOf();
    const { secret, share } = access.share(session, { forMs: 2 * hourMs, write: true });
    const cookies = [loggedIn(access, secret), loggedIn(access, secret)];
    clock.advance(2 * hourMs - 1);
    for (const each of cookies) expect(access.visitor(each)).toMatchObject({ share });
    clock.advance(1);
    for (const each of cookies) expect(access.visitor(each)).toBeNull();
    expect([access.login(secret), access.shares]).toEqual(['wrong', []]);
  });

  it('[S3.32] ends at once, with its logins', () => {
    const { access } = accessOf();
    const { secret, share } = access.share(session, {});
    const other = access.share(session, {});
    const cookie = loggedIn(access, secret);
    access.unshare(share.id);
    expect([access.visitor(cookie), access.login(secret)]).toEqual([null, 'wrong']);
    expect(access.shares.map(({ id }) => id)).toEqual([other.share.id]);
    expect(() => access.unshare(share.id)).toThrow(
      expect.objectContaining({ code: 'SHARE_NOT_FOUND' }),
    );
  });

  it('[S3.32] for players is no login, and another is not for players', () => {
    const { access } = accessOf();
    const [player, page] = [access.share(session, { alis: true }), access.share(session, {})];
    expect([access.login(player.secret), access.player(page.secret)]).toEqual(['wrong', 'wrong']);
    expect(access.player(player.secret)).toEqual(player.share);
  });

  it.each([
    [{ forMs: 999 }],
    [{ forMs: 31 * 24 * hourMs }],
    [{ forMs: Number.NaN }],
    [{ write: true, alis: true }],
  ])('%j is refused', (request) => {
    const { access } = accessOf();
    expect(() => access.share(session, request)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});

describe('logins', () => {
  it('are listed by their last use, and go on with their names', () => {
    const { access, clock } = accessOf();
    const first = loggedIn(access, access.newLink());
    clock.advance(1_000);
    loggedIn(access, access.newLink());
    clock.advance(1_000);
    const { login } = access.visitor(first) ?? {};
    if (!login) throw new Error('not logged in');
    access.nameLogin(login, 'Ann');
    const facts = ({ logins }: WebAccess) => logins.map(({ id, name }) => [id, name]);
    expect(facts(access)).toEqual([
      [login.id, 'Ann'],
      [expect.stringMatching(/^[0-9a-f]{8}$/), ''],
    ]);
    const saved = JSON.parse(JSON.stringify(access.saved));
    expect(facts(new WebAccess({ clock, saved }))).toEqual(facts(access));
  });

  it('of an earlier version have no name, and began when they were used', () => {
    const { clock } = accessOf();
    const login = { hash: 'ab'.repeat(32), shareId: null, usedMs: clock.wallMs() };
    const access = new WebAccess({ clock, saved: { logins: [login], shares: [] } });
    const begun = { id: 'abababab', name: '', isNamed: false, push: null, sinceMs: login.usedMs };
    expect(access.logins).toEqual([{ ...login, ...begun }]);
  });
});
