export interface Finding {
  readonly state: 'good' | 'warning' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** The fix to try. */
  readonly fix?: string;
}

export const good = (subject: string, text: string): Finding => ({ state: 'good', subject, text });
