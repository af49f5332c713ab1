import { quoted } from '#base';
import { checkLabelKey, type SessionInfo, type SessionLabels, VtrError } from '#model';
import type { Flag } from './flags.ts';

/** A label that a session must have. */
export interface LabelFilter {
  readonly key: string;
  /** Null for any value. */
  readonly value: string | null;
}

/** The flag that selects sessions by their labels. */
export const labelFilters: Flag<LabelFilter> & { many: true } = {
  about: 'only sessions with this label; repeatable, all must match',
  value: 'KEY[=VALUE]',
  many: true,
  read: (text) => {
    const equals = text.indexOf('=');
    const key = checkLabelKey(equals === -1 ? text : text.slice(0, equals));
    return { key, value: equals === -1 ? null : text.slice(equals + 1) };
  },
};

/** Returns whether a session has all the labels. */
export const hasLabels = ({ labels = {} }: SessionInfo, filters: readonly LabelFilter[]): boolean =>
  filters.every(({ key, value }) =>
    value === null ? Object.hasOwn(labels, key) : labels[key] === value,
  );

/** Returns `KEY` or `KEY=VALUE`. */
export const filterText = ({ key, value }: LabelFilter): string =>
  value === null ? key : `${key}=${value}`;

/** Returns each label as `KEY=VALUE`. */
export const labelTexts = (labels: SessionLabels): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);

/** Returns `a=1 b=2`. */
export const labelsText = (labels: SessionLabels): string => labelTexts(labels).join(' ');

/**
 * Splits `KEY=VALUE`; the value may be empty.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function labelAssignment(word: string): readonly [key: string, value: string] {
  const equals = word.indexOf('=');
  if (equals > 0) return [checkLabelKey(word.slice(0, equals)), word.slice(equals + 1)];
  throw new VtrError(
    'INVALID_ARGUMENT',
    `label ${quoted(word)}: use KEY=VALUE, or KEY= to remove the label`,
  );
}
