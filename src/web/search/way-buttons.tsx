interface WayProps {
  readonly isExact: boolean;
  readonly isPattern: boolean;
  readonly setExact: (value: boolean) => void;
  readonly setPattern: (value: boolean) => void;
}

/** Whether capital letters count, and whether a query is a regular expression. */
export function WayButtons({ isExact, isPattern, setExact, setPattern }: WayProps) {
  return (
    <span class="group">
      <button
        type="button"
        aria-label="Match case"
        title="Match case"
        aria-pressed={isExact}
        onClick={() => setExact(!isExact)}
      >
        Aa
      </button>
      <button
        type="button"
        aria-label="Regular expression"
        title="Regular expression (RE2)"
        aria-pressed={isPattern}
        onClick={() => setPattern(!isPattern)}
      >
        .*
      </button>
    </span>
  );
}
