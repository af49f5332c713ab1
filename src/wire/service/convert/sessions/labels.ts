import { checkLabels, type LabelChanges, type SessionLabels } from '#model';

/** The fields of a request that changes labels. */
export interface LabelFields {
  readonly set: SessionLabels;
  readonly remove: readonly string[];
}

/** @throws VtrError INVALID_ARGUMENT */
export function toLabelFields(changes: LabelChanges): { set: SessionLabels; remove: string[] } {
  const set: [string, string][] = [];
  const remove: string[] = [];
  for (const [key, value] of Object.entries(checkLabels(changes))) {
    if (value === null) remove.push(key);
    else set.push([key, value]);
  }
  return { set: Object.fromEntries(set), remove };
}

/** A key in both fields is removed. */
export const fromLabelFields = ({ set, remove }: LabelFields): LabelChanges => ({
  ...set,
  ...Object.fromEntries(remove.map((key) => [key, null])),
});

/** Returns the field of a message from the wire; an empty map of proto3 becomes absent. */
export const labelsField = (labels: SessionLabels): { labels?: SessionLabels } =>
  Object.keys(labels).length === 0 ? {} : { labels: { ...labels } };
