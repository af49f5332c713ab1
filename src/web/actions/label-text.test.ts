import { describe, expect, it } from 'vitest';
import { labelChanges, labelsIn, labelText } from './label-text.ts';

describe('labels as a person writes them', () => {
  it.each([
    ['', {}],
    ['team=api', { team: 'api' }],
    ['team=api, env=dev', { team: 'api', env: 'dev' }],
    ['team=api env=dev', { team: 'api', env: 'dev' }],
    ['task=fix the bug, now, team=api,', { task: 'fix the bug, now', team: 'api' }],
    ['url=http://x/?a=b', { url: 'http://x/?a=b' }],
    [' urgent ', { label: 'urgent' }],
  ])('%j', (text, labels) => {
    expect(labelsIn(text)).toEqual(labels);
    expect(labelsIn(labelText(labels))).toEqual(labels);
  });

  it('replace those that were there, but for those of vtr', () => {
    const before = { team: 'api', old: 'x', worktree: '/w' };
    expect(labelText(before)).toBe('team=api, old=x');
    expect(labelChanges(before, 'team=web')).toEqual({ set: { team: 'web' }, remove: ['old'] });
  });
});
