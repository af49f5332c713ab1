import type { Break, TrailCheck } from '#audit';
import { counted } from '#model';
import { safe } from './entry-table.ts';

/** What --verify finds, as it is printed. */
export interface CheckJson {
  readonly intact: boolean;
  readonly entries: number;
  readonly unchained: number;
  readonly damaged: number;
  readonly lost: number;
  readonly forks: number;
  /** The numbers of the oldest and the newest entry, and the hash of the newest. */
  readonly oldest: number | null;
  readonly newest: number | null;
  readonly hash: string | null;
  /** Whether it has the entry that was asked about. */
  readonly contains: boolean | null;
  readonly breaks: readonly Break[];
}

export const checkJson = (check: TrailCheck): CheckJson => ({
  intact: check.breaks.length === 0 && check.hasEntry !== false,
  entries: check.entries,
  unchained: check.unchained,
  damaged: check.damaged,
  lost: check.lost,
  forks: check.forks,
  oldest: check.oldest?.seq ?? null,
  newest: check.newest?.seq ?? null,
  hash: check.newest?.chain ?? null,
  contains: check.hasEntry,
  breaks: check.breaks,
});

/** A trail that was written anew has a break at each entry. */
const maxBreaks = 10;

/** @param hashToFind the hash that was asked about */
export function checkText(
  { entries, unchained, lost, oldest, newest, hash, contains, breaks }: CheckJson,
  hashToFind = '',
): string {
  const places = breaks.slice(0, maxBreaks).map(({ file, line, seq, time, why }) => {
    const place = line === null ? file : `${file} line ${line}`;
    const entry = seq === null ? '' : `, entry ${seq}`;
    return `broken: ${place}${entry}${time === null ? '' : ` of ${safe(time)}`}: ${why}`;
  });
  const more = breaks.length - places.length;
  const notes = [
    ...(unchained === 0
      ? []
      : [
          `${counted(unchained, 'entry', 'entries')} of an earlier version of vtr before them, without a hash`,
        ]),
    ...(lost === 0
      ? []
      : [`${counted(lost, 'entry', 'entries')} could not be written, as the trail says`]),
  ];
  const whole =
    newest === null
      ? 'no entry has a hash'
      : `${breaks.length === 0 ? 'whole: ' : ''}${counted(entries, 'entry', 'entries')}, ${oldest} to ${newest}; the hash of the newest is ${hash}`;
  const lines = [
    ...places,
    ...(more > 0 ? [`and ${counted(more, 'more place')}`] : []),
    ...(contains === false ? [`broken: no entry has the hash ${hashToFind}`] : []),
    whole,
    ...notes,
  ];
  return `${lines.join('\n')}\n`;
}
