/** Lines on a grid of 16 by 16 pixels. */
const paths = {
  search: 'M11 11l3.5 3.5M12.5 7a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0z',
  list: 'M5.5 3.5h9M5.5 8h9M5.5 12.5h9M1.5 3.5h1M1.5 8h1M1.5 12.5h1',
  history: 'M2 4v3.5h3.5M2.3 7.5A6 6 0 1 1 3.5 12M8 5v3.5l2.5 1.5',
  text: 'M2 3.5h12M2 6.5h12M2 9.5h12M2 12.5h7',
  more: 'M2.5 8h.5M7.75 8h.5M13 8h.5',
  plus: 'M8 2.5v11M2.5 8h11',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  down: 'M4 6l4 4 4-4',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  people:
    'M8.5 5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM1.5 13.5c0-3 2-4 4.5-4s4.5 1 4.5 4M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.8c1.6.5 2.5 1.7 2.5 3.7',
  fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
} as const;

/** A sign in a button, in the colour of its text. The button needs a name for screen readers. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
