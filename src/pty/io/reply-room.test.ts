import { describe, expect, it } from 'vitest';
import { ReplyRoom } from './reply-room.ts';

describe('ReplyRoom', () => {
  /** Takes replies of 1 KiB until one is refused. */
  const fill = (room: ReplyRoom, unread: number | null, isPassed: boolean | null): number => {
    for (let count = 0; ; count++) {
      if (count > 100 || !room.take(1024, unread)) return count;
      if (isPassed !== null) room.written(1024, isPassed);
    }
  };

  it('has 4 KiB for replies that wait in the queue or in the kernel', () => {
    expect(fill(new ReplyRoom(), 0, null)).toBe(4);
    expect(fill(new ReplyRoom(), 4096, true)).toBe(4);
  });

  it('has room again for what the program has read, and for what failed', () => {
    const room = new ReplyRoom();
    expect(fill(room, 4096, true)).toBe(4);
    expect(fill(room, 1024, null)).toBe(3);
    expect(fill(new ReplyRoom(), 4096, false)).toBeGreaterThan(100);
  });

  it('counts only the queue where the kernel does not tell', () => {
    expect(fill(new ReplyRoom(), null, true)).toBeGreaterThan(100);
    expect(fill(new ReplyRoom(), null, null)).toBe(4);
  });
});
