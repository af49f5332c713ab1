// What a person types, shown before the program has echoed it: `Predictor` guesses from the keys and the screen.

export { Predictor } from './predictor.ts';
