import { sanitize } from '#base';
import { VtrError } from '../errors.ts';

/** The labels of a session: values by key. */
export type SessionLabels = Readonly<Record<string, string>>;

/** Changes of labels by key: a value sets a label, null removes it. */
export type LabelChanges = Readonly<Record<string, string | null>>;

const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;
const maxValueLength = 256;
const maxLabels = 32;

/** @throws VtrError INVALID_ARGUMENT */
export function checkLabels<L extends LabelChanges>(labels: L): L {
  for (const [key, value] of Object.entries(labels)) {
    checkLabelKey(key);
    if (value !== null) checkLabelValue(key, value);
  }
  const count = Object.values(labels).filter((value) => value !== null).length;
  if (count <= maxLabels) return labels;
  throw refused(`${count} labels are over the limit of ${maxLabels} per session`);
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkLabelKey(key: string): string {
  if (keyPattern.test(key)) return key;
  throw refused(
    `label key ${JSON.stringify(key)} is not allowed; use 1 to 63 characters of A-Z a-z 0-9 . _ / -, beginning with a letter or digit`,
  );
}

function checkLabelValue(key: string, value: string): void {
  const isPlain = sanitize(value).removed === 0 && !/[\n\t]/.test(value);
  if (isPlain && value.length >= 1 && value.length <= maxValueLength) return;
  throw refused(
    `the value of label ${key} is not allowed; use 1 to ${maxValueLength} characters without control characters`,
  );
}

/** Returns labels with changes applied. @throws VtrError INVALID_ARGUMENT */
export function changedLabels(labels: SessionLabels, changes: LabelChanges): SessionLabels {
  const entries = Object.entries({ ...labels, ...checkLabels(changes) });
  const kept = entries.filter((entry): entry is [string, string] => entry[1] !== null);
  return checkLabels(Object.fromEntries(kept));
}

const refused = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);
