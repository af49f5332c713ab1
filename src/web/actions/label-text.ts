import { isShownLabel, type SessionLabels } from '#model';

/** Where another label begins: at a comma, a blank or a line feed before `KEY=`. */
const next = /[,\s]+(?=[A-Za-z0-9][\w./-]*=)/;

/** Returns labels as a person writes them: `team=api, task=fix the bug`. Without those of vtr itself. */
export const labelText = (labels: SessionLabels = {}): string =>
  Object.entries(labels)
    .filter(([key]) => isShownLabel(key))
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

/** Returns the labels in a text. A text without `=` is the value of the label `label`. */
export function labelsIn(text: string): Record<string, string> {
  const parts = text.trim().split(next).filter(Boolean);
  return Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf('=');
      const [key, value] = at === -1 ? ['label', part] : [part.slice(0, at), part.slice(at + 1)];
      return [key.trim(), value.replace(/[,\s]+$/, '')];
    }),
  );
}

/** Returns what turns the labels of a session into those in a text. Labels of vtr itself stay. */
export function labelChanges(
  before: SessionLabels,
  text: string,
): { readonly set: Record<string, string>; readonly remove: string[] } {
  const set = labelsIn(text);
  const remove = Object.keys(before).filter((key) => isShownLabel(key) && !Object.hasOwn(set, key));
  return { set, remove };
}
