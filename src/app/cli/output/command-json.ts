import { sanitize } from '#base';
import {
  type Activity,
  type CommandRecord,
  type Excerpt,
  type OutputPosition,
  withoutStyles,
} from '#model';
import { isoTime } from './json.ts';

/** A command of a session's shell. */
export function commandJson(command: CommandRecord) {
  return {
    number: command.number,
    line: command.line,
    cwd: command.cwd,
    state: command.state,
    exit_code: command.exitCode,
    started_at: isoTime(command.startedAtMs),
    ended_at: isoTime(command.endedAtMs),
    duration_ms: Math.round(command.durationMs),
    from: positionJson(command.from),
    to: command.to && positionJson(command.to),
    unverified: command.unverified ?? false,
  };
}

const positionJson = ({ offset, line, col }: OutputPosition) => ({ offset, line, col });

export function excerptJson({ head, tail, omitted, tokens }: Excerpt) {
  return {
    head,
    tail,
    omitted: omitted && {
      lines: omitted.lines,
      bytes: omitted.bytes,
      from_line: omitted.fromLine,
      to_line: omitted.toLine,
    },
    tokens,
    removed: sanitize(withoutStyles(`${head}${tail}`)).removed,
  };
}

export function activityJson({ state, evidence, sinceMs }: Activity) {
  return {
    state,
    since: new Date(sinceMs).toISOString(),
    evidence: {
      shell_mark: evidence.shellMark,
      prompt_pattern: evidence.promptPattern,
      alternate_screen: evidence.alternateScreen,
      foreground: evidence.foreground,
      leader_in_foreground: evidence.leaderInForeground,
      echo: evidence.echo,
      canonical: evidence.canonical,
      reading_terminal: evidence.readingTerminal,
      also_waits: evidence.alsoWaits,
      unfinished_line: evidence.unfinishedLine,
    },
  };
}
