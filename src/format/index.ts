// The formats of tmux, `#{...}`: the status line of `vtr attach`, and all of `wire/tmux`.

export { expandFormat, expandTimedFormat, type FormatSubject, isTrue } from './expand.ts';
export { finder, globMatches, regexMatches } from './matching.ts';
export { withTime } from './text-changes.ts';
